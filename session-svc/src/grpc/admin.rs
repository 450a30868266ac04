//! What is kept of classes, and what staff do with them.

use std::pin::Pin;

use futures_util::Stream;
use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, ids};
use turnwise_proto::{
    school::v1::ResetState,
    session::v1::{
        AcknowledgeAlertRequest, AcknowledgeAlertResponse, ExportClassRequest, ExportClassResponse,
        GetClassPolicyRequest, GetClassPolicyResponse, GetClassRosterRequest,
        GetClassRosterResponse, ListAlertsRequest, ListAlertsResponse, ListClassStudentsRequest,
        ListClassStudentsResponse, RecordAccessRequest, RecordAccessResponse, ResetClassRequest,
        ResetClassResponse, SetClassPolicyRequest, SetClassPolicyResponse, SetClassRosterRequest,
        SetClassRosterResponse, WatchAlertsRequest, WatchAlertsResponse,
        session_admin_service_server::SessionAdminService,
    },
};
use turnwise_redaction::Roster;

use super::session::open;
use crate::{
    access,
    sessions::{Sessions, audit::Actor},
};

/// The most characters of a reason.
const REASON_MAX_CHARS: usize = 500;

/// Serves `turnwise.session.v1.SessionAdminService`.
pub struct AdminGrpc {
    sessions: Sessions,
}

impl AdminGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions) -> Self {
        Self { sessions }
    }
}

/// A caller who acts for a class as staff.
fn staff_of(caller: &Caller, class_id: &str) -> Result<Actor, Fault> {
    ids::check("class_id", class_id)?;
    access::staff_of_class(caller, class_id)?;
    actor(caller)
}

pub(super) fn actor(caller: &Caller) -> Result<Actor, Fault> {
    Ok(Actor {
        tenant: access::tenant(caller)?,
        id: caller.subject.clone(),
    })
}

#[tonic::async_trait]
impl SessionAdminService for AdminGrpc {
    async fn set_class_roster(
        &self,
        request: Request<SetClassRosterRequest>,
    ) -> Result<Response<SetClassRosterResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        if let Err(error) = Roster::new(&message.names) {
            return Err(Fault::invalid("names", error.to_string()).into());
        }
        self.sessions
            .set_roster(&actor, &message.class_id, message.names)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(SetClassRosterResponse {}))
    }

    async fn get_class_roster(
        &self,
        request: Request<GetClassRosterRequest>,
    ) -> Result<Response<GetClassRosterResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let names = self
            .sessions
            .get_roster(&actor.tenant, &message.class_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetClassRosterResponse { names }))
    }

    async fn reset_class(
        &self,
        request: Request<ResetClassRequest>,
    ) -> Result<Response<ResetClassResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        if message.reason.chars().count() > REASON_MAX_CHARS {
            let problem = "must have at most 500 characters";
            return Err(Fault::invalid("reason", problem).into());
        }
        let report = self
            .sessions
            .reset_class(actor, message.class_id, message.reason)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ResetClassResponse {
            state: ResetState::Done.into(),
            conversations: number(report.conversations),
            threads: number(report.threads),
            students: number(report.students),
            batches: number(report.batches),
            archive_names: report.archive_names,
            audit_id: report.audit_id,
        }))
    }

    async fn export_class(
        &self,
        request: Request<ExportClassRequest>,
    ) -> Result<Response<ExportClassResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let report = self
            .sessions
            .export_class(actor, message.class_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ExportClassResponse {
            archive_name: report.archive_name,
            conversations: number(report.conversations),
            audit_id: 0,
        }))
    }

    async fn set_class_policy(
        &self,
        _request: Request<SetClassPolicyRequest>,
    ) -> Result<Response<SetClassPolicyResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    async fn get_class_policy(
        &self,
        _request: Request<GetClassPolicyRequest>,
    ) -> Result<Response<GetClassPolicyResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    async fn list_class_students(
        &self,
        _request: Request<ListClassStudentsRequest>,
    ) -> Result<Response<ListClassStudentsResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    async fn list_alerts(
        &self,
        _request: Request<ListAlertsRequest>,
    ) -> Result<Response<ListAlertsResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    async fn acknowledge_alert(
        &self,
        _request: Request<AcknowledgeAlertRequest>,
    ) -> Result<Response<AcknowledgeAlertResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    type WatchAlertsStream =
        Pin<Box<dyn Stream<Item = Result<WatchAlertsResponse, Status>> + Send>>;

    async fn watch_alerts(
        &self,
        _request: Request<WatchAlertsRequest>,
    ) -> Result<Response<Self::WatchAlertsStream>, Status> {
        Err(Status::unimplemented("to be written"))
    }

    async fn record_access(
        &self,
        _request: Request<RecordAccessRequest>,
    ) -> Result<Response<RecordAccessResponse>, Status> {
        Err(Status::unimplemented("to be written"))
    }
}

pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
