//! The built-in exam system as a gRPC service.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Clock, Fault, ids};
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, exam_service_server::ExamService,
};

use super::check;
use crate::{access, exam, sessions::Sessions};

/// Serves `turnwise.exam.v1.ExamService`.
pub struct ExamGrpc {
    sessions: Sessions,
    clock: Arc<dyn Clock>,
}

impl ExamGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions, clock: Arc<dyn Clock>) -> Self {
        Self { sessions, clock }
    }
}

#[tonic::async_trait]
impl ExamService for ExamGrpc {
    async fn batch_get_question_status(
        &self,
        request: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let context = CallContext::of(&request);
        let message = request.into_inner();
        ids::check("student_id", &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        check::question_ids(&message.question_ids)?;
        let student = access::student(context.caller()?, &message.student_id)?;
        let records = self
            .sessions
            .question_records(&student, &message.course_id, &message.question_ids)
            .await
            .map_err(Fault::from)?;
        let now = self.clock.now();
        let statuses = message
            .question_ids
            .iter()
            .zip(&records)
            .map(|(id, record)| exam::status(id, record.as_ref(), now))
            .collect();
        Ok(Response::new(BatchGetQuestionStatusResponse { statuses }))
    }
}
