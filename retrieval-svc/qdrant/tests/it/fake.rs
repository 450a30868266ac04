//! A server that speaks the database's protocol over TCP and answers by scanning plain maps. It refuses every option that
//! it does not know, every filter over a field without an index, and every search, delete or conditional write that does
//! not name a course.

mod collections;
mod condition;
mod points;
mod search;
mod state;
mod store;

use std::{net::SocketAddr, sync::Arc, thread};

use qdrant_client::qdrant::{
    collections_server::CollectionsServer, points_server::PointsServer, qdrant_server::QdrantServer,
};
use tokio::{
    net::TcpListener,
    runtime::{self, Runtime},
};
use tonic::{
    Request, Response, Status,
    service::InterceptorLayer,
    transport::{Server, server::TcpIncoming},
};

pub use state::{Fault, State};
pub use store::Point;

/// What a call answers.
type Answer<T> = Result<Response<T>, Status>;

/// A running server. It ends when it is dropped, and all its connections with it.
pub struct Fake {
    pub state: Arc<State>,
    address: SocketAddr,
    /// Its own: ending it ends every connection.
    runtime: Option<Runtime>,
}

impl Fake {
    pub async fn start() -> Self {
        Self::serve(Arc::default(), "127.0.0.1:0".parse().unwrap()).await
    }

    /// Stops, and returns once the port and every connection are closed; what it holds stays.
    pub fn stop(mut self) -> Arc<State> {
        let runtime = self.runtime.take();
        // It waits for its threads, which none of another runtime may.
        thread::spawn(|| drop(runtime)).join().unwrap();
        self.state.clone()
    }

    pub async fn serve(state: Arc<State>, address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = listener.into_std().unwrap();
        let limit = 64 * 1024 * 1024;
        let router = Server::builder()
            .layer(InterceptorLayer::new({
                let state = state.clone();
                move |request: Request<()>| {
                    state.check_key(request.metadata())?;
                    Ok(request)
                }
            }))
            .add_service(PointsServer::from_arc(state.clone()).max_decoding_message_size(limit))
            .add_service(CollectionsServer::from_arc(state.clone()))
            .add_service(QdrantServer::from_arc(state.clone()));
        let mut runtime = runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            router.serve_with_incoming(incoming).await.unwrap();
        });
        Self {
            state,
            address,
            runtime: Some(runtime),
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn refused(what: impl std::fmt::Display) -> Status {
    Status::invalid_argument(format!("the fake refuses: {what}"))
}
