//! The gRPC outcome of a response: in its headers, in its trailers, or never sent because the caller went away.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use tonic::{Code, Status};

/// Tells `end` the response's outcome, when its last byte was handed over or it was dropped.
pub fn observe<B, F>(
    response: http::Response<B>,
    mut end: OnEnd<F>,
) -> http::Response<Observed<B, F>>
where
    F: FnOnce(Code),
{
    if let Some(status) = Status::from_header_map(response.headers()) {
        end.finish(status.code());
    }
    response.map(|inner| Observed { inner, end })
}

/// Runs a closure with the outcome of a call, once: when it is known, or as CANCELLED when it is dropped before.
#[derive(Debug)]
pub struct OnEnd<F: FnOnce(Code)>(Option<F>);

impl<F: FnOnce(Code)> OnEnd<F> {
    /// Waits for the outcome.
    pub fn new(then: F) -> Self {
        Self(Some(then))
    }

    /// The outcome is known.
    pub fn finish(&mut self, code: Code) {
        if let Some(then) = self.0.take() {
            then(code);
        }
    }
}

impl<F: FnOnce(Code)> Drop for OnEnd<F> {
    fn drop(&mut self) {
        self.finish(if std::thread::panicking() {
            Code::Internal
        } else {
            Code::Cancelled
        });
    }
}

/// A response's body that tells how the call went.
#[derive(Debug)]
pub struct Observed<B, F: FnOnce(Code)> {
    inner: B,
    end: OnEnd<F>,
}

impl<B, F> Body for Observed<B, F>
where
    B: Body<Data = Bytes> + Unpin,
    F: FnOnce(Code) + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx));
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
