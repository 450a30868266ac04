//! Retries of what fails in a passing way, with growing pauses.

use std::{future::Future, time::Duration};

use turnwise_kit::CancellationToken;

use crate::EmbedError;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Repeats `work` while it fails in a passing way, with pauses that double up to half a minute; `None` if it was cancelled
/// meanwhile. `on_failure` is called with each failure that is waited out.
pub(crate) async fn with_retries<T, F>(
    cancelled: &CancellationToken,
    mut on_failure: impl FnMut(&EmbedError),
    mut work: impl FnMut() -> F,
) -> Option<Result<T, EmbedError>>
where
    F: Future<Output = Result<T, EmbedError>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        let result = tokio::select! {
            biased;
            () = cancelled.cancelled() => return None,
            result = work() => result,
        };
        let error = match result {
            Err(error) if error.is_passing() => error,
            end => return Some(end),
        };
        tracing::warn!(reason = error.reason(), %error, "the embedding model is tried again");
        on_failure(&error);
        let asked = match &error {
            EmbedError::Unavailable {
                retry_after: Some(after),
                ..
            } => *after,
            _ => Duration::ZERO,
        };
        tokio::select! {
            () = cancelled.cancelled() => return None,
            () = tokio::time::sleep(pause.max(asked).min(LONGEST_PAUSE)) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
