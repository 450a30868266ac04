//! The service in this process, requests to it, and what it counts.

use std::{sync::Arc, time::Duration};

use clap::Parser;
use tokio::task::JoinHandle;
use tonic::{Request, Status, Streaming, service::Routes};
use turnwise_kit::{CallContext, Caller, Fault, Kit};
use turnwise_llm_gateway_svc::{Settings, routes};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        ChatMessage, ChatRole, CompleteRequest, CompleteResponse, CompletionEnd, EmbedRequest,
        EmbedResponse, GetQueuesRequest, Purpose, Queue, QueuePlace, StreamCompleteRequest,
        StreamCompleteResponse, llm_gateway_service_client::LlmGatewayServiceClient,
        llm_queue_service_client::LlmQueueServiceClient, stream_complete_response::Piece,
    },
};
use turnwise_testing::model_server::{Fault as ModelFault, Mix, ModelServer, Settings as Model};

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(3600);

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// With the mock allowed.
pub fn try_settings(args: &[&str]) -> Result<Settings, clap::Error> {
    let allowed = ["test", "--llm-allow-mock=1"];
    let args = allowed.into_iter().chain(args.iter().copied());
    Cli::try_parse_from(args).map(|cli| cli.settings)
}

pub fn settings(args: &[&str]) -> Settings {
    try_settings(args).unwrap()
}

#[derive(Clone)]
pub struct Gateway {
    pub client: LlmGatewayServiceClient<Routes>,
    pub queues: LlmQueueServiceClient<Routes>,
    pub kit: Kit,
}

pub async fn gateway(args: &[&str]) -> Gateway {
    gateway_with(Kit::for_tests(), args).await
}

pub async fn gateway_with(kit: Kit, args: &[&str]) -> Gateway {
    let routes = routes(&settings(args), &kit).await.unwrap();
    Gateway {
        client: LlmGatewayServiceClient::new(routes.clone()),
        queues: LlmQueueServiceClient::new(routes),
        kit,
    }
}

/// A gateway with the mock and these further arguments.
pub async fn mock(args: &[&str]) -> Gateway {
    gateway(&[&["--helper-llm-backend", "mock"], args].concat()).await
}

/// A gateway whose mock needs so many milliseconds for each call, with so many slots.
pub async fn mock_taking(millis: u64, slots: usize, args: &[&str]) -> Gateway {
    let (model, slots) = (format!("mock:delay:{millis}"), slots.to_string());
    let seconds = (millis as f64 / 1000.0).to_string();
    let own = [
        "--mock-model",
        &model,
        "--helper-max-concurrency",
        &slots,
        "--queue-expected-call-seconds",
        &seconds,
    ];
    mock(&[&own, args].concat()).await
}

/// A gateway with an Ollama at this address and short pauses between attempts.
pub async fn ollama_at(url: &str, args: &[&str]) -> Gateway {
    let own = [
        "--helper-llm-backend",
        "ollama",
        "--ollama-base-url",
        url,
        "--helper-backoff-seconds",
        "0.01",
    ];
    gateway(&[&own, args].concat()).await
}

/// A model server that fails so, call after call, and then no more.
pub async fn failing(script: &[ModelFault]) -> ModelServer {
    let settings = Model {
        script: script.to_vec(),
        ..Model::default()
    };
    ModelServer::start(settings).await.unwrap()
}

/// A model server each of whose calls fails so.
pub async fn always(fault: ModelFault) -> ModelServer {
    let mix = Mix {
        share: 1.0,
        faults: vec![fault],
    };
    let settings = Model {
        mix: Some(mix),
        ..Model::default()
    };
    ModelServer::start(settings).await.unwrap()
}

/// Waits until something is so. It is looked at every millisecond.
pub async fn until(mut is: impl AsyncFnMut() -> bool) {
    for _ in 0..10_000 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it never came to be");
}

/// Lets everything that can happen now happen. For the paused clock.
pub async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

pub fn student_of(tenant: &str, subject: &str) -> Caller {
    Caller {
        tenant: tenant.to_owned(),
        subject: subject.to_owned(),
        role: "student".to_owned(),
        groups: Vec::new(),
    }
}

pub fn student(subject: &str) -> Caller {
    student_of("school", subject)
}

/// A message with a caller and a deadline, as the server stack would set them.
pub fn call<T>(caller: Option<Caller>, timeout: Duration, message: T) -> Request<T> {
    CallContext::background(caller, timeout).request(message)
}

impl Gateway {
    pub async fn complete(
        &self,
        request: impl tonic::IntoRequest<CompleteRequest>,
    ) -> Result<CompleteResponse, Status> {
        let answer = self.client.clone().complete(request).await?;
        Ok(answer.into_inner())
    }

    pub async fn complete_as(
        &self,
        caller: &str,
        request: CompleteRequest,
    ) -> Result<CompleteResponse, Status> {
        let request = call(Some(student(caller)), LONG, request);
        self.complete(request).await
    }

    pub async fn complete_within(
        &self,
        request: CompleteRequest,
        timeout: Duration,
    ) -> Result<CompleteResponse, Status> {
        self.complete(call(None, timeout, request)).await
    }

    /// The same in a task of its own, which has come as far as it can.
    pub async fn starts(
        &self,
        caller: &str,
        request: CompleteRequest,
    ) -> JoinHandle<Result<CompleteResponse, Status>> {
        let (gateway, caller) = (self.clone(), caller.to_owned());
        let task = tokio::spawn(async move { gateway.complete_as(&caller, request).await });
        settle().await;
        task
    }

    pub async fn stream(
        &self,
        request: CompleteRequest,
    ) -> Result<Streaming<StreamCompleteResponse>, Status> {
        self.stream_as(None, LONG, request).await
    }

    pub async fn stream_as(
        &self,
        caller: Option<Caller>,
        timeout: Duration,
        request: CompleteRequest,
    ) -> Result<Streaming<StreamCompleteResponse>, Status> {
        let request = StreamCompleteRequest {
            request: Some(request),
        };
        let request = call(caller, timeout, request);
        let answer = self.client.clone().stream_complete(request).await?;
        Ok(answer.into_inner())
    }

    pub async fn embed(
        &self,
        request: impl tonic::IntoRequest<EmbedRequest>,
    ) -> Result<EmbedResponse, Status> {
        Ok(self.client.clone().embed(request).await?.into_inner())
    }

    /// All queues, as a process of ours sees them.
    pub async fn all_queues(&self) -> Vec<Queue> {
        let request = GetQueuesRequest { max_waiting: 0 };
        let answer = self.queues.clone().get_queues(request).await.unwrap();
        answer.into_inner().queues
    }

    /// The only queue.
    pub async fn queue(&self) -> Queue {
        let mut queues = self.all_queues().await;
        assert_eq!(queues.len(), 1, "{queues:?}");
        queues.remove(0)
    }

    /// How many slots of the only queue are in use.
    pub async fn running(&self) -> usize {
        let queue = self.queue().await;
        queue.slots.iter().filter(|s| s.call.is_some()).count()
    }

    /// The sum of a metric over all of its labels that hold this text; 0 where there is none.
    pub fn metric(&self, name: &str, labels: &str) -> f64 {
        self.kit
            .metrics
            .encode()
            .lines()
            .filter_map(|line| line.strip_prefix(name))
            .filter(|rest| rest.starts_with(['{', ' ']) && rest.contains(labels))
            .filter_map(|rest| rest.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum()
    }

    /// How many calls were made at models, however they ended.
    pub fn calls(&self) -> f64 {
        self.metric("gen_ai_client_operation_duration_seconds_count", "")
    }
}

/// What came of a stream.
#[derive(Debug, Default)]
pub struct Streamed {
    pub places: Vec<QueuePlace>,
    pub text: String,
    pub end: Option<CompletionEnd>,
    pub failure: Option<Status>,
}

/// Reads a stream to its end, and checks that its parts come in order.
pub async fn read(mut stream: Streaming<StreamCompleteResponse>) -> Streamed {
    let mut all = Streamed::default();
    loop {
        let message = match stream.message().await {
            Ok(Some(message)) => message,
            Ok(None) => break,
            Err(failure) => {
                all.failure = Some(failure);
                break;
            }
        };
        assert!(all.end.is_none(), "nothing comes after the end");
        match message.piece.unwrap() {
            Piece::Place(place) => {
                assert!(all.text.is_empty(), "places come before the text");
                all.places.push(place);
            }
            Piece::Delta(text) => all.text.push_str(&text),
            Piece::End(end) => all.end = Some(end),
        }
    }
    assert!(
        all.end.is_some() != all.failure.is_some(),
        "a stream has one end: {all:?}"
    );
    all
}

pub fn message(role: ChatRole, content: &str) -> ChatMessage {
    ChatMessage {
        role: role.into(),
        content: content.to_owned(),
    }
}

/// A good request to the configured model.
pub fn request() -> CompleteRequest {
    CompleteRequest {
        messages: vec![
            message(ChatRole::System, "Answer in JSON."),
            message(ChatRole::User, "How do I solve x + 7 = 12?"),
        ],
        purpose: Purpose::Turn.into(),
        ..CompleteRequest::default()
    }
}

pub fn request_to(model: &str) -> CompleteRequest {
    CompleteRequest {
        model: model.to_owned(),
        ..request()
    }
}

pub fn in_class(class: &str) -> CompleteRequest {
    CompleteRequest {
        class_id: class.to_owned(),
        ..request()
    }
}

pub fn embedding() -> EmbedRequest {
    EmbedRequest {
        inputs: vec!["x + 7 = 12".to_owned(), "a line".to_owned()],
        purpose: Purpose::Search.into(),
        ..EmbedRequest::default()
    }
}

pub fn with_wait(wait: Duration, request: CompleteRequest) -> CompleteRequest {
    CompleteRequest {
        max_wait: Some(wait.try_into().unwrap()),
        ..request
    }
}

pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A duration of an answer, in milliseconds.
#[track_caller]
pub fn millis(duration: Option<prost_types::Duration>) -> u128 {
    Duration::try_from(duration.unwrap()).unwrap().as_millis()
}

#[track_caller]
pub fn fault(status: &Status, reason: ErrorReason) -> Fault {
    let fault = Fault::from_status(status);
    assert_eq!(fault.reason(), reason, "{status:?}");
    assert_eq!(status.code(), reason.code());
    fault
}

/// A kit whose clock stands at this time until it is moved.
pub fn kit_at(time: &str) -> (Kit, Arc<turnwise_kit::clock::ManualClock>) {
    let clock = Arc::new(turnwise_kit::clock::ManualClock::new(time.parse().unwrap()));
    (Kit::new(Arc::clone(&clock) as Arc<_>), clock)
}
