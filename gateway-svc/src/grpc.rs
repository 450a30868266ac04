//! TutorService: checks what comes in, asks the services, hands out the answer.

use std::sync::Arc;

use prost::Message;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tracing::Instrument;
use turnwise_kit::{CallContext, Fault, Kit, ids, page, time};
use turnwise_proto::{
    policy::v1::{DescribeStandingRequest, GetCourseRequest},
    session::v1 as session,
    tutor::v1::{
        CreateThreadRequest, CreateThreadResponse, DegradedReason, GetExamQuestionRequest,
        GetExamQuestionResponse, GetSnapshotLiteRequest, GetSnapshotLiteResponse, GetThreadRequest,
        GetThreadResponse, GradeDrillRequest, GradeDrillResponse, ListThreadsRequest,
        ListThreadsResponse, RecordSupportViewRequest, RecordSupportViewResponse,
        StreamTurnRequest, StreamTurnResponse, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        TakeTurnRequest, TakeTurnResponse, stream_turn_response::News,
        tutor_service_server::TutorService,
    },
};

use crate::{
    address::client_address,
    evidence::Evidence,
    exam::ExamPort,
    limits::CallLimit,
    turn::{Progress, Turns},
    upstream::{Step, Upstreams},
};

/// The most characters of a thread's title.
const TITLE_MAX_CHARS: usize = 200;
/// The most exam questions to come back to that a standing asks about.
const REVISITED: usize = 100;
/// How much news of a turn waits for a slow reader.
const NEWS: usize = 32;
/// The role that talks to the tutor.
const STUDENT: &str = "student";

/// The public face.
pub struct Tutor {
    pub(crate) upstreams: Upstreams,
    pub(crate) turns: Arc<Turns>,
    pub(crate) exam: ExamPort,
    pub(crate) evidence: Arc<Evidence>,
    pub(crate) limit: CallLimit,
    pub(crate) trusted_proxies: usize,
    pub(crate) kit: Kit,
}

impl Tutor {
    /// The call's context, if a student made it and has calls left.
    async fn admit<T: Sync>(&self, request: &Request<T>) -> Result<CallContext, Fault> {
        let context = CallContext::of(request);
        let caller = context.caller()?;
        caller.require(&[STUDENT])?;
        self.limit.check(caller).await?;
        Ok(context)
    }
}

#[tonic::async_trait]
impl TutorService for Tutor {
    async fn create_thread(
        &self,
        request: Request<CreateThreadRequest>,
    ) -> Result<Response<CreateThreadResponse>, Status> {
        let context = self.admit(&request).await?;
        let caller = context.caller()?;
        let mut request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        ids::check("class_id", &request.class_id)?;
        ids::check_key("idempotency_key", &request.idempotency_key)?;
        if !caller.groups.contains(&request.class_id) {
            return Err(Fault::new(
                turnwise_proto::common::v1::ErrorReason::PermissionDenied,
                "the token does not name this class",
            )
            .meta("need", "class")
            .field("class_id", "is no class of the token")
            .into());
        }
        if request.title.chars().count() > TITLE_MAX_CHARS
            || request.title.chars().any(char::is_control)
        {
            return Err(Fault::invalid(
                "title",
                format!("must have at most {TITLE_MAX_CHARS} characters and no control characters"),
            )
            .into());
        }
        let key = std::mem::take(&mut request.idempotency_key);
        let body_hash = Sha256::digest(request.encode_to_vec()).to_vec();
        // The store does not know courses; the policy does.
        self.upstreams
            .policy
            .clone()
            .get_course(Step::Policy.of(&context).request(GetCourseRequest {
                course_id: request.course_id.clone(),
            }))
            .await
            .map_err(|status| Step::Policy.fault(&context, &status))?;
        let response = self
            .upstreams
            .session
            .clone()
            .create_thread(
                Step::Session
                    .of(&context)
                    .request(session::CreateThreadRequest {
                        student_id: caller.subject.clone(),
                        course_id: request.course_id,
                        class_id: request.class_id,
                        title: request.title,
                        idempotency_key: key,
                        body_hash: body_hash.into(),
                        kind: session::ThreadKind::Tutor.into(),
                    }),
            )
            .await
            .map_err(|status| Step::Session.fault(&context, &status))?
            .into_inner();
        Ok(Response::new(CreateThreadResponse {
            thread: response.thread,
        }))
    }

    async fn list_threads(
        &self,
        request: Request<ListThreadsRequest>,
    ) -> Result<Response<ListThreadsResponse>, Status> {
        let context = self.admit(&request).await?;
        let caller = context.caller()?;
        let request = request.into_inner();
        let page_size = page::size(request.page_size, 20, 100)?;
        let response = self
            .upstreams
            .session
            .clone()
            .list_threads(
                Step::Session
                    .of(&context)
                    .request(session::ListThreadsRequest {
                        student_id: caller.subject.clone(),
                        page_size: page_size as i32,
                        page_token: request.page_token,
                    }),
            )
            .await
            .map_err(|status| Step::Session.fault(&context, &status))?
            .into_inner();
        Ok(Response::new(ListThreadsResponse {
            threads: response.threads,
            next_page_token: response.next_page_token,
        }))
    }

    async fn get_thread(
        &self,
        request: Request<GetThreadRequest>,
    ) -> Result<Response<GetThreadResponse>, Status> {
        let context = self.admit(&request).await?;
        let caller = context.caller()?;
        let request = request.into_inner();
        ids::check("thread_id", &request.thread_id)?;
        let page_size = page::size(request.page_size, 50, 200)?;
        let response = self
            .upstreams
            .session
            .clone()
            .get_thread(
                Step::Session
                    .of(&context)
                    .request(session::GetThreadRequest {
                        student_id: caller.subject.clone(),
                        thread_id: request.thread_id,
                        page_size: page_size as i32,
                        page_token: request.page_token,
                    }),
            )
            .await
            .map_err(|status| Step::Session.fault(&context, &status))?
            .into_inner();
        Ok(Response::new(GetThreadResponse {
            thread: response.thread,
            messages: response.messages,
            next_page_token: response.next_page_token,
        }))
    }

    async fn take_turn(
        &self,
        request: Request<TakeTurnRequest>,
    ) -> Result<Response<TakeTurnResponse>, Status> {
        let context = self.admit(&request).await?;
        let caller = context.caller()?;
        let address = client_address(&request, self.trusted_proxies);
        let nobody = Progress::default();
        let answer = self
            .turns
            .take(&context, caller, request.into_inner(), address, &nobody)
            .await?;
        Ok(Response::new(answer))
    }

    type StreamTurnStream = ReceiverStream<Result<StreamTurnResponse, Status>>;

    async fn stream_turn(
        &self,
        request: Request<StreamTurnRequest>,
    ) -> Result<Response<Self::StreamTurnStream>, Status> {
        let context = self.admit(&request).await?;
        let caller = context.caller()?.clone();
        let address = client_address(&request, self.trusted_proxies);
        let turn = request.into_inner().turn.ok_or_else(|| {
            Fault::invalid("turn", "is missing; send the turn that is to be taken")
        })?;
        let (news, watched) = mpsc::channel(NEWS);
        let turns = Arc::clone(&self.turns);
        let work = async move {
            let told = news.clone();
            let progress = Progress::watched(Box::new(move |progress| {
                // News that a slow reader has no room for is old by the time it has.
                let _ = told.try_send(Ok(StreamTurnResponse {
                    news: Some(News::Progress(progress)),
                }));
            }));
            let taken = tokio::select! {
                biased;
                taken = turns.take(&context, &caller, turn, address, &progress) => taken,
                // Nobody reads any more: the turn is given up, and the model's call with it.
                () = news.closed() => return,
            };
            let last = taken
                .map_err(Status::from)
                .map(|answer| StreamTurnResponse {
                    news: Some(News::Answer(answer)),
                });
            let _ = news.send(last).await;
        };
        self.kit.tasks.spawn(work.in_current_span());
        Ok(Response::new(ReceiverStream::new(watched)))
    }

    async fn grade_drill(
        &self,
        request: Request<GradeDrillRequest>,
    ) -> Result<Response<GradeDrillResponse>, Status> {
        let context = self.admit(&request).await?;
        let address = client_address(&request, self.trusted_proxies);
        let request = request.into_inner();
        let graded = self
            .evidence
            .to_the_end(|evidence, gone| async move {
                let caller = context.caller()?;
                evidence
                    .grade_drill(&context, caller, request, address, &gone)
                    .await
            })
            .await?;
        Ok(Response::new(graded))
    }

    async fn submit_exam_answer(
        &self,
        request: Request<SubmitExamAnswerRequest>,
    ) -> Result<Response<SubmitExamAnswerResponse>, Status> {
        let context = self.admit(&request).await?;
        let request = request.into_inner();
        let submitted = self
            .evidence
            .to_the_end(|evidence, _| async move {
                let caller = context.caller()?;
                evidence.submit_exam_answer(&context, caller, request).await
            })
            .await?;
        Ok(Response::new(submitted))
    }

    async fn record_support_view(
        &self,
        request: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        let context = self.admit(&request).await?;
        let request = request.into_inner();
        let viewed = self
            .evidence
            .to_the_end(|evidence, _| async move {
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
        let context = self.admit(&request).await?;
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
        let context = self.admit(&request).await?;
        let caller = context.caller()?;
        let course_id = request.into_inner().course_id;
        ids::check("course_id", &course_id)?;
        let read = self
            .upstreams
            .session
            .clone()
            .get_snapshot(
                Step::Session
                    .of(&context)
                    .request(session::GetSnapshotRequest {
                        student_id: caller.subject.clone(),
                        course_id: course_id.clone(),
                    }),
            )
            .await
            .map_err(|status| Step::Session.fault(&context, &status))?
            .into_inner();
        let snapshot = read.snapshot.unwrap_or_default();
        let revisit = snapshot
            .evidence
            .iter()
            .flat_map(|e| &e.revisit_queue)
            .take(REVISITED)
            .map(|entry| entry.question_id.clone())
            .collect();
        let statuses = self
            .exam
            .statuses(
                &context,
                &caller.subject,
                &course_id,
                revisit,
                &read.question_records,
            )
            .await;
        let degraded = statuses
            .is_none()
            .then_some(i32::from(DegradedReason::ExamApiUnavailable));
        let response = self
            .upstreams
            .policy
            .clone()
            .describe_standing(Step::Policy.of(&context).request(DescribeStandingRequest {
                course_id,
                snapshot: Some(snapshot),
                statuses: statuses.unwrap_or_default(),
                now: Some(time::to_proto(self.kit.clock.now())),
            }))
            .await
            .map_err(|status| Step::Policy.fault(&context, &status))?
            .into_inner();
        Ok(Response::new(GetSnapshotLiteResponse {
            snapshot_lite: response.standing,
            degraded_reasons: degraded.into_iter().collect(),
        }))
    }
}
