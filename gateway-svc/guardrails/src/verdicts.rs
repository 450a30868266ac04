//! Which texts stop, remembered: each turn holds the earlier messages of its conversation against the same profile.

use std::hash::{BuildHasher, RandomState};

use moka::{policy::EvictionPolicy, sync::Cache};

/// How many texts are remembered: those of some thousand conversations, a few megabytes.
const REMEMBERED: u64 = 32_768;

/// Verdicts of one profile, by 128 bits of hashes whose keys are its own. No text is kept.
pub(crate) struct Verdicts {
    keys: [RandomState; 2],
    stops: Cache<[u64; 2], bool>,
}

impl Default for Verdicts {
    fn default() -> Self {
        Self {
            keys: [RandomState::new(), RandomState::new()],
            stops: Cache::builder()
                .max_capacity(REMEMBERED)
                .eviction_policy(EvictionPolicy::lru())
                .build(),
        }
    }
}

impl Verdicts {
    pub(crate) fn of(&self, text: &str) -> Option<bool> {
        self.stops.get(&self.hash(text))
    }

    pub(crate) fn keep(&self, text: &str, stops: bool) {
        self.stops.insert(self.hash(text), stops);
    }

    fn hash(&self, text: &str) -> [u64; 2] {
        self.keys.each_ref().map(|key| key.hash_one(text))
    }
}
