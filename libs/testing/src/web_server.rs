//! A web server that answers as a test wants, and remembers what it was asked for.

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Request, Response, body::Incoming, http::request::Parts, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

type Answer = dyn Fn(&Parts) -> Response<Bytes> + Send + Sync;

/// A running web server. It takes no more connections when the value is dropped.
#[derive(Debug)]
pub struct WebServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    accepting: JoinHandle<()>,
}

impl WebServer {
    /// Starts one on a free port of 127.0.0.1, in the runtime of the caller.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start(
        answer: impl Fn(&Parts) -> Response<Bytes> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let asked = Arc::default();
        let accepting = accept(listener, Arc::new(answer), Arc::clone(&asked));
        Ok(Self {
            address,
            asked,
            accepting: tokio::spawn(accepting),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The paths that it was asked for, with their queries, in order.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, answer: Arc<Answer>, asked: Arc<Mutex<Vec<String>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
        let service = service_fn(move |request: Request<Incoming>| {
            let (parts, _) = request.into_parts();
            let path = parts.uri.path_and_query().map(ToString::to_string);
            let mut paths = asked.lock().unwrap_or_else(PoisonError::into_inner);
            paths.extend(path);
            drop(paths);
            let answer = answer(&parts).map(Full::new);
            async move { Ok::<_, Infallible>(answer) }
        });
        tokio::spawn(async move {
            // A client that goes away is no fault here.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
