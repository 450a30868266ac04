//! StudentRecordsService: what staff do with what is kept of students. The session service answers.

use tonic::{Request, Response, Status};
use turnwise_proto::school::v1::{
    EraseStudentRequest, EraseStudentResponse, ExportStudentRequest, ExportStudentResponse,
    ListAuditEntriesRequest, ListAuditEntriesResponse, ListDeadLettersRequest,
    ListDeadLettersResponse, RunRetentionRequest, RunRetentionResponse, VerifyArchiveRequest,
    VerifyArchiveResponse, student_records_service_server::StudentRecordsService,
};

use super::{Answers, answers};
use crate::{access::RECORDS, error::public, upstream::Upstreams};

/// Serves `turnwise.school.v1.StudentRecordsService`.
pub(crate) struct Records {
    pub(crate) upstreams: Upstreams,
}

#[tonic::async_trait]
impl StudentRecordsService for Records {
    type ExportStudentStream = Answers<ExportStudentResponse>;

    async fn export_student(
        &self,
        request: Request<ExportStudentRequest>,
    ) -> Result<Response<Self::ExportStudentStream>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .export_student(context.request(request.into_inner()))
            .await
            .map_err(|status| public(&status))?;
        Ok(Response::new(answers(answer.into_inner())))
    }

    async fn erase_student(
        &self,
        request: Request<EraseStudentRequest>,
    ) -> Result<Response<EraseStudentResponse>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .erase_student(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn list_audit_entries(
        &self,
        request: Request<ListAuditEntriesRequest>,
    ) -> Result<Response<ListAuditEntriesResponse>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .list_audit_entries(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .list_dead_letters(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn run_retention(
        &self,
        request: Request<RunRetentionRequest>,
    ) -> Result<Response<RunRetentionResponse>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .run_retention(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn verify_archive(
        &self,
        request: Request<VerifyArchiveRequest>,
    ) -> Result<Response<VerifyArchiveResponse>, Status> {
        let context = RECORDS.admit(&request)?;
        let mut records = self.upstreams.student_records.clone();
        let answer = records
            .verify_archive(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }
}
