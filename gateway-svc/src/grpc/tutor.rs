//! TutorService.

use std::{sync::Arc, time::Duration};

use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::tutor::v1::{
    CreateThreadRequest, CreateThreadResponse, GetExamQuestionRequest, GetExamQuestionResponse,
    GetSnapshotLiteRequest, GetSnapshotLiteResponse, GetThreadRequest, GetThreadResponse,
    GradeDrillRequest, GradeDrillResponse, ListThreadsRequest, ListThreadsResponse,
    RecordSupportViewRequest, RecordSupportViewResponse, StreamTurnRequest, StreamTurnResponse,
    SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest, TakeTurnResponse,
    stream_turn_response::News, tutor_service_server::TutorService,
};

use super::told;
use crate::{
    access::TUTOR,
    address::address_of,
    conversation::{Core, Progress},
    evidence::Evidence,
    limits::{CallLimit, Kind},
    standing, threads, turn,
    upstream::check_time,
};

/// What a call keeps back that has no fallback.
const NONE: Duration = Duration::ZERO;

/// Serves `turnwise.tutor.v1.TutorService`.
pub(crate) struct Tutor {
    pub(crate) core: Arc<Core>,
    pub(crate) evidence: Arc<Evidence>,
    pub(crate) limits: Arc<CallLimit>,
    pub(crate) trusted_proxies: usize,
}

impl Tutor {
    /// The call's context, if a student made it, gave it enough time and has calls of this kind left. `reserve` is what the
    /// call keeps back of its time.
    async fn admit<T: Sync>(
        &self,
        request: &Request<T>,
        kind: Kind,
        reserve: Duration,
    ) -> Result<CallContext, Fault> {
        let context = TUTOR.admit(request)?;
        check_time(&context, reserve)?;
        self.limits.check(context.caller()?, kind).await?;
        Ok(context)
    }
}

#[tonic::async_trait]
impl TutorService for Tutor {
    async fn create_thread(
        &self,
        request: Request<CreateThreadRequest>,
    ) -> Result<Response<CreateThreadResponse>, Status> {
        let context = self.admit(&request, Kind::Act, NONE).await?;
        let caller = context.caller()?;
        let answer = threads::create(&self.core, &context, caller, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_threads(
        &self,
        request: Request<ListThreadsRequest>,
    ) -> Result<Response<ListThreadsResponse>, Status> {
        let context = self.admit(&request, Kind::Read, NONE).await?;
        let caller = context.caller()?;
        let answer = threads::list(&self.core, &context, caller, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn get_thread(
        &self,
        request: Request<GetThreadRequest>,
    ) -> Result<Response<GetThreadResponse>, Status> {
        let context = self.admit(&request, Kind::Read, NONE).await?;
        let caller = context.caller()?;
        let answer = threads::read(&self.core, &context, caller, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn take_turn(
        &self,
        request: Request<TakeTurnRequest>,
    ) -> Result<Response<TakeTurnResponse>, Status> {
        let context = self
            .admit(&request, Kind::Act, self.core.reply_reserve)
            .await?;
        let caller = context.caller()?;
        let address = address_of(&request, self.trusted_proxies);
        let (turn, nobody) = (request.into_inner(), Progress::default());
        // A turn is large: on the heap it makes the futures around it no larger.
        let taking = turn::take(&self.core, &context, caller, turn, address, &nobody);
        let answer = Box::pin(taking).await?;
        Ok(Response::new(answer))
    }

    type StreamTurnStream = ReceiverStream<Result<StreamTurnResponse, Status>>;

    async fn stream_turn(
        &self,
        request: Request<StreamTurnRequest>,
    ) -> Result<Response<Self::StreamTurnStream>, Status> {
        let context = self
            .admit(&request, Kind::Act, self.core.reply_reserve)
            .await?;
        let caller = context.caller()?.clone();
        let address = address_of(&request, self.trusted_proxies);
        let turn = request.into_inner().turn.ok_or_else(|| {
            Fault::invalid("turn", "is missing; send the turn that is to be taken")
        })?;
        let core = Arc::clone(&self.core);
        let progressed = |progress| StreamTurnResponse {
            news: Some(News::Progress(progress)),
        };
        let answered = |answer| StreamTurnResponse {
            news: Some(News::Answer(answer)),
        };
        let stream = told(
            &self.core.kit,
            progressed,
            answered,
            |progress| async move {
                let taking = turn::take(&core, &context, &caller, turn, address, &progress);
                Box::pin(taking).await.map_err(Status::from)
            },
        );
        Ok(Response::new(stream))
    }

    async fn grade_drill(
        &self,
        request: Request<GradeDrillRequest>,
    ) -> Result<Response<GradeDrillResponse>, Status> {
        let context = self.admit(&request, Kind::Act, NONE).await?;
        let address = address_of(&request, self.trusted_proxies);
        let request = request.into_inner();
        let course_id = request.course_id.clone();
        let mut graded = self
            .evidence
            .detached(|evidence, disconnected| async move {
                let caller = context.caller()?;
                evidence
                    .grade_drill(&context, caller, request, address, &disconnected)
                    .await
            })
            .await?;
        graded.notice_texts = self.core.notice_texts(&course_id, &graded.notices);
        Ok(Response::new(graded))
    }

    async fn submit_exam_answer(
        &self,
        request: Request<SubmitExamAnswerRequest>,
    ) -> Result<Response<SubmitExamAnswerResponse>, Status> {
        let context = self.admit(&request, Kind::Act, NONE).await?;
        let request = request.into_inner();
        let course_id = request.course_id.clone();
        let mut submitted = self
            .evidence
            .detached(|evidence, _| async move {
                let caller = context.caller()?;
                evidence.submit_exam_answer(&context, caller, request).await
            })
            .await?;
        submitted.notice_texts = self.core.notice_texts(&course_id, &submitted.notices);
        Ok(Response::new(submitted))
    }

    async fn record_support_view(
        &self,
        request: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        let context = self.admit(&request, Kind::Act, NONE).await?;
        let request = request.into_inner();
        let viewed = self
            .evidence
            .detached(|evidence, _| async move {
                let caller = context.caller()?;
                evidence
                    .record_support_view(&context, caller, request)
                    .await
            })
            .await?;
        Ok(Response::new(viewed))
    }

    async fn get_exam_question(
        &self,
        request: Request<GetExamQuestionRequest>,
    ) -> Result<Response<GetExamQuestionResponse>, Status> {
        let context = self.admit(&request, Kind::Read, NONE).await?;
        let caller = context.caller()?;
        let question = self
            .evidence
            .get_exam_question(&context, caller, request.into_inner())
            .await?;
        Ok(Response::new(question))
    }

    async fn get_snapshot_lite(
        &self,
        request: Request<GetSnapshotLiteRequest>,
    ) -> Result<Response<GetSnapshotLiteResponse>, Status> {
        let context = self.admit(&request, Kind::Read, NONE).await?;
        let caller = context.caller()?;
        let course_id = request.into_inner().course_id;
        let answer = standing::read(&self.core, &context, caller, &course_id).await?;
        Ok(Response::new(answer))
    }
}
