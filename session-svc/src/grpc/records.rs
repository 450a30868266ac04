//! What staff do with what is kept of students.

use std::pin::Pin;

use super::{
    admin::{actor, reason, student},
    session::open,
};
use crate::{
    retention,
    sessions::{
        Sessions,
        audit::{Actor, AuditFilter},
    },
};
use futures_util::{Stream, StreamExt};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, Kit, PageTokens, ids, page};
use turnwise_proto::school::v1::{
    EraseStudentRequest, EraseStudentResponse, ExportStudentRequest, ExportStudentResponse,
    ListAuditEntriesRequest, ListAuditEntriesResponse, ListDeadLettersRequest,
    ListDeadLettersResponse, RunRetentionRequest, RunRetentionResponse, VerifyArchiveRequest,
    VerifyArchiveResponse, student_records_service_server::StudentRecordsService,
};

/// Pages of the audit log and of dead letters: the usual and the largest size.
const AUDIT_PAGE: (usize, usize) = (50, 200);

/// Serves `turnwise.school.v1.StudentRecordsService`.
pub struct RecordsGrpc {
    sessions: Sessions,
    pages: PageTokens,
}

impl RecordsGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions, kit: &Kit) -> Self {
        Self {
            sessions,
            pages: kit.pages.clone(),
        }
    }
}

/// A caller who acts for a tenant as staff.
fn staff(caller: &Caller) -> Result<Actor, Fault> {
    caller.require(&["service", "staff"])?;
    actor(caller)
}

#[tonic::async_trait]
impl StudentRecordsService for RecordsGrpc {
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
        reason(&message.reason)?;
        let report = self
            .sessions
            .erase_student(actor, student, message.reason)
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
        let filter = AuditFilter {
            student_id: message.student_id,
            class_id: message.class_id,
        };
        for (field, id) in [
            ("student_id", &filter.student_id),
            ("class_id", &filter.class_id),
        ] {
            if !id.is_empty() {
                ids::check(field, id)?;
            }
        }
        let about = [filter.student_id.as_str(), &filter.class_id];
        let pages = self.pages.list("ListAuditEntries", Some(&caller), &about);
        let before = pages.start(&message.page_token)?;
        let page = self
            .sessions
            .audit_entries(&actor.tenant, &filter, before, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListAuditEntriesResponse {
            entries: page.entries,
            next_page_token: pages.next(page.before),
        }))
    }

    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff(&caller)?;
        let limit = page::size(message.page_size, AUDIT_PAGE.0, AUDIT_PAGE.1)?;
        let pages = self.pages.list("ListDeadLetters", Some(&caller), &[]);
        let before = pages.start(&message.page_token)?;
        let page = self
            .sessions
            .dead_letters(&actor.tenant, before, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListDeadLettersResponse {
            dead_letters: page.dead_letters,
            next_page_token: pages.next(page.before),
        }))
    }

    async fn run_retention(
        &self,
        request: Request<RunRetentionRequest>,
    ) -> Result<Response<RunRetentionResponse>, Status> {
        let (caller, RunRetentionRequest {}) = open(request)?;
        let actor = staff(&caller)?;
        self.sessions
            .note_retention(&actor)
            .await
            .map_err(Fault::from)?;
        let archives = retention::run(&self.sessions).await.map_err(Fault::from)?;
        Ok(Response::new(RunRetentionResponse {
            archives: number(archives),
        }))
    }

    async fn verify_archive(
        &self,
        request: Request<VerifyArchiveRequest>,
    ) -> Result<Response<VerifyArchiveResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff(&caller)?;
        let report = self
            .sessions
            .verify_archive(&actor.tenant, message.archive_name)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(VerifyArchiveResponse {
            intact: report.is_intact(),
            records: number(report.records),
            erased_records: number(report.erased),
            chain: report.chain,
            problem: report
                .fault
                .map_or_else(String::new, |(line, fault)| format!("line {line}: {fault}")),
        }))
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
