//! Fake model servers: real sockets on free ports, with answers from the test.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

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
    net::{TcpListener, TcpStream},
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
        Self::serving(move |number, _| answer(number)).await
    }

    /// A server that answers every request with what `reply` makes of it.
    pub async fn replying<F>(reply: F) -> Self
    where
        F: Fn(&Asked) -> Response + Send + Sync + 'static,
    {
        Self::serving(move |_, asked| std::future::ready(reply(asked))).await
    }

    async fn serving<F, R>(answer: F) -> Self
    where
        F: Fn(usize, &Asked) -> R + Send + Sync + 'static,
        R: Future<Output = Response> + Send + 'static,
    {
        let (sender, asked) = mpsc::unbounded_channel();
        let answer = Arc::new(answer);
        let count = Arc::new(AtomicUsize::new(0));
        let app = Router::new().fallback(move |request: Request| {
            let (answer, sender, count) = (answer.clone(), sender.clone(), count.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let asked = Asked {
                    path: parts.uri.path().to_owned(),
                    headers: parts.headers,
                    body: serde_json::from_slice(&body).unwrap_or(Value::Null),
                };
                let answer = answer(count.fetch_add(1, Ordering::SeqCst), &asked);
                let _ = sender.send(asked);
                answer.await
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

    /// A server that answers a request for a stream with one text and any other with another.
    pub async fn by_mode(stream: impl Into<String>, whole: impl Into<String>) -> Self {
        let (stream, whole) = (stream.into(), whole.into());
        Self::replying(move |asked| {
            let stream_wanted = asked.body["stream"] == true;
            let text = if stream_wanted { &stream } else { &whole };
            Response::new(Body::from(text.clone()))
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
    pub async fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self::acting(vec![Act::Write(bytes.as_ref().to_vec())]).await
    }

    /// A server that reads a request, acts, and closes the connection.
    pub async fn acting(acts: Vec<Act>) -> Self {
        let (_sender, asked) = mpsc::unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url(listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut socket, _)) = listener.accept().await {
                let acts = acts.clone();
                connections.spawn(async move {
                    read_request(&mut socket).await;
                    for act in &acts {
                        match act {
                            Act::Write(bytes) => {
                                let _ = socket.write_all(bytes).await;
                            }
                            Act::Pause(time) => tokio::time::sleep(*time).await,
                            Act::Hang => std::future::pending().await,
                            Act::Reset => {
                                let _ = socket.set_zero_linger();
                                return;
                            }
                        }
                    }
                    let _ = socket.shutdown().await;
                });
            }
        });
        Self {
            url,
            asked,
            _server: server,
        }
    }
}

/// Reads one request; `false` if none came.
pub async fn read_request(socket: &mut TcpStream) -> bool {
    let mut request = Vec::new();
    loop {
        if socket.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return false;
        }
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return true;
            }
        }
    }
}

/// What a server does on a connection after it has read a request.
#[derive(Clone)]
pub enum Act {
    Write(Vec<u8>),
    Pause(Duration),
    /// Nothing more, for ever.
    Hang,
    /// Closes the connection in the middle, so that the client sees a reset.
    Reset,
}

/// The head of an answer whose body comes in chunks.
pub const HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/// A chunk of such a body.
pub fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// An address at which nobody listens.
pub async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    url(listener.local_addr().unwrap())
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

/// The arguments for an Ollama at this address.
pub fn at_ollama(url: &str) -> Vec<&str> {
    vec!["--helper-llm-backend", "ollama", "--ollama-base-url", url]
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

/// Ollama's answer to a request without a stream.
pub fn ollama_whole(text: &str, reason: &str) -> String {
    let mut line: Value = serde_json::from_str(&ollama_end(reason)).unwrap();
    line["message"]["content"] = text.into();
    line.to_string()
}

/// Ollama's whole answer as a stream.
pub fn ollama_text(text: &str) -> String {
    ollama_delta(text) + &ollama_end("stop")
}
