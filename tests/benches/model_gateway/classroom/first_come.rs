//! A gateway that serves callers as they come, whoever they are: what a fair one is told from.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::Stream;
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};
use tonic::{Request, Response, Status, service::Routes};
use turnwise_kit::client::{ClientOptions, GrpcClient, local};
use turnwise_proto::llm::v1::{
    CompleteRequest, CompleteResponse, CompletionEnd, EmbedRequest, EmbedResponse,
    GetBackendRequest, GetBackendResponse, StreamCompleteRequest, StreamCompleteResponse,
    TakeOverPlaceRequest, TakeOverPlaceResponse,
    llm_gateway_service_server::{LlmGatewayService, LlmGatewayServiceServer},
    stream_complete_response::Piece,
};

use super::school::{SLOTS, Scale};
use crate::Args;

/// A client of such a gateway in this process, with as many slots as the school's model, and fast.
pub fn first_come_first_served(args: &Args) -> GrpcClient {
    let service = FirstCome {
        slots: Arc::new(Semaphore::new(SLOTS)),
        service_time: Scale::new(args.scale.max(100.0)).service(),
    };
    let routes = Routes::new(LlmGatewayServiceServer::new(service));
    let options = ClientOptions {
        peer: "first-come",
        token: None,
    };
    local(routes, options)
}

struct FirstCome {
    /// Whoever asks first gets a slot first.
    slots: Arc<Semaphore>,
    service_time: Duration,
}

#[tonic::async_trait]
impl LlmGatewayService for FirstCome {
    async fn complete(
        &self,
        _: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        Err(Status::unimplemented("streams only"))
    }

    type StreamCompleteStream =
        Pin<Box<dyn Stream<Item = Result<StreamCompleteResponse, Status>> + Send>>;

    async fn stream_complete(
        &self,
        _: Request<StreamCompleteRequest>,
    ) -> Result<Response<Self::StreamCompleteStream>, Status> {
        let begun = Instant::now();
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let waited = begun.elapsed();
        sleep(self.service_time).await;
        drop(slot);
        let end = CompletionEnd {
            queue_wait: prost_types::Duration::try_from(waited).ok(),
            ..CompletionEnd::default()
        };
        let piece = StreamCompleteResponse {
            piece: Some(Piece::End(end)),
        };
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(piece)))))
    }

    async fn take_over_place(
        &self,
        _: Request<TakeOverPlaceRequest>,
    ) -> Result<Response<TakeOverPlaceResponse>, Status> {
        Err(Status::unimplemented("streams only"))
    }

    async fn get_backend(
        &self,
        _: Request<GetBackendRequest>,
    ) -> Result<Response<GetBackendResponse>, Status> {
        Err(Status::unimplemented("streams only"))
    }

    async fn embed(&self, _: Request<EmbedRequest>) -> Result<Response<EmbedResponse>, Status> {
        Err(Status::unimplemented("streams only"))
    }
}
