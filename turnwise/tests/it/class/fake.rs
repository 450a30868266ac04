//! A school's services that answer what they are given, behind a real socket, and note what they are asked.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
};

use tokio::net::TcpListener;
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    classes::v1::*,
    common::v1::ErrorReason,
    helper::v1::helper_service_server::HelperServiceServer,
    school::v1::{
        class_service_server::{ClassService, ClassServiceServer},
        student_records_service_server::{StudentRecordsService, StudentRecordsServiceServer},
        *,
    },
};

use crate::eval::fake::Helper;

/// What the services know, and what they were asked.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) names: Vec<String>,
    pub(crate) policy: ClassPolicy,
    /// Every policy that was set, with its class.
    pub(crate) policies: Vec<(String, ClassPolicy)>,
    pub(crate) report: Report,
    pub(crate) alerts: Vec<SafeguardingAlert>,
    pub(crate) escalations: Vec<Escalation>,
    pub(crate) stuck: Vec<StuckStudent>,
    pub(crate) waiting: Waiting,
    /// Answers to resets; the last one stays.
    pub(crate) resets: Vec<ResetClassConversationsResponse>,
    pub(crate) reset_keys: Vec<String>,
    pub(crate) export: Vec<Result<Vec<u8>, ()>>,
    pub(crate) acknowledged: Vec<String>,
    pub(crate) erased: Vec<EraseStudentRequest>,
}

/// The services.
#[derive(Clone)]
pub(crate) struct Fake {
    pub(crate) state: Arc<Mutex<State>>,
    port: u16,
}

impl Fake {
    /// Starts them on a free port.
    pub(crate) async fn start(state: State) -> Self {
        Self::start_beside(state, None).await
    }

    /// Starts them, and a helper beside them.
    pub(crate) async fn start_beside(state: State, helper: Option<Helper>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            state: Arc::new(Mutex::new(state)),
            port: listener.local_addr().unwrap().port(),
        };
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(ClassServiceServer::new(fake.clone()))
                .add_service(StudentRecordsServiceServer::new(fake.clone()))
                .add_optional_service(helper.map(HelperServiceServer::new))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        fake
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn not_asked<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("the command line does not ask this"))
}

#[tonic::async_trait]
impl ClassService for Fake {
    async fn set_class_roster(
        &self,
        request: Request<SetClassRosterRequest>,
    ) -> Result<Response<SetClassRosterResponse>, Status> {
        let names = request.into_inner().names;
        if names.len() > 2_000 {
            return Err(Fault::invalid("names", "must be at most 2000").into());
        }
        let cue_names = names
            .iter()
            .filter(|name| *name == "Will")
            .cloned()
            .collect();
        self.state.lock().unwrap().names = names;
        Ok(Response::new(SetClassRosterResponse { cue_names }))
    }

    async fn get_class_roster(
        &self,
        _request: Request<GetClassRosterRequest>,
    ) -> Result<Response<GetClassRosterResponse>, Status> {
        let names = self.state.lock().unwrap().names.clone();
        Ok(Response::new(GetClassRosterResponse { names }))
    }

    async fn set_class_policy(
        &self,
        request: Request<SetClassPolicyRequest>,
    ) -> Result<Response<SetClassPolicyResponse>, Status> {
        let request = request.into_inner();
        let policy = request.policy;
        let mut state = self.state.lock().unwrap();
        state.policy = policy.unwrap();
        state.policies.push((request.class_id, policy.unwrap()));
        Ok(Response::new(SetClassPolicyResponse { policy }))
    }

    async fn get_class_policy(
        &self,
        _request: Request<GetClassPolicyRequest>,
    ) -> Result<Response<GetClassPolicyResponse>, Status> {
        let policy = Some(self.state.lock().unwrap().policy);
        Ok(Response::new(GetClassPolicyResponse { policy }))
    }

    async fn mark_prerequisite_met(
        &self,
        _request: Request<MarkPrerequisiteMetRequest>,
    ) -> Result<Response<MarkPrerequisiteMetResponse>, Status> {
        not_asked()
    }

    async fn unmark_prerequisite_met(
        &self,
        _request: Request<UnmarkPrerequisiteMetRequest>,
    ) -> Result<Response<UnmarkPrerequisiteMetResponse>, Status> {
        not_asked()
    }

    async fn begin_placement(
        &self,
        _request: Request<BeginPlacementRequest>,
    ) -> Result<Response<BeginPlacementResponse>, Status> {
        not_asked()
    }

    async fn undo_placement(
        &self,
        _request: Request<UndoPlacementRequest>,
    ) -> Result<Response<UndoPlacementResponse>, Status> {
        not_asked()
    }

    /// Two pupils a page, whatever is asked for.
    async fn class_report(
        &self,
        request: Request<ClassReportRequest>,
    ) -> Result<Response<ClassReportResponse>, Status> {
        let begin: usize = request.into_inner().page_token.parse().unwrap_or(0);
        let mut report = self.state.lock().unwrap().report.clone();
        let more = report.students.len() > begin + 2;
        report.students = report.students.into_iter().skip(begin).take(2).collect();
        let next_page_token = if more {
            (begin + 2).to_string()
        } else {
            String::new()
        };
        Ok(Response::new(ClassReportResponse {
            report: Some(report),
            next_page_token,
        }))
    }

    async fn list_stuck_students(
        &self,
        _request: Request<ListStuckStudentsRequest>,
    ) -> Result<Response<ListStuckStudentsResponse>, Status> {
        let students = self.state.lock().unwrap().stuck.clone();
        Ok(Response::new(ListStuckStudentsResponse {
            students,
            ..ListStuckStudentsResponse::default()
        }))
    }

    async fn list_safeguarding_alerts(
        &self,
        request: Request<ListSafeguardingAlertsRequest>,
    ) -> Result<Response<ListSafeguardingAlertsResponse>, Status> {
        let all = request.into_inner().filter() == AlertFilter::All;
        let mut alerts = self.state.lock().unwrap().alerts.clone();
        alerts.retain(|alert| all || alert.acknowledged_by.is_empty());
        Ok(Response::new(ListSafeguardingAlertsResponse {
            alerts,
            ..ListSafeguardingAlertsResponse::default()
        }))
    }

    async fn acknowledge_alert(
        &self,
        request: Request<AcknowledgeAlertRequest>,
    ) -> Result<Response<AcknowledgeAlertResponse>, Status> {
        let alert_id = request.into_inner().alert_id;
        let mut state = self.state.lock().unwrap();
        let Some(alert) = state.alerts.iter_mut().find(|a| a.alert_id == alert_id) else {
            return Err(Fault::new(ErrorReason::UnknownAlert, "there is no such alert").into());
        };
        alert.acknowledged_by = "berta".to_owned();
        let alert = Some(alert.clone());
        state.acknowledged.push(alert_id);
        Ok(Response::new(AcknowledgeAlertResponse { alert }))
    }

    async fn list_escalations(
        &self,
        request: Request<ListEscalationsRequest>,
    ) -> Result<Response<ListEscalationsResponse>, Status> {
        let all = request.into_inner().filter() == AlertFilter::All;
        let mut escalations = self.state.lock().unwrap().escalations.clone();
        escalations.retain(|escalation| all || escalation.resolved_by.is_empty());
        Ok(Response::new(ListEscalationsResponse {
            escalations,
            ..ListEscalationsResponse::default()
        }))
    }

    async fn resolve_escalation(
        &self,
        request: Request<ResolveEscalationRequest>,
    ) -> Result<Response<ResolveEscalationResponse>, Status> {
        let id = request.into_inner().escalation_id;
        let mut state = self.state.lock().unwrap();
        let known = |known: &&mut Escalation| known.escalation_id == id;
        let Some(escalation) = state.escalations.iter_mut().find(known) else {
            return Err(Fault::new(ErrorReason::UnknownAlert, "there is no such one").into());
        };
        escalation.resolved_by = "berta".to_owned();
        let escalation = Some(escalation.clone());
        Ok(Response::new(ResolveEscalationResponse { escalation }))
    }

    async fn reset_class_conversations(
        &self,
        request: Request<ResetClassConversationsRequest>,
    ) -> Result<Response<ResetClassConversationsResponse>, Status> {
        let mut state = self.state.lock().unwrap();
        state.reset_keys.push(request.into_inner().idempotency_key);
        let answer = state.resets[0].clone();
        if state.resets.len() > 1 {
            state.resets.remove(0);
        }
        Ok(Response::new(answer))
    }

    async fn export_class(
        &self,
        _request: Request<ExportClassRequest>,
    ) -> Result<Response<ExportClassResponse>, Status> {
        Ok(Response::new(ExportClassResponse {
            archive_name: "export-7b.jsonl".to_owned(),
            conversations: 3,
            audit_id: 12,
        }))
    }

    async fn explain_turn(
        &self,
        _request: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        not_asked()
    }

    type WatchClassStream = Streamed<WatchClassResponse>;

    async fn watch_class(
        &self,
        _request: Request<WatchClassRequest>,
    ) -> Result<Response<Self::WatchClassStream>, Status> {
        let state = self.state.lock().unwrap();
        let alerts = state
            .alerts
            .iter()
            .cloned()
            .map(watch_class_response::Event::Alert);
        let waiting = watch_class_response::Event::Waiting(state.waiting.clone());
        let events: Vec<_> = alerts
            .chain([waiting])
            .map(|event| {
                Ok(WatchClassResponse {
                    cursor: "1".to_owned(),
                    event: Some(event),
                })
            })
            .collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(events))))
    }
}

#[tonic::async_trait]
impl StudentRecordsService for Fake {
    type ExportStudentStream = Streamed<ExportStudentResponse>;

    async fn export_student(
        &self,
        _request: Request<ExportStudentRequest>,
    ) -> Result<Response<Self::ExportStudentStream>, Status> {
        let pieces = self.state.lock().unwrap().export.clone();
        let pieces = pieces.into_iter().map(|piece| match piece {
            Ok(json) => Ok(ExportStudentResponse { json: json.into() }),
            Err(()) => Err(Fault::new(ErrorReason::StorageUnavailable, "try again").into()),
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(
            pieces.collect::<Vec<_>>(),
        ))))
    }

    async fn erase_student(
        &self,
        request: Request<EraseStudentRequest>,
    ) -> Result<Response<EraseStudentResponse>, Status> {
        self.state.lock().unwrap().erased.push(request.into_inner());
        Ok(Response::new(EraseStudentResponse {
            threads: 4,
            archive_records: 2,
            audit_id: 9,
        }))
    }

    async fn list_audit_entries(
        &self,
        _request: Request<ListAuditEntriesRequest>,
    ) -> Result<Response<ListAuditEntriesResponse>, Status> {
        not_asked()
    }

    async fn run_retention(
        &self,
        _request: Request<RunRetentionRequest>,
    ) -> Result<Response<RunRetentionResponse>, Status> {
        not_asked()
    }

    async fn verify_archive(
        &self,
        _request: Request<VerifyArchiveRequest>,
    ) -> Result<Response<VerifyArchiveResponse>, Status> {
        not_asked()
    }

    async fn list_dead_letters(
        &self,
        _request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        not_asked()
    }
}
