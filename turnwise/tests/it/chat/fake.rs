//! A tutor behind a real socket that plays the whole loop by a script, remembers what it was asked, and can be made to
//! fail.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{
    Stream,
    wrappers::{ReceiverStream, TcpListenerStream},
};
use tonic::{Request, Response, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{
        ExplainTurnRequest, ExplainTurnResponse,
        explain_service_server::{ExplainService, ExplainServiceServer},
    },
    tutor::v1::{
        CreateThreadRequest, CreateThreadResponse, DegradedReason, GetExamQuestionRequest,
        GetExamQuestionResponse, GetSnapshotLiteRequest, GetSnapshotLiteResponse, GetThreadRequest,
        GetThreadResponse, GradeDrillRequest, GradeDrillResponse, ListThreadsRequest,
        ListThreadsResponse, RecordSupportViewRequest, RecordSupportViewResponse,
        StreamTurnRequest, StreamTurnResponse, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        TakeTurnRequest, TakeTurnResponse, Thread, TurnProgress, TurnStage, TutorMessage,
        stream_turn_response::News,
        tutor_service_server::{TutorService, TutorServiceServer},
    },
};

use super::scripted_tutor;

/// The student's token.
pub(super) const TOKEN: &str = "token-of-ada";
/// The token that opens the drawer.
pub(super) const STAFF_TOKEN: &str = "token-of-a-member-of-staff";
/// Its only thread.
pub(super) const THREAD: &str = "11111111-2222-4333-8444-555555555555";

/// What goes wrong with the next call, instead of an answer.
#[derive(Clone)]
pub(super) enum Trouble {
    /// No thread is opened.
    NoThread(Fault),
    /// It is refused.
    Refused(Fault),
    /// The stream of a turn ends after its first news.
    Broken,
    /// A turn is taken, and only its answer is lost.
    AnswerLost,
    /// No answer comes any more.
    Silent,
}

#[derive(Default)]
struct State {
    turns: Vec<TakeTurnRequest>,
    grades: Vec<GradeDrillRequest>,
    submits: Vec<SubmitExamAnswerRequest>,
    views: Vec<RecordSupportViewRequest>,
    explained: Vec<ExplainTurnRequest>,
    troubles: VecDeque<Trouble>,
    messages: Vec<TutorMessage>,
    degraded: Vec<DegradedReason>,
    world: scripted_tutor::World,
}

impl State {
    fn degraded(&self) -> Vec<i32> {
        self.degraded.iter().copied().map(i32::from).collect()
    }
}

/// The tutor.
#[derive(Clone)]
pub(super) struct Fake {
    state: Arc<Mutex<State>>,
    pub(super) busy: Arc<tokio::sync::Notify>,
    port: u16,
}

impl Fake {
    /// Starts it on a free port.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            state: Arc::default(),
            busy: Arc::default(),
            port: listener.local_addr().unwrap().port(),
        };
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(TutorServiceServer::new(fake.clone()))
                .add_service(ExplainServiceServer::new(fake.clone()))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        fake
    }

    pub(super) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The next call meets this.
    pub(super) fn trouble(&self, trouble: Trouble) {
        self.state.lock().unwrap().troubles.push_back(trouble);
    }

    /// From now on this cannot be asked.
    pub(super) fn degrade(&self, reason: DegradedReason) {
        self.state.lock().unwrap().degraded.push(reason);
    }

    pub(super) fn turns(&self) -> Vec<TakeTurnRequest> {
        self.state.lock().unwrap().turns.clone()
    }

    pub(super) fn grades(&self) -> Vec<GradeDrillRequest> {
        self.state.lock().unwrap().grades.clone()
    }

    pub(super) fn submits(&self) -> Vec<SubmitExamAnswerRequest> {
        self.state.lock().unwrap().submits.clone()
    }

    pub(super) fn views(&self) -> Vec<RecordSupportViewRequest> {
        self.state.lock().unwrap().views.clone()
    }

    pub(super) fn explained(&self) -> Vec<ExplainTurnRequest> {
        self.state.lock().unwrap().explained.clone()
    }

    fn next_trouble(&self) -> Option<Trouble> {
        self.state.lock().unwrap().troubles.pop_front()
    }

    /// Plays a trouble of a call without a stream.
    async fn meet_trouble(&self) -> Result<(), Status> {
        match self.next_trouble() {
            None => Ok(()),
            Some(Trouble::Refused(fault) | Trouble::NoThread(fault)) => Err(fault.into()),
            Some(Trouble::Silent) => {
                self.busy.notify_one();
                std::future::pending().await
            }
            Some(Trouble::Broken | Trouble::AnswerLost) => Err(away().into()),
        }
    }

    fn take(&self, turn: &TakeTurnRequest) -> TakeTurnResponse {
        let mut state = self.state.lock().unwrap();
        let answer = state.world.turn(turn);
        state.messages.extend(answer.messages.clone());
        answer
    }
}

fn away() -> Fault {
    Fault::new(
        ErrorReason::DependencyUnavailable,
        "session-svc does not answer",
    )
    .retry_after(Duration::from_millis(10))
}

fn check<T>(request: &Request<T>, token: &str) -> Result<(), Status> {
    let authorization = request.metadata().get("authorization");
    if authorization.is_some_and(|value| value == format!("Bearer {token}").as_str()) {
        return Ok(());
    }
    Err(
        Fault::new(ErrorReason::PermissionDenied, "not for this token")
            .meta("need", "role staff")
            .into(),
    )
}

type Stages = Pin<Box<dyn Stream<Item = Result<StreamTurnResponse, Status>> + Send>>;

fn stage(stage: TurnStage, place: i32, seconds: i64) -> StreamTurnResponse {
    StreamTurnResponse {
        news: Some(News::Progress(TurnProgress {
            stage: stage.into(),
            queue_position: place,
            queue_wait: (seconds > 0).then_some(prost_types::Duration { seconds, nanos: 0 }),
        })),
    }
}

#[tonic::async_trait]
impl TutorService for Fake {
    type StreamTurnStream = Stages;

    async fn create_thread(
        &self,
        request: Request<CreateThreadRequest>,
    ) -> Result<Response<CreateThreadResponse>, Status> {
        check(&request, TOKEN)?;
        if let Some(Trouble::NoThread(fault)) = self.state.lock().unwrap().troubles.front() {
            return Err(fault.clone().into());
        }
        let request = request.into_inner();
        Ok(Response::new(CreateThreadResponse {
            thread: Some(Thread {
                thread_id: THREAD.to_owned(),
                course_id: request.course_id,
                class_id: request.class_id,
                ..Thread::default()
            }),
            ..CreateThreadResponse::default()
        }))
    }

    async fn list_threads(
        &self,
        _: Request<ListThreadsRequest>,
    ) -> Result<Response<ListThreadsResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn get_thread(
        &self,
        request: Request<GetThreadRequest>,
    ) -> Result<Response<GetThreadResponse>, Status> {
        check(&request, TOKEN)?;
        // Two messages a page, so that there are pages.
        let from: usize = request.get_ref().page_token.parse().unwrap_or(0);
        let state = self.state.lock().unwrap();
        let messages: Vec<_> = state.messages.iter().skip(from).take(2).cloned().collect();
        let next = from + messages.len();
        Ok(Response::new(GetThreadResponse {
            thread: None,
            messages,
            next_page_token: if next < state.messages.len() {
                next.to_string()
            } else {
                String::new()
            },
        }))
    }

    async fn take_turn(
        &self,
        request: Request<TakeTurnRequest>,
    ) -> Result<Response<TakeTurnResponse>, Status> {
        check(&request, TOKEN)?;
        Ok(Response::new(self.take(request.get_ref())))
    }

    async fn stream_turn(
        &self,
        request: Request<StreamTurnRequest>,
    ) -> Result<Response<Self::StreamTurnStream>, Status> {
        check(&request, TOKEN)?;
        let turn = request.into_inner().turn.unwrap();
        self.state.lock().unwrap().turns.push(turn.clone());
        let trouble = self.next_trouble();
        if let Some(Trouble::Refused(fault)) = trouble {
            return Err(fault.into());
        }
        let (sender, stream) = mpsc::channel(8);
        let fake = self.clone();
        tokio::spawn(async move {
            let mut news = vec![Ok(stage(TurnStage::Reading, 0, 0))];
            match trouble {
                Some(Trouble::Broken) => news.push(Err(away().into())),
                Some(Trouble::AnswerLost) => {
                    fake.take(&turn);
                }
                Some(Trouble::Silent) => {
                    sender
                        .send(Ok(stage(TurnStage::Writing, 0, 0)))
                        .await
                        .unwrap();
                    fake.busy.notify_one();
                    sender.closed().await;
                    return;
                }
                Some(Trouble::Refused(_) | Trouble::NoThread(_)) | None => {
                    news.push(Ok(stage(TurnStage::Waiting, 3, 12)));
                    news.push(Ok(stage(TurnStage::Waiting, 1, 4)));
                    news.push(Ok(stage(TurnStage::Writing, 0, 0)));
                    news.push(Ok(stage(TurnStage::Checking, 0, 0)));
                    news.push(Ok(StreamTurnResponse {
                        news: Some(News::Answer(fake.take(&turn))),
                    }));
                }
            }
            for news in news {
                if sender.send(news).await.is_err() {
                    break;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    async fn grade_drill(
        &self,
        request: Request<GradeDrillRequest>,
    ) -> Result<Response<GradeDrillResponse>, Status> {
        check(&request, TOKEN)?;
        let grade = request.into_inner();
        self.state.lock().unwrap().grades.push(grade.clone());
        self.meet_trouble().await?;
        Ok(Response::new(
            self.state.lock().unwrap().world.grade(&grade),
        ))
    }

    async fn submit_exam_answer(
        &self,
        request: Request<SubmitExamAnswerRequest>,
    ) -> Result<Response<SubmitExamAnswerResponse>, Status> {
        check(&request, TOKEN)?;
        let submit = request.into_inner();
        self.state.lock().unwrap().submits.push(submit.clone());
        self.meet_trouble().await?;
        let now = Timestamp::now();
        Ok(Response::new(
            self.state.lock().unwrap().world.submit(&submit, now),
        ))
    }

    async fn record_support_view(
        &self,
        request: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        check(&request, TOKEN)?;
        let view = request.into_inner();
        self.state.lock().unwrap().views.push(view.clone());
        self.meet_trouble().await?;
        let now = Timestamp::now();
        Ok(Response::new(
            self.state.lock().unwrap().world.view(&view, now),
        ))
    }

    async fn get_exam_question(
        &self,
        request: Request<GetExamQuestionRequest>,
    ) -> Result<Response<GetExamQuestionResponse>, Status> {
        check(&request, TOKEN)?;
        let now = Timestamp::now();
        let state = self.state.lock().unwrap();
        Ok(Response::new(GetExamQuestionResponse {
            card: Some(state.world.exam_card(now)),
            degraded_reasons: state.degraded(),
        }))
    }

    async fn get_snapshot_lite(
        &self,
        request: Request<GetSnapshotLiteRequest>,
    ) -> Result<Response<GetSnapshotLiteResponse>, Status> {
        check(&request, TOKEN)?;
        self.meet_trouble().await?;
        let now = Timestamp::now();
        let state = self.state.lock().unwrap();
        Ok(Response::new(GetSnapshotLiteResponse {
            snapshot_lite: Some(state.world.standing(now)),
            degraded_reasons: state.degraded(),
        }))
    }
}

#[tonic::async_trait]
impl ExplainService for Fake {
    async fn explain_turn(
        &self,
        request: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        check(&request, STAFF_TOKEN)?;
        let request = request.into_inner();
        self.state.lock().unwrap().explained.push(request.clone());
        Ok(Response::new(scripted_tutor::explained(&request.turn_id)))
    }
}
