//! The echo: a call whose request is padded to a size and says how large the response shall be.
//!
//! The exam system's contract is borrowed for it, so that the bytes go through the same generated code as the suite's.

use prost::Message;
use tonic::{Request, Response, Status, service::Routes, transport::Channel};
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
    GetQuestionResponse, QuestionStatus, RecordSupportViewRequest, RecordSupportViewResponse,
    SubmitAnswerRequest, SubmitAnswerResponse, exam_service_client::ExamServiceClient,
    exam_service_server::ExamService,
};

use super::{Bytes, store::Step};

/// A request of so many bytes for a response of so many.
pub(super) fn request_of(bytes: Bytes, step: Step) -> BatchGetQuestionStatusRequest {
    let of_padding = |length: usize| BatchGetQuestionStatusRequest {
        student_id: String::new(),
        course_id: step.as_str().to_owned(),
        question_ids: vec!["x".repeat(length), bytes.response.to_string()],
        ..BatchGetQuestionStatusRequest::default()
    };
    let over = of_padding(bytes.request).encoded_len() - bytes.request;
    of_padding(bytes.request.saturating_sub(over))
}

/// The load generator's request for a turn.
pub fn front_request(bytes: Bytes) -> BatchGetQuestionStatusRequest {
    request_of(bytes, Step::None)
}

/// A response of so many bytes.
pub fn reply_of(bytes: usize) -> BatchGetQuestionStatusResponse {
    let of_padding = |length: usize| BatchGetQuestionStatusResponse {
        statuses: vec![QuestionStatus {
            question_id: "x".repeat(length),
            ..QuestionStatus::default()
        }],
    };
    // A tag and a length for the list's entry and for its text: one byte and one to three bytes each.
    let over = of_padding(bytes).encoded_len() - bytes;
    of_padding(bytes.saturating_sub(over))
}

/// The size that a request asks for.
fn wanted(request: &BatchGetQuestionStatusRequest) -> usize {
    request
        .question_ids
        .last()
        .and_then(|size| size.parse().ok())
        .unwrap_or(0)
}

/// One that can be called: over a socket or in this process.
pub(super) trait Peer: Clone + Send + Sync + 'static {
    /// Calls it.
    fn call(
        &self,
        request: &BatchGetQuestionStatusRequest,
    ) -> impl Future<Output = Result<(), Status>> + Send;
}

impl Peer for ExamServiceClient<Channel> {
    async fn call(&self, request: &BatchGetQuestionStatusRequest) -> Result<(), Status> {
        let mut client = self.clone();
        client
            .batch_get_question_status(request.clone())
            .await
            .map(drop)
    }
}

impl Peer for ExamServiceClient<Routes> {
    async fn call(&self, request: &BatchGetQuestionStatusRequest) -> Result<(), Status> {
        let mut client = self.clone();
        client
            .batch_get_question_status(request.clone())
            .await
            .map(drop)
    }
}

/// Answers as asked, after the store's round trip if the request names one.
pub(super) struct Echo<S> {
    pub(super) store: S,
}

#[tonic::async_trait]
impl<S: super::store::Bare> ExamService for Echo<S> {
    async fn batch_get_question_status(
        &self,
        request: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let request = request.into_inner();
        match request.course_id.as_str() {
            "begin" => self.store.begin().await,
            "commit" => self.store.commit().await,
            _ => {}
        }
        Ok(Response::new(reply_of(wanted(&request))))
    }

    async fn submit_answer(
        &self,
        _: Request<SubmitAnswerRequest>,
    ) -> Result<Response<SubmitAnswerResponse>, Status> {
        Err(not_borrowed())
    }

    async fn record_support_view(
        &self,
        _: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        Err(not_borrowed())
    }

    async fn get_question(
        &self,
        _: Request<GetQuestionRequest>,
    ) -> Result<Response<GetQuestionResponse>, Status> {
        Err(not_borrowed())
    }
}

/// The answer of the contract's other calls, which no floor makes.
pub(super) fn not_borrowed() -> Status {
    Status::unimplemented("a floor has one call")
}
