//! What both wire formats share: the client, the bounds, and what a failure of the transport means.

use std::{collections::VecDeque, error::Error as _, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, redirect};
use tokio::time::timeout;
use tokio_util::codec::{Decoder, LinesCodec};

use crate::{
    completion::{End, Piece, Pieces},
    error::{Away, Error, StartError},
};

/// The longest line of an answer. A line holds one delta, or a few words about the whole.
const LINE_MAX_BYTES: usize = 256 * 1024;
/// The most text of one completion.
const TEXT_MAX_BYTES: usize = 1024 * 1024;
/// The most bytes of one answer; each token comes wrapped in a few hundred.
const ANSWER_MAX_BYTES: usize = 16 * 1024 * 1024;
/// How long a finished answer may take to close, so that its connection can be used again.
const CLOSING: Duration = Duration::from_millis(20);

/// A client for the server at `url`.
pub(super) fn client(url: &Url) -> Result<Client, StartError> {
    // Another part of the process may have installed a provider; then this one is not needed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        // A redirect could lead a prompt out of the private network.
        .redirect(redirect::Policy::none());
    if !super::is_remote(url) {
        // So could a proxy.
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Nothing is encrypted, so the machine's root certificates need not be loaded.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(StartError::Client)
}

/// The address `path` below the server's base address.
pub(super) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url
}

/// A server, and how long it may stay silent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Upstream {
    pub(super) backend: &'static str,
    pub(super) silence: Duration,
}

/// How one wire format is read, line by line.
pub(super) trait Wire: Send + 'static {
    /// Reads a line and appends the pieces in it.
    fn line(&mut self, line: &str, pieces: &mut VecDeque<Piece>) -> Result<(), Unreadable>;

    /// The end, if the answer may end here although no line has said so.
    fn at_close(&mut self) -> Option<End>;
}

/// A line that is no part of the wire format, or that reports an error; in words of ours.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) &'static str);

impl Upstream {
    /// Sends `request` and reads the answer as it comes. One attempt.
    pub(super) fn pieces(self, request: RequestBuilder, model: String, wire: impl Wire) -> Pieces {
        let start = async move {
            let response = self.send(request, model).await?;
            Ok(Answer {
                status: response.status(),
                response,
                upstream: self,
                read: 0,
                text: 0,
                buffer: BytesMut::new(),
                lines: LinesCodec::new_with_max_length(LINE_MAX_BYTES),
                wire,
                pieces: VecDeque::new(),
            })
        };
        stream::once(start)
            .flat_map(|answer| {
                stream::unfold(Some(answer), |state| async move {
                    let mut answer = match state? {
                        Ok(answer) => answer,
                        Err(error) => return Some((Err(error), None)),
                    };
                    match answer.next().await {
                        Ok(piece @ Piece::Delta(_)) => Some((Ok(piece), Some(Ok(answer)))),
                        last => Some((last, None)),
                    }
                })
            })
            .boxed()
    }

    async fn send(&self, request: RequestBuilder, model: String) -> Result<Response, Error> {
        let response = timeout(self.silence, request.send())
            .await
            .map_err(|_| self.unavailable(Away::Silent))?
            .map_err(|error| {
                if is_no_http(&error) {
                    self.broken("none", "its answer is no HTTP")
                } else {
                    self.unavailable(Away::Unreachable)
                }
            })?;
        match response.status() {
            StatusCode::OK => Ok(response),
            StatusCode::NOT_FOUND => Err(Error::UnknownModel {
                backend: self.backend,
                model,
            }),
            status => Err(self.broken(status.as_str(), "it answered with an error")),
        }
    }

    fn unavailable(&self, cause: Away) -> Error {
        Error::Unavailable {
            backend: self.backend,
            cause,
        }
    }

    fn broken(&self, status: &str, problem: &'static str) -> Error {
        Error::Backend {
            backend: self.backend,
            status: status.to_owned(),
            problem,
        }
    }
}

/// Whether the server spoke something other than HTTP.
fn is_no_http(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(hyper) = inner.downcast_ref::<hyper::Error>() {
            return hyper.is_parse();
        }
        source = inner.source();
    }
    false
}

/// An answer that is being read. Dropping it closes the connection, which cancels the call at the server.
struct Answer<W> {
    response: Response,
    status: StatusCode,
    upstream: Upstream,
    read: usize,
    text: usize,
    buffer: BytesMut,
    lines: LinesCodec,
    wire: W,
    pieces: VecDeque<Piece>,
}

impl<W: Wire> Answer<W> {
    async fn next(&mut self) -> Result<Piece, Error> {
        loop {
            match self.pieces.pop_front() {
                Some(Piece::Delta(text)) if text.is_empty() => continue,
                Some(Piece::Delta(text)) => {
                    self.text += text.len();
                    if self.text > TEXT_MAX_BYTES {
                        return Err(self.broken("its completion is longer than 1 MiB"));
                    }
                    return Ok(Piece::Delta(text));
                }
                Some(end) => {
                    let _ = timeout(CLOSING, self.response.chunk()).await;
                    return Ok(end);
                }
                None => self.read_on().await?,
            }
        }
    }

    /// Reads the next line, or the next bytes where no line is whole.
    async fn read_on(&mut self) -> Result<(), Error> {
        if let Some(line) = self
            .lines
            .decode(&mut self.buffer)
            .map_err(|_| self.broken("its answer holds an overlong line or is no text"))?
        {
            return self.line(&line);
        }
        if let Some(bytes) = self.chunk().await? {
            self.buffer.extend_from_slice(&bytes);
            return Ok(());
        }
        if let Ok(Some(line)) = self.lines.decode_eof(&mut self.buffer) {
            self.line(&line)?;
        }
        if self.pieces.is_empty() {
            let end = self
                .wire
                .at_close()
                .ok_or_else(|| self.broken("its answer broke off"))?;
            self.pieces.push_back(Piece::End(end));
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Error> {
        self.wire
            .line(line, &mut self.pieces)
            .map_err(|Unreadable(problem)| self.broken(problem))
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = match timeout(self.upstream.silence, self.response.chunk()).await {
            Ok(Ok(chunk)) => chunk,
            // Until the first byte of the body nothing was generated for us.
            Ok(Err(_)) if self.read == 0 => {
                return Err(self.upstream.unavailable(Away::Unreachable));
            }
            Err(_) if self.read == 0 => return Err(self.upstream.unavailable(Away::Silent)),
            Ok(Err(_)) => return Err(self.broken("its answer broke off")),
            Err(_) => return Err(self.broken("it fell silent in the middle of its answer")),
        };
        self.read += chunk.as_ref().map_or(0, Bytes::len);
        if self.read > ANSWER_MAX_BYTES {
            return Err(self.broken("its answer is longer than 16 MiB"));
        }
        Ok(chunk)
    }

    fn broken(&self, problem: &'static str) -> Error {
        self.upstream.broken(self.status.as_str(), problem)
    }
}
