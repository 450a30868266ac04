//! Which model there is, found out at the start.

use std::time::Duration;

use turnwise_kit::{CallContext, CancellationToken};
use turnwise_retrieval_index::ModelId;

use crate::{EmbedError, Embedder, retry::with_retries};

/// How long one question may take.
const WAIT: Duration = Duration::from_secs(30);

/// Asks which model this is, again and again while it does not answer. `Ok(None)`: there is no model, or it was cancelled
/// first.
///
/// # Errors
/// What trying again does not help.
pub async fn describe_patiently(
    embedder: &dyn Embedder,
    cancelled: &CancellationToken,
) -> Result<Option<ModelId>, EmbedError> {
    let work = || async {
        let call = CallContext::background(None, WAIT);
        embedder.describe(&call).await
    };
    with_retries(cancelled, |_| {}, work)
        .await
        .unwrap_or(Ok(None))
}
