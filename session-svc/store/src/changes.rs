//! Tells waiting readers that a log has changed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// Lists of who waits for which log are tidied when there are twice as many as at the last time, and at least so many.
const TIDY_AT_LEAST: usize = 256;

/// The logs that somebody waits for, by their full names.
#[derive(Debug)]
pub struct Changes {
    waiting: Mutex<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    logs: HashMap<String, watch::Sender<u64>>,
    tidy_at: usize,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                logs: HashMap::new(),
                tidy_at: TIDY_AT_LEAST,
            }),
        }
    }
}

impl Changes {
    /// A receiver whose value changes whenever the log may have.
    pub fn watch(&self, log: &str) -> watch::Receiver<u64> {
        let mut waiting = self.lock();
        if waiting.logs.len() >= waiting.tidy_at {
            waiting.logs.retain(|_, sender| sender.receiver_count() > 0);
            waiting.tidy_at = TIDY_AT_LEAST.max(waiting.logs.len() * 2);
        }
        waiting
            .logs
            .entry(log.to_owned())
            .or_insert_with(|| watch::Sender::new(0))
            .subscribe()
    }

    /// Says that a log may have changed.
    pub fn announce(&self, log: &str) {
        if let Some(sender) = self.lock().logs.get(log) {
            sender.send_modify(|count| *count += 1);
        }
    }

    /// Says that any log may have changed: news may have been missed.
    pub fn announce_all(&self) {
        for sender in self.lock().logs.values() {
            sender.send_modify(|count| *count += 1);
        }
    }

    /// Whether anybody waits. Forgets the logs that nobody waits for.
    pub fn is_watched(&self) -> bool {
        let mut waiting = self.lock();
        waiting.logs.retain(|_, sender| sender.receiver_count() > 0);
        !waiting.logs.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
