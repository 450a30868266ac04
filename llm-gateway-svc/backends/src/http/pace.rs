//! How quick a server's whole answers are, and with that whether one may be awaited without seeing its tokens.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use crate::{completion::Completion, failure::Failure};

/// How long the server's slower completions took of late.
///
/// An answer that comes whole costs us less than the same in tokens, but until it comes the server is silent, and silence
/// is all there is to tell a stalled server from a slow one. So whole answers are asked for where the slower ones of late
/// took a quarter of the longest silence at most, and tokens elsewhere: a slow model keeps its time, and a stalled one is
/// found as early as ever. It is only for servers that notice that a caller has gone although they have nothing to send:
/// Ollama and OpenAI do, and some of the compatible ones.
#[derive(Clone)]
pub(crate) struct Pace {
    /// Microseconds.
    slow: Arc<AtomicU64>,
    silence: Duration,
}

impl Pace {
    /// The pace of a server that was not called yet; its longest silence is `silence`.
    pub(crate) fn new(silence: Duration) -> Self {
        Self {
            slow: Arc::new(AtomicU64::new(u64::MAX)),
            silence,
        }
    }

    /// Whether a whole answer may be awaited.
    pub(crate) fn is_quick(&self) -> bool {
        let slow = self.slow.load(Ordering::Relaxed);
        Duration::from_micros(slow)
            .checked_mul(4)
            .is_some_and(|time| time <= self.silence)
    }

    /// Awaits a completion and remembers how long it took. A slower one counts at once, and fades by an eighth with each
    /// that follows.
    pub(crate) async fn measured<F>(self, completion: F) -> Result<Completion, Failure>
    where
        F: Future<Output = Result<Completion, Failure>>,
    {
        let begun = Instant::now();
        let result = completion.await;
        match &result {
            Ok(_) => {
                let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                let slow = self.slow.load(Ordering::Relaxed);
                let faded = if slow == u64::MAX { 0 } else { slow - slow / 8 };
                // Two calls at once may each overwrite the other's: one of two recent times stays.
                self.slow.store(took.max(faded), Ordering::Relaxed);
            }
            Err(Failure::Silent { .. }) => self.slow.store(u64::MAX, Ordering::Relaxed),
            Err(_) => {}
        }
        result
    }
}
