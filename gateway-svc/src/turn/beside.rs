//! Work that is measured, and reading that goes on beside other work and holds it up by nothing. Work is large: it stays
//! where it was pinned.

use std::{future::Future, pin::Pin, time::Duration};

use futures_util::future::MaybeDone;
use tokio::time::{Instant, timeout};
use turnwise_kit::CallContext;

/// How long is waited for what was not read beside the work. A model takes longer; without one there was hardly time.
const MOMENT: Duration = Duration::from_millis(150);

/// Does the work, and reads on while it is waited for. What was read by then is in `reading`.
pub(crate) async fn beside<T, R: Future>(
    mut reading: Pin<&mut MaybeDone<R>>,
    mut work: Pin<&mut impl Future<Output = T>>,
) -> T {
    let mut is_read = matches!(*reading, MaybeDone::Done(_) | MaybeDone::Gone);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = &mut reading, if !is_read => is_read = true,
        }
    }
}

/// What the work comes to, and how long it takes.
pub(super) async fn measured<T>(work: Pin<&mut impl Future<Output = T>>) -> (T, Duration) {
    let began = Instant::now();
    let done = work.await;
    (done, began.elapsed())
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
