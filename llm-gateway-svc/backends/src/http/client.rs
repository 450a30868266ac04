//! The HTTP client: no redirects, no retries, and as many connections as there are calls.

use std::{error::Error as _, time::Duration};

use bytes::Bytes;
use reqwest::{
    Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect, retry,
};
use serde::Serialize;

use crate::start::StartError;

/// How long a connection that nobody uses is kept. Model servers close such a connection after 5 s by default, and a call
/// that is sent at that moment fails.
const IDLE: Duration = Duration::from_secs(4);
/// The same for remote servers, which keep connections for longer, and where a new one costs a handshake.
const IDLE_REMOTE: Duration = Duration::from_secs(50);

/// A client for one server. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Client(reqwest::Client);

/// One request.
pub(crate) struct Request {
    url: Url,
    authorization: Option<HeaderValue>,
    body: Vec<u8>,
}

impl Request {
    /// A request with this body.
    pub(crate) fn json(
        url: &Url,
        authorization: Option<HeaderValue>,
        body: &impl Serialize,
    ) -> Self {
        Self {
            url: url.clone(),
            authorization,
            // Structs of strings and numbers always have a JSON form.
            body: serde_json::to_vec(body).unwrap_or_default(),
        }
    }
}

/// The head of an answer, and the body that follows.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) length: Option<u64>,
    pub(super) body: Body,
}

/// A body as it comes.
pub(super) struct Body(reqwest::Response);

/// Why there is no answer.
pub(super) enum SendError {
    Unreachable,
    ConnectTimeout,
    NoHttp,
}

impl Client {
    /// A client for the server at `url`, which is remote or in the private network, that takes no longer than `connect` to
    /// connect.
    pub(crate) fn new(url: &Url, remote: bool, connect: Duration) -> Result<Self, StartError> {
        // Another part of the process may have installed a provider; then this one is not needed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            // A redirect could lead a prompt out of the private network.
            .redirect(redirect::Policy::none())
            // Whoever calls decides about another attempt.
            .retry(retry::never())
            // A connection for each call: one with many streams would bound how many calls run at once, and to close it
            // is the one way to cancel that every server understands.
            .http1_only()
            .pool_max_idle_per_host(usize::MAX)
            .pool_idle_timeout(if remote { IDLE_REMOTE } else { IDLE })
            .connect_timeout(connect)
            .tcp_nodelay(true);
        if !remote {
            // So could a proxy.
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Nothing is encrypted, so the machine's root certificates need not be loaded.
            builder = builder.tls_certs_only([]);
        }
        builder.build().map(Self).map_err(StartError::Client)
    }
}

impl Client {
    /// Posts `request`; one attempt.
    pub(super) async fn send(&self, request: Request) -> Result<Response, SendError> {
        let mut headers = HeaderMap::with_capacity(2);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(authorization) = request.authorization {
            headers.insert(AUTHORIZATION, authorization);
        }
        let answer = self
            .0
            .post(request.url)
            .headers(headers)
            .body(request.body)
            .send()
            .await
            .map_err(|error| meaning(&error))?;
        Ok(Response {
            status: answer.status().as_u16(),
            length: answer.content_length(),
            body: Body(answer),
        })
    }
}

impl Body {
    /// The headers of the answer that this is the body of.
    pub(super) fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    /// The next bytes; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, BrokeOff> {
        self.0.chunk().await.map_err(|_| BrokeOff)
    }
}

/// The connection closed before the body's end.
pub(super) struct BrokeOff;

fn meaning(error: &reqwest::Error) -> SendError {
    if error.is_connect() && error.is_timeout() {
        return SendError::ConnectTimeout;
    }
    // The server spoke something other than HTTP.
    let mut source = error.source();
    while let Some(inner) = source {
        if inner
            .downcast_ref::<hyper::Error>()
            .is_some_and(hyper::Error::is_parse)
        {
            return SendError::NoHttp;
        }
        source = inner.source();
    }
    SendError::Unreachable
}

/// The address `path` below the server's base address.
pub(crate) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url
}

/// The address `path` below version 1 of OpenAI's protocols. Some people write the base address with its version, as
/// OpenAI's own clients want it, and some without.
pub(crate) fn below_v1(base: &Url, path: &str) -> Url {
    if base.path().trim_end_matches('/').is_empty() {
        below(base, &format!("/v1{path}"))
    } else {
        below(base, path)
    }
}

/// Fetches a small document, at most `most` bytes; `None` if anything goes wrong.
pub(crate) async fn get(
    client: &Client,
    url: Url,
    authorization: Option<HeaderValue>,
    most: usize,
) -> Option<Vec<u8>> {
    let headers = authorization.map(|value| (AUTHORIZATION, value));
    let mut answer = client
        .0
        .get(url)
        .headers(headers.into_iter().collect())
        .send()
        .await
        .ok()?
        .error_for_status()
        .ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > most {
            return None;
        }
    }
    Some(body)
}
