//! A handler's panic becomes INTERNAL.

use std::any::Any;

use axum::response::Response;
use tower_http::catch_panic::{CatchPanicLayer, ResponseForPanic};
use turnwise_proto::common::v1::ErrorReason;

use crate::Fault;

/// The layer that catches panics.
pub(super) fn catch() -> CatchPanicLayer<Answer> {
    CatchPanicLayer::custom(Answer)
}

#[derive(Clone)]
pub(super) struct Answer;

impl ResponseForPanic for Answer {
    type ResponseBody = axum::body::Body;

    fn response_for_panic(&mut self, panic: Box<dyn Any + Send + 'static>) -> Response {
        let what = panic
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        tracing::error!(panic = %what, "a handler panicked");
        super::errors::respond(Fault::new(
            ErrorReason::Internal,
            "something went wrong here; report the x-request-id",
        ))
    }
}
