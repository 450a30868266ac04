//! What all wire formats share: one attempt at a server, its time-outs and bounds, and what a failure of the transport
//! means.

mod client;
mod pace;
mod retry_after;
mod sse;
mod stream;
mod whole;

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

pub(crate) use client::{Client, Request, below, below_v1, get};
pub(crate) use pace::Pace;
pub(crate) use sse::Events;
pub(crate) use stream::{Wire, pieces};
pub(crate) use whole::{bounded, whole};

use crate::{
    failure::{Failure, Problem, Wait},
    timeouts::Timeouts,
};

/// The most bytes of an answer that holds a completion; each token may come wrapped in a few hundred.
pub(crate) const COMPLETION_MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of an answer that holds embeddings: those of 256 texts with 4,096 decimal numbers each take some 22 MB.
pub(crate) const EMBEDDINGS_MAX_BYTES: usize = 32 * 1024 * 1024;
/// The most text of one completion.
pub(crate) const TEXT_MAX_BYTES: usize = 1024 * 1024;

/// A server, and how patiently it is called. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) backend: &'static str,
    pub(crate) timeouts: Timeouts,
}

/// An answer with status 200 of which at least one byte has come, or nothing at all. Dropping it closes the connection,
/// which cancels the call at the server.
struct Answer {
    body: client::Body,
    first: Option<Bytes>,
    empty: bool,
    server: Server,
    total: Instant,
    read: usize,
    most: usize,
}

impl Server {
    /// Sends `request` and waits for the first byte of the answer's body, which may hold `most` bytes. One attempt.
    async fn send(self, request: Request, model: &str, most: usize) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let deadline = begun + self.timeouts.first_byte;
        let silent = || self.silent(Wait::FirstByte);
        let response = timeout_at(deadline, self.client.send(request))
            .await
            .map_err(|_| silent())?
            .map_err(|error| match error {
                client::SendError::Unreachable => self.unreachable(),
                client::SendError::ConnectTimeout => self.silent(Wait::Connection),
                client::SendError::NoHttp => Failure::Answer {
                    backend: self.backend,
                    status: None,
                    problem: Problem::NoHttp,
                },
            })?;
        match response.status {
            200 => {}
            404 => {
                return Err(Failure::UnknownModel {
                    backend: self.backend,
                    model: model.to_owned(),
                });
            }
            status => {
                return Err(Failure::Status {
                    backend: self.backend,
                    status,
                    retry_after: retry_after::read(response.body.headers()),
                });
            }
        }
        if response.length.is_some_and(|length| length > most as u64) {
            return Err(self.broken(Problem::TooLong));
        }
        let mut body = response.body;
        // Until the first byte of the body nothing was generated for us.
        let first = timeout_at(deadline, body.chunk())
            .await
            .map_err(|_| silent())?
            .map_err(|_| self.unreachable())?;
        Ok(Answer {
            body,
            empty: first.is_none(),
            first,
            total: begun + self.timeouts.total,
            server: self,
            read: 0,
            most,
        })
    }

    fn unreachable(&self) -> Failure {
        Failure::Unreachable {
            backend: self.backend,
        }
    }

    fn silent(&self, wait: Wait) -> Failure {
        let (limit, setting) = match wait {
            Wait::Connection => (self.timeouts.connect, "LLM_CONNECT_TIMEOUT_SECONDS"),
            Wait::FirstByte => (self.timeouts.first_byte, self.timeouts.setting),
        };
        Failure::Silent {
            backend: self.backend,
            wait,
            limit,
            setting,
        }
    }

    /// An answer that is no good.
    pub(crate) fn broken(&self, problem: Problem) -> Failure {
        Failure::Answer {
            backend: self.backend,
            status: Some(200),
            problem,
        }
    }
}

impl Answer {
    /// The next bytes, which come before `until` and within the total; `None` at the end.
    async fn chunk(&mut self, until: Instant) -> Result<Option<Bytes>, Problem> {
        let chunk = match self.first.take() {
            Some(first) => Some(first),
            None if self.empty => None,
            None => match timeout_at(until.min(self.total), self.body.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                Ok(Err(_)) => return Err(Problem::BrokeOff),
                Err(_) if self.total <= until => return Err(Problem::TooSlow),
                Err(_) => return Err(Problem::Stalled),
            },
        };
        self.read += chunk.as_ref().map_or(0, Bytes::len);
        if self.read > self.most {
            return Err(Problem::TooLong);
        }
        Ok(chunk)
    }

    /// Lets a finished answer close, so that its connection can be used again.
    async fn close(mut self) {
        /// How long that may take.
        const CLOSING: Duration = Duration::from_millis(20);
        let _ = tokio::time::timeout(CLOSING, self.body.chunk()).await;
    }
}
