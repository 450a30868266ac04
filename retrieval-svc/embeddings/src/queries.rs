//! Vectors of queries: kept for a while, made once for all who ask at the same time, and given up in time.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use turnwise_kit::CallContext;

use crate::{EmbedError, Embedder, Purpose};

/// The most vectors that are kept.
const ENTRIES: u64 = 10_000;
/// The most bytes of them, and of what surrounds them.
const BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of an entry without its numbers: the key, and what the cache itself needs, roughly.
const ENTRY_BYTES: usize = 256;

/// Embeds queries.
pub struct Queries {
    embedder: Arc<dyn Embedder>,
    wait: Duration,
    cache: Cache<[u8; 32], Arc<[f32]>>,
}

impl Queries {
    /// Queries wait for their vector for so long at most.
    pub fn new(embedder: Arc<dyn Embedder>, wait: Duration) -> Self {
        let cache = Cache::builder()
            .max_capacity(BYTES)
            .weigher(|_, vector: &Arc<[f32]>| weight(vector))
            .build();
        Self {
            embedder,
            wait,
            cache,
        }
    }

    /// The vector of a text, which is embedded as it is: whoever calls has normalised it. Texts that are asked for by
    /// several at once are embedded once. It answers within the wait of [`new`](Self::new), and before the call's
    /// deadline.
    ///
    /// # Errors
    /// As [`Embedder::embed`]; the search then goes by words alone. A failure is not kept.
    pub async fn embed(&self, text: &str, call: &CallContext) -> Result<Arc<[f32]>, EmbedError> {
        let key: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        if let Some(vector) = self.cache.get(&key).await {
            return Ok(vector);
        }
        let now = Instant::now();
        let own = call.until(now + self.wait);
        let until = own.deadline().unwrap_or(now);
        // Others may wait for this answer, with more time left than this caller has: it gets the whole wait, for as long as
        // this caller waits for it; then one of the others goes on.
        let shared = CallContext::background(call.caller_opt().cloned(), self.wait);
        let work = async {
            let mut vectors = self
                .embedder
                .embed(vec![text.into()], Purpose::Query, &shared)
                .await?;
            match vectors.pop() {
                Some(vector) if vectors.is_empty() => Ok(Arc::from(vector)),
                _ => Err(EmbedError::Unusable(
                    "not one vector for one text".to_owned(),
                )),
            }
        };
        match tokio::time::timeout_at(until, self.cache.try_get_with(key, work)).await {
            Ok(result) => result.map_err(|error| EmbedError::clone(&error)),
            Err(_) => Err(EmbedError::Timeout),
        }
    }
}

/// What an entry counts for: its bytes, and at least the share that keeps the number of entries in bounds.
fn weight(vector: &[f32]) -> u32 {
    let bytes =
        (ENTRY_BYTES + size_of_val(vector)).max(usize::try_from(BYTES / ENTRIES).unwrap_or(0));
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
