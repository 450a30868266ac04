//! At most so many calls at once; the rest are refused at once, with a time to come back.

use std::future::Future;

use axum::{extract::Request, response::Response};
use tokio::sync::Semaphore;
use turnwise_proto::common::v1::ErrorReason;

use super::{RETRY_WHEN_FULL, auth::OpenMethods, errors};
use crate::Fault;

pub(super) struct Places {
    pub(super) free: Semaphore,
    pub(super) most: usize,
}

pub(super) async fn limit<F: Future<Output = Response>>(
    places: &Places,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    // Probes must see a busy server as alive, and their streams may last for ever.
    if OpenMethods::contains(request.uri().path()) {
        return next(request).await;
    }
    let Ok(_place) = places.free.try_acquire() else {
        return errors::respond(
            Fault::new(
                ErrorReason::Busy,
                "too many calls at once; try again when RetryInfo says",
            )
            .meta("max_in_flight", places.most.to_string())
            .retry_after(RETRY_WHEN_FULL),
        );
    };
    next(request).await
}
