//! The HTTP side: connections, calls and the control paths.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpListener,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

use super::{
    Fault, Settings, Statistics,
    answer::{Call, Head, Plan},
    body::{Answer, BrokenOff, Step},
    socket::{Reset, Socket},
    statistics::Counter,
    wire::{self, Api, Ask},
};
use crate::choices::Choices;

/// The pause after a connection could not be accepted, so that a machine without free descriptors gets some air.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// What all connections share.
#[derive(Debug)]
pub(super) struct Server {
    counter: Arc<Counter>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    settings: Arc<Settings>,
    script: VecDeque<Fault>,
    choices: Choices,
}

impl State {
    fn new(settings: Settings) -> Self {
        Self {
            script: settings.script.iter().copied().collect(),
            choices: Choices::new(settings.seed),
            settings: Arc::new(settings),
        }
    }

    /// How the next call to this model fails.
    fn fault(&mut self, model: &str) -> Fault {
        if let Some(fault) = Fault::of_model(model) {
            return fault;
        }
        if let Some(fault) = self.script.pop_front() {
            return fault;
        }
        match &self.settings.mix {
            Some(mix) if self.choices.share() < mix.share => {
                let choice = self.choices.below(mix.faults.len());
                mix.faults.get(choice).copied().unwrap_or(Fault::None)
            }
            _ => Fault::None,
        }
    }
}

/// Takes connections until it is dropped.
pub(super) async fn accept(listener: TcpListener, server: Arc<Server>) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            Some(_) = connections.join_next() => continue,
        };
        // It fails only if the peer is gone already, and then nothing is slow.
        let _ = stream.set_nodelay(true);
        let server = Arc::clone(&server);
        connections.spawn(async move {
            let reset = Reset::default();
            let socket = Socket::new(stream, reset.clone());
            let service =
                service_fn(move |request| Arc::clone(&server).answer(request, reset.clone()));
            // A connection that breaks is what some of the faults are about.
            let _ = http1::Builder::new()
                .header_read_timeout(None)
                .serve_connection(TokioIo::new(socket), service)
                .await;
        });
    }
}

impl Server {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            counter: Arc::default(),
            state: Mutex::new(State::new(settings)),
        }
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.counter.statistics()
    }

    pub(super) fn reset_statistics(&self) {
        self.counter.reset();
    }

    pub(super) fn set(&self, settings: Settings) {
        *self.state() = State::new(settings);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves settings that are still settings.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        reset: Reset,
    ) -> Result<Response<Answer>, BrokenOff> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| BrokenOff)?.to_bytes();
        let path = head.uri.path();
        if let Some(api) = Api::of(&head.method, path) {
            if !self.opens(&head.headers) {
                let message = api.failure("the key is none of ours");
                return Ok(simple(StatusCode::UNAUTHORIZED, message));
            }
            return match serde_json::from_slice::<Ask>(&body) {
                Ok(ask) => self.call(api, &ask, reset).await,
                Err(error) => {
                    let message = api.failure(&error.to_string());
                    Ok(simple(StatusCode::BAD_REQUEST, message))
                }
            };
        }
        Ok(match (head.method, path) {
            (Method::GET, "/api/tags") => simple(StatusCode::OK, wire::tags()),
            (Method::GET, "/control/statistics") => match serde_json::to_string(&self.statistics())
            {
                Ok(statistics) => simple(StatusCode::OK, statistics),
                Err(error) => simple(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            },
            (Method::DELETE, "/control/statistics") => {
                self.reset_statistics();
                simple(StatusCode::OK, String::new())
            }
            (Method::PUT, "/control/settings") => match serde_json::from_slice(&body) {
                Ok(settings) => {
                    self.set(settings);
                    simple(StatusCode::OK, String::new())
                }
                Err(error) => simple(StatusCode::BAD_REQUEST, error.to_string()),
            },
            _ => simple(StatusCode::NOT_FOUND, "there is nothing here".to_owned()),
        })
    }

    /// Whether a call has one of the keys that are asked for.
    fn opens(&self, headers: &HeaderMap) -> bool {
        let settings = Arc::clone(&self.state().settings);
        let given = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
        let key = given.and_then(|it| it.strip_prefix("Bearer "));
        settings.keys.is_empty() || settings.keys.iter().any(|it| Some(it.as_str()) == key)
    }

    async fn call(&self, api: Api, ask: &Ask, reset: Reset) -> Result<Response<Answer>, BrokenOff> {
        let begun = Instant::now();
        let (settings, fault, service_time) = {
            let mut state = self.state();
            let fault = state.fault(&ask.model);
            let settings = Arc::clone(&state.settings);
            let time = settings.service_time.draw(&mut state.choices);
            (settings, fault, time)
        };
        // From here on a caller that goes away is seen: this future, or the answer's body, is dropped.
        let running = self.counter.begin(api.kind(), fault);
        let call = Call {
            api,
            ask,
            settings: &settings,
            fault,
            begun,
            service_time,
        };
        let plan = call.plan();
        match plan.head {
            Head::At(then) if then > begun => sleep_until(then).await,
            Head::At(_) => {}
            Head::Never => pending().await,
            Head::Reset => {
                reset.now();
                running.end();
                return Err(BrokenOff);
            }
        }
        let Plan {
            status,
            retry_after,
            content_type,
            steps,
            length,
            ..
        } = plan;
        let mut response = Response::new(Answer::new(steps, length, Some(running), reset));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        if let Some(seconds) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        Ok(response)
    }
}

/// An answer that is no call's.
fn simple(status: StatusCode, text: String) -> Response<Answer> {
    let bytes = Bytes::from(text);
    let length = Some(bytes.len() as u64);
    let steps = VecDeque::from([Step::Send(bytes)]);
    let mut response = Response::new(Answer::new(steps, length, None, Reset::default()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
