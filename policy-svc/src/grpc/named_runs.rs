//! Runs of prompt sheets by their names: the same few come with every reply.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use turnwise_fingerprint::RunSet;

/// The most sets; then all are forgotten, so that memory stays bounded.
const MOST: usize = 8;

/// Sets that were sent with their name.
#[derive(Debug, Default)]
pub(super) struct NamedRuns(Mutex<HashMap<u64, Arc<RunSet>>>);

impl NamedRuns {
    /// The set that was sent; where none was, the one of this name, if it is known.
    pub(super) fn of(&self, sent: Arc<RunSet>, name: u64) -> Option<Arc<RunSet>> {
        if name == 0 {
            return Some(sent);
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.is_empty() {
            return known.get(&name).map(Arc::clone);
        }
        if sent.name() == name {
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(name, Arc::clone(&sent));
        }
        Some(sent)
    }
}
