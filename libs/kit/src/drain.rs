//! The end of a process as its calls see it: nothing at first, then a time.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::WaitForCancellationFutureOwned;
use turnwise_proto::common::v1::ErrorReason;

use crate::{CancellationToken, Fault};

/// When to try a call again that a process's end cut off: another one may serve by then.
const RETRY: Duration = Duration::from_secs(1);

/// The end of a process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Drain {
    begun: CancellationToken,
    over: Arc<OnceLock<Instant>>,
}

impl Drain {
    /// A drain that begins with this token.
    pub(crate) fn new(begun: CancellationToken) -> Self {
        Self {
            begun,
            over: Arc::default(),
        }
    }

    /// Begins it: watches end, and the calls that run have so long. Begun once, its end stands; the answer is what is left.
    pub fn begin(&self, within: Duration) -> Duration {
        let over = *self.over.get_or_init(|| Instant::now() + within);
        self.begun.cancel();
        over.saturating_duration_since(Instant::now())
    }

    /// Ends when it begins.
    pub(crate) fn begun(&self) -> WaitForCancellationFutureOwned {
        self.begun.clone().cancelled_owned()
    }

    /// Ends when no more than `reserve` is left of it, so that what comes after still fits; never, if the process goes on.
    pub fn nearly_over(&self, reserve: Duration) -> impl Future<Output = ()> + Send + use<> {
        let (begun, over) = (self.begun(), Arc::clone(&self.over));
        async move {
            begun.await;
            match over.get() {
                Some(over) => {
                    sleep_until(over.checked_sub(reserve).unwrap_or_else(Instant::now)).await;
                }
                None => std::future::pending().await,
            }
        }
    }
}

/// The failure of a call that the end of the process cut off.
pub(crate) fn cut_off() -> Fault {
    Fault::new(
        ErrorReason::Draining,
        "this server is being stopped and could not finish the call; try again, with the same key if the call has one",
    )
    .retry_after(RETRY)
}
