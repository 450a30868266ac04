//! What staff and maintenance do with whole classes and students.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, Kit, PageTokens, ids, page};
use turnwise_proto::session::v1::{
    EraseStudentRequest, EraseStudentResponse, ExportClassRequest, ExportClassResponse,
    ExportStudentRequest, ExportStudentResponse, GetClassRosterRequest, GetClassRosterResponse,
    ListAuditEntriesRequest, ListAuditEntriesResponse, ResetClassRequest, ResetClassResponse,
    RunRetentionRequest, RunRetentionResponse, SetClassRosterRequest, SetClassRosterResponse,
    session_admin_service_server::SessionAdminService,
};
use turnwise_redaction::Roster;
use turnwise_session_store::StudentKey;

use super::session::open;
use crate::{
    access, retention,
    sessions::{Sessions, audit::Actor},
};

/// Pages of the audit log: the usual and the largest size.
const AUDIT_PAGE: (usize, usize) = (50, 200);
/// The most characters of a reason.
const REASON_MAX_CHARS: usize = 500;

/// Serves `turnwise.session.v1.SessionAdminService`.
pub struct AdminGrpc {
    sessions: Sessions,
    pages: PageTokens,
}

impl AdminGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions, kit: &Kit) -> Self {
        Self {
            sessions,
            pages: kit.pages.clone(),
        }
    }
}

/// A caller who acts for a class as staff.
fn staff_of(caller: &Caller, class_id: &str) -> Result<Actor, Fault> {
    ids::check("class_id", class_id)?;
    access::staff_of_class(caller, class_id)?;
    actor(caller)
}

/// A caller who acts for a tenant as staff.
fn staff(caller: &Caller) -> Result<Actor, Fault> {
    caller.require(&["service", "staff"])?;
    actor(caller)
}

fn actor(caller: &Caller) -> Result<Actor, Fault> {
    Ok(Actor {
        tenant: access::tenant(caller)?,
        id: caller.subject.clone(),
    })
}

fn student(actor: &Actor, student_id: &str) -> Result<StudentKey, Fault> {
    ids::check("student_id", student_id)?;
    Ok(StudentKey {
        tenant: actor.tenant.clone(),
        student: student_id.to_owned(),
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
        }))
    }

    type ExportStudentStream =
        Pin<Box<dyn Stream<Item = Result<ExportStudentResponse, Status>> + Send>>;

    async fn export_student(
        &self,
        request: Request<ExportStudentRequest>,
    ) -> Result<Response<Self::ExportStudentStream>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff(&caller)?;
        let student = student(&actor, &message.student_id)?;
        let receiver = self
            .sessions
            .export_student(actor, student)
            .await
            .map_err(Fault::from)?;
        let pieces = ReceiverStream::new(receiver).map(|next| match next {
            Ok(json) => Ok(ExportStudentResponse { json }),
            Err(error) => Err(Fault::from(error).into()),
        });
        Ok(Response::new(Box::pin(pieces)))
    }

    async fn erase_student(
        &self,
        request: Request<EraseStudentRequest>,
    ) -> Result<Response<EraseStudentResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff(&caller)?;
        let student = student(&actor, &message.student_id)?;
        let report = self
            .sessions
            .erase_student(actor, student)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(EraseStudentResponse {
            threads: number(report.threads),
            archive_records: number(report.archive_records),
            audit_id: report.audit_id,
        }))
    }

    async fn list_audit_entries(
        &self,
        request: Request<ListAuditEntriesRequest>,
    ) -> Result<Response<ListAuditEntriesResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff(&caller)?;
        let limit = page::size(message.page_size, AUDIT_PAGE.0, AUDIT_PAGE.1)?;
        let pages = self.pages.list("ListAuditEntries", Some(&caller), &[]);
        let before = pages.start(&message.page_token)?;
        let page = self
            .sessions
            .audit_entries(&actor.tenant, before, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListAuditEntriesResponse {
            entries: page.entries,
            next_page_token: pages.next(page.before),
        }))
    }

    async fn run_retention(
        &self,
        request: Request<RunRetentionRequest>,
    ) -> Result<Response<RunRetentionResponse>, Status> {
        let (caller, RunRetentionRequest {}) = open(request)?;
        staff(&caller)?;
        let archives = retention::run(&self.sessions).await.map_err(Fault::from)?;
        Ok(Response::new(RunRetentionResponse {
            archives: number(archives),
        }))
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
