//! A service in this process that answers as a test says, over the transport of real clients.

use std::{
    collections::HashMap,
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
};

use axum::Router;
use prost::Message;
use tonic::{Request, Response, Status, body::Body, server::Grpc, service::Routes};
use tonic_prost::ProstCodec;
use tower::service_fn;
use turnwise_kit::client::{ClientOptions, GrpcClient, local};

type Answering = Pin<Box<dyn Future<Output = http::Response<Body>> + Send>>;
type Handler = Arc<dyn Fn(http::Request<axum::body::Body>) -> Answering + Send + Sync>;

/// Some methods of a service; the others are not implemented. The clones are the same service.
#[derive(Clone, Default)]
pub struct Fake {
    handlers: Arc<Mutex<HashMap<String, Handler>>>,
}

impl Fake {
    /// Answers calls of a method, such as `turnwise.policy.v1.PolicyService/Plan`, from now on.
    pub fn on<Q, A, F, W>(&self, method: &str, answer: F)
    where
        Q: Message + Default + 'static,
        A: Message + 'static,
        F: Fn(Q) -> W + Clone + Send + Sync + 'static,
        W: Future<Output = Result<A, Status>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |request| {
            let answer = answer.clone();
            Box::pin(async move {
                let service = service_fn(move |request: Request<Q>| {
                    let answering = answer(request.into_inner());
                    async move { answering.await.map(Response::new) }
                });
                Grpc::new(ProstCodec::<A, Q>::default())
                    .unary(service, request)
                    .await
            })
        });
        let mut handlers = self.handlers.lock().unwrap();
        handlers.insert(format!("/{method}"), handler);
    }

    /// A client of it.
    pub fn client(&self, peer: &'static str) -> GrpcClient {
        let handlers = Arc::clone(&self.handlers);
        let service = service_fn(move |request: http::Request<axum::body::Body>| {
            let path = request.uri().path().to_owned();
            let handler = handlers.lock().unwrap().get(&path).cloned();
            async move {
                let response = match handler {
                    Some(handler) => handler(request).await,
                    None => Status::unimplemented(path).into_http(),
                };
                Ok::<_, Infallible>(response)
            }
        });
        let options = ClientOptions { peer, token: None };
        local(
            Routes::from(Router::new().fallback_service(service)),
            options,
        )
    }
}

/// Never answers.
pub async fn stall<A>() -> Result<A, Status> {
    std::future::pending().await
}
