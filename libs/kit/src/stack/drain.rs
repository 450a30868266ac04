//! Watches end when the process drains, since an open stream would hold the drain for ever.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::Frame;
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::CancellationToken;

/// The response, whose stream ends as UNAVAILABLE when `shutdown` is cancelled, so that the watcher asks another server.
pub(super) fn until(shutdown: CancellationToken, response: Response) -> Response {
    response.map(|inner| {
        Body::new(Watch {
            inner,
            drained: Box::pin(shutdown.cancelled_owned()),
            ended: false,
        })
    })
}

struct Watch {
    inner: Body,
    drained: Pin<Box<WaitForCancellationFutureOwned>>,
    ended: bool,
}

impl http_body::Body for Watch {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        // What the stream has to say comes first: the watcher sees NOT_SERVING before the end.
        let frame = Pin::new(&mut self.inner).poll_frame(cx);
        if frame.is_ready() {
            return frame;
        }
        if self.drained.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.ended = true;
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("14"));
        trailers.insert("grpc-message", HeaderValue::from_static("draining"));
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.inner.is_end_stream()
    }
}
