//! Tokens that were verified a moment ago. A student sends the same token with every turn, and checking its signature
//! again costs more than all else that is done before the turn begins.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use sha2::{Digest, Sha256};
use tokio::time::Instant;
use turnwise_kit::Caller;

/// How long a verified token is believed without another look: so long a withdrawn key may go on working.
const BELIEVED: Duration = Duration::from_secs(60);
/// The most tokens that are remembered.
const MOST: usize = 10_000;

/// The callers of verified tokens, by the hash of the whole token; the tokens themselves are not kept.
#[derive(Default)]
pub(super) struct Verified(Mutex<HashMap<[u8; 32], Entry>>);

struct Entry {
    caller: Caller,
    until: Instant,
}

impl Verified {
    /// The caller whom this very token proved a moment ago.
    pub(super) fn find(&self, token: &str) -> Option<Caller> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(&hash(token))
            .filter(|entry| Instant::now() < entry.until)
            .map(|entry| entry.caller.clone())
    }

    /// Remembers a verified token for a moment, and never for longer than it is valid.
    pub(super) fn remember(&self, token: &str, caller: &Caller, valid_for: Duration) {
        let now = Instant::now();
        let entry = Entry {
            caller: caller.clone(),
            until: now + valid_for.min(BELIEVED),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.retain(|_, entry| now < entry.until);
        }
        if known.len() < MOST {
            known.insert(hash(token), entry);
        }
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}
