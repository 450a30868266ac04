//! ClassService.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    school::v1::{
        AcknowledgeAlertRequest, AcknowledgeAlertResponse, BeginPlacementRequest,
        BeginPlacementResponse, ClassReportRequest, ClassReportResponse, ExplainTurnRequest,
        ExplainTurnResponse, ExportClassRequest, ExportClassResponse, GetClassPolicyRequest,
        GetClassPolicyResponse, GetClassRosterRequest, GetClassRosterResponse,
        ListEscalationsRequest, ListEscalationsResponse, ListSafeguardingAlertsRequest,
        ListSafeguardingAlertsResponse, ListStuckStudentsRequest, ListStuckStudentsResponse,
        MarkPrerequisiteMetRequest, MarkPrerequisiteMetResponse, ResetClassConversationsRequest,
        ResetClassConversationsResponse, ResolveEscalationRequest, ResolveEscalationResponse,
        SetClassPolicyRequest, SetClassPolicyResponse, SetClassRosterRequest,
        SetClassRosterResponse, UndoPlacementRequest, UndoPlacementResponse,
        UnmarkPrerequisiteMetRequest, UnmarkPrerequisiteMetResponse, WatchClassRequest,
        WatchClassResponse, class_service_server::ClassService,
    },
    session::v1::{self as session, MarkPrerequisiteRequest},
};

use super::Answers;
use crate::{
    access::{Access, CLASSES, RESET, TEACHER, check_class},
    explain,
    limits::{CallLimit, Kind},
    school::School,
    upstream::check_time,
};

/// Serves `turnwise.school.v1.ClassService`.
pub(crate) struct Classes {
    pub(crate) school: Arc<School>,
    pub(crate) limits: Arc<CallLimit>,
}

impl Classes {
    /// The context and the message of a call about a class, if its caller may make it. Teachers have as many calls as
    /// students; programs and those who look after a tenant are not counted.
    async fn open<T>(
        &self,
        line: &Access,
        kind: Kind,
        request: Request<T>,
        class_id: fn(&T) -> &str,
    ) -> Result<(CallContext, T), Fault> {
        let context = line.admit(&request)?;
        let message = request.into_inner();
        let caller = context.caller()?;
        check_class(caller, class_id(&message))?;
        check_time(&context, Duration::ZERO)?;
        if caller.is(TEACHER) {
            self.limits.check(caller, kind).await?;
        }
        Ok((context, message))
    }
}

#[tonic::async_trait]
impl ClassService for Classes {
    async fn set_class_roster(
        &self,
        request: Request<SetClassRosterRequest>,
    ) -> Result<Response<SetClassRosterResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.set_roster(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn get_class_roster(
        &self,
        request: Request<GetClassRosterRequest>,
    ) -> Result<Response<GetClassRosterResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.roster(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn set_class_policy(
        &self,
        request: Request<SetClassPolicyRequest>,
    ) -> Result<Response<SetClassPolicyResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.set_policy(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn get_class_policy(
        &self,
        request: Request<GetClassPolicyRequest>,
    ) -> Result<Response<GetClassPolicyResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.policy(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn mark_prerequisite_met(
        &self,
        request: Request<MarkPrerequisiteMetRequest>,
    ) -> Result<Response<MarkPrerequisiteMetResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let mark = MarkPrerequisiteRequest {
            class_id: request.class_id,
            student_id: request.student_id,
            course_id: request.course_id,
            unit_id: request.unit_id,
            met: true,
            idempotency_key: request.idempotency_key,
        };
        let unit_ids = self.school.mark(&context, mark).await?;
        Ok(Response::new(MarkPrerequisiteMetResponse { unit_ids }))
    }

    async fn unmark_prerequisite_met(
        &self,
        request: Request<UnmarkPrerequisiteMetRequest>,
    ) -> Result<Response<UnmarkPrerequisiteMetResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let mark = MarkPrerequisiteRequest {
            class_id: request.class_id,
            student_id: request.student_id,
            course_id: request.course_id,
            unit_id: request.unit_id,
            met: false,
            idempotency_key: request.idempotency_key,
        };
        let unit_ids = self.school.mark(&context, mark).await?;
        Ok(Response::new(UnmarkPrerequisiteMetResponse { unit_ids }))
    }

    async fn begin_placement(
        &self,
        request: Request<BeginPlacementRequest>,
    ) -> Result<Response<BeginPlacementResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let begin = session::BeginPlacementsRequest {
            class_id: request.class_id,
            course_id: request.course_id,
            idempotency_key: request.idempotency_key,
        };
        self.school.begin_placements(&context, begin).await?;
        Ok(Response::new(BeginPlacementResponse {}))
    }

    async fn undo_placement(
        &self,
        request: Request<UndoPlacementRequest>,
    ) -> Result<Response<UndoPlacementResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let undo = session::UndoPlacementRequest {
            class_id: request.class_id,
            student_id: request.student_id,
            course_id: request.course_id,
            unit_id: request.unit_id,
            idempotency_key: request.idempotency_key,
        };
        let unit_ids = self.school.undo_placement(&context, undo).await?;
        Ok(Response::new(UndoPlacementResponse { unit_ids }))
    }

    async fn class_report(
        &self,
        request: Request<ClassReportRequest>,
    ) -> Result<Response<ClassReportResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.report(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn list_stuck_students(
        &self,
        request: Request<ListStuckStudentsRequest>,
    ) -> Result<Response<ListStuckStudentsResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.stuck(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn list_safeguarding_alerts(
        &self,
        request: Request<ListSafeguardingAlertsRequest>,
    ) -> Result<Response<ListSafeguardingAlertsResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.alerts(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn acknowledge_alert(
        &self,
        request: Request<AcknowledgeAlertRequest>,
    ) -> Result<Response<AcknowledgeAlertResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.acknowledge(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn list_escalations(
        &self,
        request: Request<ListEscalationsRequest>,
    ) -> Result<Response<ListEscalationsResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let answer = self.school.escalations(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn resolve_escalation(
        &self,
        request: Request<ResolveEscalationRequest>,
    ) -> Result<Response<ResolveEscalationResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.resolve_escalation(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn reset_class_conversations(
        &self,
        request: Request<ResetClassConversationsRequest>,
    ) -> Result<Response<ResetClassConversationsResponse>, Status> {
        let (context, request) = self
            .open(&RESET, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.reset(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn export_class(
        &self,
        request: Request<ExportClassRequest>,
    ) -> Result<Response<ExportClassResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Act, request, |r| &r.class_id)
            .await?;
        let answer = self.school.export(&context, request).await?;
        Ok(Response::new(answer))
    }

    async fn explain_turn(
        &self,
        request: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let (record, explanation) = explain::turn(
            &self.school.upstreams,
            &context,
            &request.student_id,
            &request.turn_id,
            Some(&request.class_id),
        )
        .await?;
        Ok(Response::new(ExplainTurnResponse {
            record: Some(record),
            explanation,
        }))
    }

    type WatchClassStream = Answers<WatchClassResponse>;

    async fn watch_class(
        &self,
        request: Request<WatchClassRequest>,
    ) -> Result<Response<Self::WatchClassStream>, Status> {
        let (context, request) = self
            .open(&CLASSES, Kind::Read, request, |r| &r.class_id)
            .await?;
        let news = self.school.watch(&context, request).await?;
        Ok(Response::new(Box::pin(
            news.map(|next| next.map_err(Status::from)),
        )))
    }
}
