//! The gRPC outcome of a response: in its headers, in its trailers, or never sent because the caller went away.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use tonic::{Code, Status};

/// Calls `then` exactly once with the response's outcome, when its last byte was handed over or it was dropped.
pub fn observe<B>(
    response: http::Response<B>,
    then: impl FnOnce(Code) + Send + 'static,
) -> http::Response<tonic::body::Body>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<tonic::codegen::StdError>,
{
    let mut end = OnEnd::new(then);
    if let Some(status) = Status::from_header_map(response.headers()) {
        end.finish(status.code());
    }
    response.map(|body| {
        tonic::body::Body::new(Observed {
            inner: Box::pin(body),
            end,
        })
    })
}

/// Runs a closure with the outcome of a call, once: when it is known, or as CANCELLED when it is dropped before.
pub struct OnEnd(Option<Box<dyn FnOnce(Code) + Send>>);

impl OnEnd {
    /// Waits for the outcome.
    pub fn new(then: impl FnOnce(Code) + Send + 'static) -> Self {
        Self(Some(Box::new(then)))
    }

    /// The outcome is known.
    pub fn finish(&mut self, code: Code) {
        if let Some(then) = self.0.take() {
            then(code);
        }
    }

    /// Somebody else will tell the outcome.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}

impl Drop for OnEnd {
    fn drop(&mut self) {
        self.finish(if std::thread::panicking() {
            Code::Internal
        } else {
            Code::Cancelled
        });
    }
}

struct Observed<B> {
    inner: Pin<Box<B>>,
    end: OnEnd,
}

impl<B> Body for Observed<B>
where
    B: Body<Data = Bytes>,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(self.inner.as_mut().poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(code) = frame.trailers_ref().map(code_in) {
                    self.end.finish(code);
                }
            }
            Some(Err(_)) => self.end.finish(Code::Unknown),
            None => self.end.finish(Code::Ok),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

fn code_in(trailers: &HeaderMap) -> Code {
    trailers
        .get("grpc-status")
        .map_or(Code::Unknown, |v| Code::from_bytes(v.as_bytes()))
}
