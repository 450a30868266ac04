//! Reading that goes on beside other work and holds it up by nothing.

use std::{
    future::Future,
    pin::{Pin, pin},
    time::Duration,
};

use futures_util::future::MaybeDone;
use tokio::time::timeout;
use turnwise_kit::CallContext;

/// How long is waited for what was not read beside the work. A model takes longer; without one there was hardly time.
const MOMENT: Duration = Duration::from_millis(150);

/// Does the work, and reads on while it is waited for. What was read by then is in `reading`.
pub(crate) async fn beside<T, R: Future>(
    mut reading: Pin<&mut MaybeDone<R>>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    let mut is_read = matches!(*reading, MaybeDone::Done(_) | MaybeDone::Gone);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = &mut reading, if !is_read => is_read = true,
        }
    }
}

/// Reads on for a moment, as far as the call has the time.
pub(super) async fn wait_a_moment<R: Future>(
    context: &CallContext,
    reading: Pin<&mut MaybeDone<R>>,
) {
    let moment = context.remaining().map_or(MOMENT, |left| left.min(MOMENT));
    if timeout(moment, reading).await.is_err() {
        tracing::debug!("what is read beside a turn is not there yet: it goes on without");
    }
}
