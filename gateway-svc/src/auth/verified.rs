//! Tokens that were verified before. A student sends the same token with every turn, and checking its signature again
//! costs more than all else that is done before the turn begins.

use std::{
    sync::Arc,
    time::{Duration, Instant as Moment},
};

use moka::{Expiry, sync::Cache};
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use turnwise_kit::Caller;

/// How long a verified token is believed without another look: so long a withdrawn key may go on working.
const BELIEVED: Duration = Duration::from_secs(60);
/// How long it is known at most that a token was valid.
const KNOWN: Duration = Duration::from_secs(86_400);
/// The most tokens that are remembered, some 50 MB of them. Beyond, those that are used least are forgotten.
const MOST: u64 = 100_000;

/// The callers of verified tokens, by the hash of the whole token; the tokens themselves are not kept.
pub(super) struct Verified(Cache<[u8; 32], Entry>);

/// What is known of a token.
pub(super) enum Known {
    /// It was verified a moment ago, and this is its caller.
    Believed(Arc<Caller>),
    /// It was verified before, and has to be verified again.
    Before,
    /// Nothing.
    Nothing,
}

#[derive(Clone)]
struct Entry {
    caller: Arc<Caller>,
    believed_until: Instant,
    /// How long the token is valid.
    valid_for: Duration,
}

/// Entries go when their tokens' time is over.
struct Validity;

impl Expiry<[u8; 32], Entry> for Validity {
    fn expire_after_create(&self, _: &[u8; 32], entry: &Entry, _: Moment) -> Option<Duration> {
        Some(entry.valid_for)
    }

    fn expire_after_update(
        &self,
        _: &[u8; 32],
        entry: &Entry,
        _: Moment,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(entry.valid_for)
    }
}

impl Default for Verified {
    fn default() -> Self {
        let cache = Cache::builder().max_capacity(MOST);
        Self(cache.expire_after(Validity).build())
    }
}

impl Verified {
    /// What is known of this very token.
    pub(super) fn find(&self, token: &Hash) -> Known {
        match self.0.get(&token.0) {
            Some(entry) if Instant::now() < entry.believed_until => Known::Believed(entry.caller),
            Some(_) => Known::Before,
            None => Known::Nothing,
        }
    }

    /// Remembers a verified token, and never for longer than it is valid.
    pub(super) fn remember(&self, token: &Hash, caller: &Arc<Caller>, valid_for: Duration) {
        let entry = Entry {
            caller: Arc::clone(caller),
            believed_until: Instant::now() + valid_for.min(BELIEVED),
            valid_for: valid_for.min(KNOWN),
        };
        self.0.insert(token.0, entry);
    }

    /// Forgets a token that proves nothing any more.
    pub(super) fn forget(&self, token: &Hash) {
        self.0.invalidate(&token.0);
    }
}

/// A token's hash.
pub(super) struct Hash([u8; 32]);

impl Hash {
    pub(super) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}
