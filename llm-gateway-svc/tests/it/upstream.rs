//! Fake model servers: real sockets on free ports, with answers from the test.

use std::{future::Future, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinSet,
};

/// What a server was asked.
#[derive(Debug)]
pub struct Asked {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

/// A server that runs until it is dropped.
pub struct Upstream {
    pub url: String,
    pub asked: mpsc::UnboundedReceiver<Asked>,
    _server: JoinSet<()>,
}

impl Upstream {
    /// A server that answers every request with what `answer` makes of its number, counted from zero.
    pub async fn answering<F, R>(answer: F) -> Self
    where
        F: Fn(usize) -> R + Send + Sync + 'static,
        R: Future<Output = Response> + Send + 'static,
    {
        let (sender, asked) = mpsc::unbounded_channel();
        let answer = Arc::new(answer);
        let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let app = Router::new().fallback(move |request: Request| {
            let (answer, sender, count) = (answer.clone(), sender.clone(), count.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let _ = sender.send(Asked {
                    path: parts.uri.path().to_owned(),
                    headers: parts.headers,
                    body: serde_json::from_slice(&body).unwrap_or(Value::Null),
                });
                let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                answer(number).await
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url(listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            asked,
            _server: server,
        }
    }

    /// A server that answers every request with this text.
    pub async fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::answering(move |_| {
            let text = text.clone();
            async move { Response::new(Body::from(text)) }
        })
        .await
    }

    /// A server that answers every request with this status.
    pub async fn status(status: u16) -> Self {
        Self::answering(move |_| async move {
            Response::builder()
                .status(StatusCode::from_u16(status).unwrap())
                .body(Body::from("the secret text of an error"))
                .unwrap()
        })
        .await
    }

    /// A server that reads a request, writes these bytes and closes the connection.
    pub async fn raw(bytes: &'static [u8]) -> Self {
        let (_sender, asked) = mpsc::unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url(listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut request = vec![0; 64 * 1024];
                let _ = socket.read(&mut request).await;
                let _ = socket.write_all(bytes).await;
                let _ = socket.shutdown().await;
            }
        });
        Self {
            url,
            asked,
            _server: server,
        }
    }
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// An answer that sends these chunks and then nothing more, and a receiver that ends when the server drops the answer.
pub fn stalling(chunks: &[&str]) -> (Response, oneshot::Receiver<()>) {
    let (alive, dropped) = oneshot::channel::<()>();
    let chunks: Vec<_> = chunks
        .iter()
        .map(|c| Ok(Bytes::from((*c).to_owned())))
        .collect();
    let body = stream::iter(chunks)
        .chain(stream::pending::<Result<Bytes, std::io::Error>>())
        .map(move |chunk| {
            let _keep = &alive;
            chunk
        });
    (streaming(body), dropped)
}

pub fn streaming(
    body: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
) -> Response {
    Response::new(Body::from_stream(body))
}

/// One line of Ollama's answer.
pub fn ollama_delta(text: &str) -> String {
    let line = json!({
        "model": "llama3.2:1b", "created_at": "2025-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text}, "done": false
    });
    format!("{line}\n")
}

/// The last line of Ollama's answer.
pub fn ollama_end(reason: &str) -> String {
    let line = json!({
        "model": "llama3.2:1b", "created_at": "2025-01-01T00:00:01Z",
        "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "total_duration": 4_883_583_458_u64, "load_duration": 1_334_875, "prompt_eval_count": 26,
        "prompt_eval_duration": 342_546_000, "eval_count": 298, "eval_duration": 4_535_599_000_u64
    });
    format!("{line}\n")
}

pub fn ollama_text(text: &str) -> Response {
    Response::new(Body::from(ollama_delta(text) + &ollama_end("stop")))
}
