//! A student who talks to the public face.

use std::time::Duration;

use tonic::{Request, Status, Streaming, transport::Channel};
use turnwise_proto::tutor::v1::{
    ClientEvent, ClientEventKind, CreateThreadRequest, GetExamQuestionRequest,
    GetExamQuestionResponse, GetSnapshotLiteRequest, GetThreadRequest, GradeDrillRequest,
    GradeDrillResponse, ListThreadsRequest, RecordSupportViewRequest, RecordSupportViewResponse,
    SnapshotLite, StreamTurnRequest, StreamTurnResponse, StudentInput, SubmitExamAnswerRequest,
    SubmitExamAnswerResponse, TakeTurnRequest, TakeTurnResponse, Thread, TutorMessage,
    tutor_service_client::TutorServiceClient,
};
use uuid::Uuid;

/// The demo course.
pub const DEMO_COURSE: &str = "algebra-foundations";

/// A student with a token and a connection.
#[derive(Clone)]
pub struct Student {
    /// The student's id.
    pub id: String,
    /// The token.
    pub token: String,
    /// The connection.
    pub channel: Channel,
}

impl Student {
    /// The class that every student of the tests is in.
    pub const CLASS: &str = "7b";

    /// A student with this token.
    pub fn new(id: &str, token: &str, channel: Channel) -> Self {
        Self {
            id: id.to_owned(),
            token: token.to_owned(),
            channel,
        }
    }

    /// The typed client.
    pub fn client(&self) -> TutorServiceClient<Channel> {
        TutorServiceClient::new(self.channel.clone())
    }

    /// A request with the student's token.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let authorization = format!("Bearer {}", self.token).parse().unwrap();
        request
            .metadata_mut()
            .insert("authorization", authorization);
        request
    }

    /// Opens a thread.
    pub async fn open(&self, course_id: &str) -> Thread {
        self.create_thread(new_thread(course_id)).await.unwrap()
    }

    /// Opens a thread, or is refused.
    pub async fn create_thread(&self, message: CreateThreadRequest) -> Result<Thread, Status> {
        let response = self.client().create_thread(self.request(message)).await?;
        Ok(response.into_inner().thread.unwrap())
    }

    /// Takes a turn.
    pub async fn turn(&self, message: TakeTurnRequest) -> Result<TakeTurnResponse, Status> {
        let response = self.client().take_turn(self.request(message)).await?;
        Ok(response.into_inner())
    }

    /// Takes a turn and waits no longer than `timeout`.
    pub async fn turn_within(
        &self,
        message: TakeTurnRequest,
        timeout: Duration,
    ) -> Result<TakeTurnResponse, Status> {
        let mut request = self.request(message);
        request.set_timeout(timeout);
        Ok(self.client().take_turn(request).await?.into_inner())
    }

    /// Says something, and insists on an answer.
    pub async fn say(&self, thread: &Thread, text: &str) -> TakeTurnResponse {
        self.turn(saying(thread, text)).await.unwrap()
    }

    /// Presses a button, and insists on an answer.
    pub async fn press(
        &self,
        thread: &Thread,
        kind: ClientEventKind,
        unit: &str,
    ) -> TakeTurnResponse {
        self.turn(pressing(thread, kind, unit)).await.unwrap()
    }

    /// Takes a turn as a stream.
    pub async fn stream_turn(
        &self,
        message: TakeTurnRequest,
    ) -> Result<Streaming<StreamTurnResponse>, Status> {
        let request = self.request(StreamTurnRequest {
            turn: Some(message),
        });
        Ok(self.client().stream_turn(request).await?.into_inner())
    }

    /// Sends an answer to a drill.
    pub async fn grade_drill(
        &self,
        message: GradeDrillRequest,
    ) -> Result<GradeDrillResponse, Status> {
        let response = self.client().grade_drill(self.request(message)).await?;
        Ok(response.into_inner())
    }

    /// Sends an answer to an exam question.
    pub async fn submit_exam(
        &self,
        message: SubmitExamAnswerRequest,
    ) -> Result<SubmitExamAnswerResponse, Status> {
        let request = self.request(message);
        Ok(self
            .client()
            .submit_exam_answer(request)
            .await?
            .into_inner())
    }

    /// Looks at help for an exam question.
    pub async fn view_support(
        &self,
        message: RecordSupportViewRequest,
    ) -> Result<RecordSupportViewResponse, Status> {
        let request = self.request(message);
        Ok(self
            .client()
            .record_support_view(request)
            .await?
            .into_inner())
    }

    /// Reads an exam question that was offered.
    pub async fn exam_question(
        &self,
        message: GetExamQuestionRequest,
    ) -> Result<GetExamQuestionResponse, Status> {
        let request = self.request(message);
        Ok(self.client().get_exam_question(request).await?.into_inner())
    }

    /// The thread as it is now, without messages.
    pub async fn thread(&self, thread_id: &str) -> Result<Thread, Status> {
        let request = self.request(GetThreadRequest {
            thread_id: thread_id.to_owned(),
            page_size: 1,
            page_token: String::new(),
        });
        let response = self.client().get_thread(request).await?;
        Ok(response.into_inner().thread.unwrap())
    }

    /// Every message of a thread, page by page.
    pub async fn messages(&self, thread_id: &str, page_size: i32) -> Vec<TutorMessage> {
        let mut messages = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = self.request(GetThreadRequest {
                thread_id: thread_id.to_owned(),
                page_size,
                page_token,
            });
            let page = self
                .client()
                .get_thread(request)
                .await
                .unwrap()
                .into_inner();
            assert!(page.messages.len() <= usize::try_from(page_size).unwrap());
            messages.extend(page.messages);
            if page.next_page_token.is_empty() {
                return messages;
            }
            page_token = page.next_page_token;
        }
    }

    /// Every thread, page by page.
    pub async fn threads(&self, page_size: i32) -> Vec<Thread> {
        let mut threads = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = self.request(ListThreadsRequest {
                page_size,
                page_token,
            });
            let page = self
                .client()
                .list_threads(request)
                .await
                .unwrap()
                .into_inner();
            assert!(page.threads.len() <= usize::try_from(page_size).unwrap());
            threads.extend(page.threads);
            if page.next_page_token.is_empty() {
                return threads;
            }
            page_token = page.next_page_token;
        }
    }

    /// The student's standing.
    pub async fn standing(&self, course_id: &str) -> Result<SnapshotLite, Status> {
        let request = self.request(GetSnapshotLiteRequest {
            course_id: course_id.to_owned(),
        });
        let response = self.client().get_snapshot_lite(request).await?.into_inner();
        assert_eq!(response.degraded_reasons().count(), 0);
        Ok(response.snapshot_lite.unwrap())
    }
}

/// A fresh idempotency key.
pub fn fresh_key() -> String {
    Uuid::new_v4().to_string()
}

/// The request for a new thread.
pub fn new_thread(course_id: &str) -> CreateThreadRequest {
    CreateThreadRequest {
        course_id: course_id.to_owned(),
        class_id: Student::CLASS.to_owned(),
        title: String::new(),
        idempotency_key: fresh_key(),
    }
}

/// A turn without input.
pub fn empty_turn(thread: &Thread) -> TakeTurnRequest {
    TakeTurnRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        input: None,
        event: None,
        idempotency_key: fresh_key(),
        place_ticket: String::new(),
        project: None,
        deferred: false,
    }
}

/// A turn with text.
pub fn saying(thread: &Thread, text: &str) -> TakeTurnRequest {
    TakeTurnRequest {
        input: Some(StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        ..empty_turn(thread)
    }
}

/// A turn with LaTeX.
pub fn writing(thread: &Thread, latex: &str) -> TakeTurnRequest {
    TakeTurnRequest {
        input: Some(StudentInput {
            latex: latex.to_owned(),
            ..StudentInput::default()
        }),
        ..empty_turn(thread)
    }
}

/// A turn with a button.
pub fn pressing(thread: &Thread, kind: ClientEventKind, unit: &str) -> TakeTurnRequest {
    TakeTurnRequest {
        event: Some(ClientEvent {
            kind: kind.into(),
            unit_id: unit.to_owned(),
            ..ClientEvent::default()
        }),
        ..empty_turn(thread)
    }
}
