//! The service in this process, and requests to it.

use std::time::Duration;

use clap::Parser;
use tonic::{Status, service::Routes};
use turnwise_kit::{CallContext, Fault, Kit};
use turnwise_llm_gateway_svc::{Settings, routes};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        ChatMessage, ChatRole, CompleteRequest, CompleteResponse, CompletionEnd, Purpose,
        StreamCompleteRequest, StreamCompleteResponse,
        llm_gateway_service_client::LlmGatewayServiceClient, stream_complete_response::Piece,
    },
};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

pub fn try_settings(args: &[&str]) -> Result<Settings, clap::Error> {
    Cli::try_parse_from(std::iter::once("test").chain(args.iter().copied())).map(|c| c.settings)
}

pub fn settings(args: &[&str]) -> Settings {
    try_settings(args).unwrap()
}

#[derive(Clone)]
pub struct Gateway {
    pub client: LlmGatewayServiceClient<Routes>,
    pub kit: Kit,
}

pub async fn gateway(args: &[&str]) -> Gateway {
    let kit = Kit::for_tests();
    let routes = routes(&settings(args), &kit).await.unwrap();
    Gateway {
        client: LlmGatewayServiceClient::new(routes),
        kit,
    }
}

/// A gateway with the mock and these further arguments.
pub async fn mock(args: &[&str]) -> Gateway {
    gateway(&[&["--helper-llm-backend", "mock"], args].concat()).await
}

impl Gateway {
    pub async fn complete(&self, request: CompleteRequest) -> Result<CompleteResponse, Status> {
        let answer = self.client.clone().complete(request).await?;
        Ok(answer.into_inner())
    }

    /// With a deadline, as the server stack would set it.
    pub async fn complete_within(
        &self,
        request: CompleteRequest,
        timeout: Duration,
    ) -> Result<CompleteResponse, Status> {
        let request = CallContext::background(None, timeout).request(request);
        Ok(self.client.clone().complete(request).await?.into_inner())
    }

    pub async fn stream(
        &self,
        request: CompleteRequest,
    ) -> Result<tonic::Streaming<StreamCompleteResponse>, Status> {
        let request = StreamCompleteRequest {
            request: Some(request),
        };
        let answer = self.client.clone().stream_complete(request).await?;
        Ok(answer.into_inner())
    }

    /// All deltas of a stream, and its end.
    pub async fn stream_all(
        &self,
        request: CompleteRequest,
    ) -> Result<(Vec<String>, CompletionEnd), Status> {
        let mut stream = self.stream(request).await?;
        let mut deltas = Vec::new();
        let mut end = None;
        while let Some(message) = stream.message().await? {
            assert!(end.is_none(), "nothing comes after the end");
            match message.piece.unwrap() {
                Piece::Delta(text) => deltas.push(text),
                Piece::End(piece) => end = Some(piece),
            }
        }
        Ok((deltas, end.expect("a stream has an end")))
    }

    /// The value of a metric without labels.
    pub fn metric(&self, name: &str) -> String {
        let metrics = self.kit.metrics.encode();
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no metric {name} in {metrics}"))
            .to_owned()
    }
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
        model: String::new(),
        messages: vec![
            message(ChatRole::System, "Answer in JSON."),
            message(ChatRole::User, "How do I solve x + 7 = 12?"),
        ],
        json_schema: String::new(),
        max_output_tokens: 0,
        purpose: Purpose::Turn.into(),
        max_wait: None,
    }
}

pub fn request_to(model: &str) -> CompleteRequest {
    CompleteRequest {
        model: model.to_owned(),
        ..request()
    }
}

pub fn with_wait(wait: Duration, request: CompleteRequest) -> CompleteRequest {
    CompleteRequest {
        max_wait: Some(wait.try_into().unwrap()),
        ..request
    }
}

#[track_caller]
pub fn fault(status: &Status, reason: ErrorReason) -> Fault {
    let fault = Fault::from_status(status);
    assert_eq!(fault.reason(), reason, "{status:?}");
    assert_eq!(status.code(), reason.code());
    fault
}
