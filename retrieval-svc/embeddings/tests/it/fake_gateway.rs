//! A model gateway that answers as the test wants, behind the same client as the real one.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
};

use futures_util::Stream;
use tonic::{Request, Response, Status, service::Routes};
use turnwise_kit::client::{ClientOptions, GrpcClient, local};
use turnwise_proto::llm::v1::{
    CompleteRequest, CompleteResponse, EmbedRequest, EmbedResponse, Embedding, GetBackendRequest,
    GetBackendResponse, StreamCompleteRequest, StreamCompleteResponse, TakeOverPlaceRequest,
    TakeOverPlaceResponse,
    llm_gateway_service_server::{LlmGatewayService, LlmGatewayServiceServer},
};

/// What it does with a request; `None`: it never answers.
type Answer = dyn Fn(&EmbedRequest) -> Option<Result<EmbedResponse, Status>> + Send + Sync;

#[derive(Clone)]
pub struct FakeGateway {
    answer: Arc<Answer>,
    requests: Arc<Mutex<Vec<EmbedRequest>>>,
}

impl FakeGateway {
    pub fn new(
        answer: impl Fn(&EmbedRequest) -> Option<Result<EmbedResponse, Status>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            answer: Arc::new(answer),
            requests: Arc::default(),
        }
    }

    /// Answers every request with vectors of this model, whichever is asked.
    pub fn of(backend: &'static str, model: &'static str, dimension: usize) -> Self {
        Self::new(move |request| Some(Ok(answer(request, backend, model, dimension))))
    }

    pub fn client(&self) -> GrpcClient {
        let options = ClientOptions {
            peer: "llm-gateway-svc",
            token: None,
        };
        local(
            Routes::new(LlmGatewayServiceServer::new(self.clone())),
            options,
        )
    }

    pub fn requests(&self) -> Vec<EmbedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

/// Vectors that tell texts apart by their length in bytes.
pub fn answer(
    request: &EmbedRequest,
    backend: &str,
    model: &str,
    dimension: usize,
) -> EmbedResponse {
    let embeddings = request.inputs.iter().map(|text| {
        let mut values = vec![1.0; dimension];
        values[0] = text.len() as f32;
        Embedding { values }
    });
    EmbedResponse {
        embeddings: embeddings.collect(),
        model: model.to_owned(),
        backend: backend.to_owned(),
        ..EmbedResponse::default()
    }
}

#[tonic::async_trait]
impl LlmGatewayService for FakeGateway {
    type StreamCompleteStream =
        Pin<Box<dyn Stream<Item = Result<StreamCompleteResponse, Status>> + Send>>;

    async fn complete(
        &self,
        _: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        Err(Status::unimplemented("embeddings only"))
    }

    async fn stream_complete(
        &self,
        _: Request<StreamCompleteRequest>,
    ) -> Result<Response<Self::StreamCompleteStream>, Status> {
        Err(Status::unimplemented("embeddings only"))
    }

    async fn take_over_place(
        &self,
        _: Request<TakeOverPlaceRequest>,
    ) -> Result<Response<TakeOverPlaceResponse>, Status> {
        Err(Status::unimplemented("embeddings only"))
    }

    async fn get_backend(
        &self,
        _: Request<GetBackendRequest>,
    ) -> Result<Response<GetBackendResponse>, Status> {
        Err(Status::unimplemented("embeddings only"))
    }

    async fn embed(
        &self,
        request: Request<EmbedRequest>,
    ) -> Result<Response<EmbedResponse>, Status> {
        let request = request.into_inner();
        self.requests.lock().unwrap().push(request.clone());
        match (self.answer)(&request) {
            Some(answer) => answer.map(Response::new),
            None => std::future::pending().await,
        }
    }
}
