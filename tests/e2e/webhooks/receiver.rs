//! A receiver of webhooks that misbehaves when it is told to.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
    routing::post,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use ring::hmac;
use serde_json::Value;
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use turnwise_testing::ReservedPort;

/// What the receiver does with events of a class (by its id), or with all (`*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Answers with this status; takes the event if it is 2xx.
    Status(u16),
    /// Answers that the event goes somewhere else.
    Redirect,
    /// Takes the event and never answers.
    Silent,
    /// Takes the event and closes the connection.
    CutOff,
}

/// An event that came.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub id: String,
    pub signatures: Vec<String>,
    pub timestamp: String,
    pub content_type: String,
    pub body: Vec<u8>,
    pub taken: bool,
}

impl Received {
    pub fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether one of the signatures is of this key.
    pub fn is_signed_with(&self, key: &[u8]) -> bool {
        let signed = [self.id.as_bytes(), self.timestamp.as_bytes(), &self.body].join(&b'.');
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        let tag = STANDARD.encode(hmac::sign(&key, &signed));
        self.signatures.contains(&format!("v1,{tag}"))
    }
}

#[derive(Default)]
struct Inner {
    modes: Mutex<BTreeMap<String, Mode>>,
    received: Mutex<Vec<Received>>,
    count: watch::Sender<usize>,
}

/// A receiver at a port that it keeps while it is down.
pub struct Receiver {
    port: ReservedPort,
    inner: Arc<Inner>,
    serving: Option<JoinHandle<()>>,
}

impl Receiver {
    /// One that is down.
    pub fn new() -> Self {
        Self {
            port: ReservedPort::new().unwrap(),
            inner: Arc::default(),
            serving: None,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port.number())
    }

    pub async fn up(&mut self) {
        let app = Router::new()
            .route("/{path}", post(receive))
            .with_state(Arc::clone(&self.inner));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port.number()))
            .await
            .unwrap();
        self.serving = Some(tokio::spawn(async move {
            axum::serve(listener, app).await.unwrap();
        }));
    }

    pub fn does(&self, class: &str, mode: Mode) {
        let mut modes = self.inner.modes.lock().unwrap();
        modes.insert(class.to_owned(), mode);
    }

    /// All that came so far.
    pub fn received(&self) -> Vec<Received> {
        self.inner.received.lock().unwrap().clone()
    }

    /// The ids that were taken, each once, as their receiver sees them.
    pub fn taken(&self, path: &str) -> Vec<(String, Value)> {
        let mut taken: Vec<(String, Value)> = Vec::new();
        for received in self.received() {
            if received.taken && received.path == path && !taken.iter().any(|t| t.0 == received.id)
            {
                taken.push((received.id.clone(), received.event()));
            }
        }
        taken
    }

    /// Waits until so many attempts came.
    pub async fn attempts(&self, count: usize) {
        let mut counted = self.inner.count.subscribe();
        let waiting = counted.wait_for(|counted| *counted >= count);
        let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        assert!(
            waited.is_ok(),
            "{} attempts of {count}",
            self.received().len()
        );
    }

    pub fn count(&self) -> usize {
        self.inner.received.lock().unwrap().len()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn receive(
    State(inner): State<Arc<Inner>>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let mut received = Received {
        path,
        id: header("webhook-id"),
        signatures: header("webhook-signature")
            .split(' ')
            .map(str::to_owned)
            .collect(),
        timestamp: header("webhook-timestamp"),
        content_type: header("content-type"),
        body: body.to_vec(),
        taken: false,
    };
    let subject = received.event()["subject"]
        .as_str()
        .unwrap_or("")
        .to_owned();
    let class = subject.strip_prefix("class/").unwrap_or("*");
    let mode = {
        let modes = inner.modes.lock().unwrap();
        let found = modes.get(class).or_else(|| modes.get("*"));
        found.copied().unwrap_or(Mode::Status(204))
    };
    received.taken = match mode {
        Mode::Status(status) => (200..300).contains(&status),
        Mode::Redirect => false,
        Mode::Silent | Mode::CutOff => true,
    };
    let count = {
        let mut all = inner.received.lock().unwrap();
        all.push(received);
        all.len()
    };
    inner.count.send_replace(count);
    match mode {
        Mode::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Mode::Redirect => (StatusCode::FOUND, [(LOCATION, "/elsewhere")]).into_response(),
        Mode::Silent => std::future::pending().await,
        // The connection goes with the task.
        Mode::CutOff => panic!("the receiver was told to die here"),
    }
}
