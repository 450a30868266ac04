//! Streams end with the process, and say why: an open one would hold the drain for ever, and one that just broke off would
//! leave its reader without advice.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use tonic::Status;

use crate::drain::cut_off;

/// The response, whose stream ends as UNAVAILABLE, with a retry hint, when `ended` does.
pub(super) fn until(
    ended: impl Future<Output = ()> + Send + 'static,
    response: Response,
) -> Response {
    response.map(|inner| {
        Body::new(Until {
            inner,
            ended: Some(Box::pin(ended)),
        })
    })
}

struct Until {
    inner: Body,
    /// Absent: it has ended.
    ended: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl http_body::Body for Until {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(ended) = &mut this.ended else {
            return Poll::Ready(None);
        };
        // What the stream has to say comes first: a watcher sees NOT_SERVING, and a student the answer, before the end.
        let frame = Pin::new(&mut this.inner).poll_frame(cx);
        if frame.is_ready() {
            return frame;
        }
        if ended.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        this.ended = None;
        let mut trailers = HeaderMap::new();
        Poll::Ready(match Status::from(cut_off()).add_header(&mut trailers) {
            Ok(()) => Some(Ok(Frame::trailers(trailers))),
            Err(error) => Some(Err(axum::Error::new(error))),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended.is_none() || self.inner.is_end_stream()
    }
}
