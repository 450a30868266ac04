//! A student who presses *help*: one request to the model gateway, what it said of the wait, and how it ended.

use std::time::Duration;

use tokio::time::Instant;
use tonic::Status;
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::llm::v1::{
    ChatMessage, ChatRole, CompleteRequest, CompletionEnd, Purpose, StreamCompleteRequest,
    llm_gateway_service_client::LlmGatewayServiceClient, stream_complete_response::Piece,
};

use crate::model_gateway::student_call;

/// What a student asks for.
#[derive(Debug, Clone)]
pub struct HelpRequest {
    /// The class.
    pub class: String,
    /// The student.
    pub student: String,
    /// The conversation.
    pub thread: String,
    /// How long to wait for a slot; `None`: the gateway's default.
    pub max_wait: Option<Duration>,
    /// The call's deadline.
    pub timeout: Duration,
    /// What an earlier refusal gave; empty: nothing.
    pub ticket: String,
}

/// What the gateway said of the wait.
#[derive(Debug, Clone, Copy)]
pub struct Announced {
    /// When it said so, as seen here.
    pub at: Instant,
    /// The place in the queue.
    pub position: i32,
    /// How long it would take until the start, at most.
    pub wait: Duration,
}

/// How a request went.
#[derive(Debug)]
pub struct HelpOutcome {
    /// When it was sent.
    pub sent: Instant,
    /// How long it took until the end.
    pub took: Duration,
    /// What was said of the wait, in order.
    pub announced: Vec<Announced>,
    /// The answer's text and end, or why there is none.
    pub result: Result<(String, CompletionEnd), Status>,
}

impl HelpRequest {
    /// The request on the wire.
    pub fn request(&self) -> CompleteRequest {
        CompleteRequest {
            messages: vec![ChatMessage {
                role: ChatRole::User.into(),
                content: "How do I solve x + 7 = 12?".to_owned(),
            }],
            purpose: Purpose::Help.into(),
            max_wait: self
                .max_wait
                .map(|wait| prost_types::Duration::try_from(wait).unwrap()),
            class_id: self.class.clone(),
            thread_id: self.thread.clone(),
            place_ticket: self.ticket.clone(),
            ..CompleteRequest::default()
        }
    }

    /// Sends it as a stream and reads all that comes.
    pub async fn send(&self, client: &GrpcClient) -> HelpOutcome {
        self.send_request(client, self.request()).await
    }

    /// Sends it as one call, as those do who show nobody a place in the queue.
    pub async fn send_plain(&self, client: &GrpcClient) -> HelpOutcome {
        let sent = Instant::now();
        let context = student_call(&self.student, &self.class, self.timeout);
        let result = LlmGatewayServiceClient::new(client.clone())
            .complete(context.request(self.request()))
            .await
            .map(|answer| {
                let answer = answer.into_inner();
                (answer.text, answer.end.expect("an answer has an end"))
            });
        HelpOutcome {
            sent,
            took: sent.elapsed(),
            announced: Vec::new(),
            result,
        }
    }

    /// The same with a request that differs from the usual one.
    pub async fn send_request(&self, client: &GrpcClient, request: CompleteRequest) -> HelpOutcome {
        let sent = Instant::now();
        let mut announced = Vec::new();
        let result = self.stream(client, request, &mut announced).await;
        HelpOutcome {
            sent,
            took: sent.elapsed(),
            announced,
            result,
        }
    }

    async fn stream(
        &self,
        client: &GrpcClient,
        request: CompleteRequest,
        announced: &mut Vec<Announced>,
    ) -> Result<(String, CompletionEnd), Status> {
        let request = StreamCompleteRequest {
            request: Some(request),
        };
        let context = student_call(&self.student, &self.class, self.timeout);
        let mut pieces = LlmGatewayServiceClient::new(client.clone())
            .stream_complete(context.request(request))
            .await?
            .into_inner();
        let mut text = String::new();
        let mut end = None;
        while let Some(piece) = pieces.message().await? {
            assert!(end.is_none(), "nothing comes after the end");
            match piece.piece.expect("a piece is one of three") {
                Piece::Delta(delta) => text.push_str(&delta),
                Piece::End(piece) => end = Some(piece),
                Piece::Place(place) => {
                    assert!(text.is_empty(), "who has an answer waits no more");
                    announced.push(Announced {
                        at: Instant::now(),
                        position: place.position,
                        wait: time(place.wait),
                    });
                }
            }
        }
        Ok((text, end.expect("a stream without an error has an end")))
    }
}

impl HelpOutcome {
    /// When the model began with it; `None` if it did not. Counted back from the end, because a request can take longer
    /// to arrive, among many others, than an end.
    pub fn started(&self) -> Option<Instant> {
        let (_, end) = self.result.as_ref().ok()?;
        let worked = time(end.total).saturating_sub(time(end.queue_wait));
        Some(self.sent + self.took.saturating_sub(worked))
    }

    /// Why there is no answer.
    pub fn refusal(&self) -> Option<Fault> {
        self.result.as_ref().err().map(Fault::from_status)
    }
}

/// A duration of the proto; nothing is no time.
pub fn time(duration: Option<prost_types::Duration>) -> Duration {
    duration
        .and_then(|duration| Duration::try_from(duration).ok())
        .unwrap_or_default()
}
