//! What is said of failures in the log: each kind once in a while.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::failure::{Failure, FailureKind};

/// How often one kind of failure is told.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Tells failures in the log.
#[derive(Debug, Default)]
pub struct Complaints {
    told: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

impl Complaints {
    /// Tells of a failure, unless one of its kind was told in the last 10 s.
    pub fn tell(&self, failure: &Failure) {
        let (kind, advice) = match failure.kind() {
            FailureKind::Unavailable => ("unavailable", "check the server and its address"),
            FailureKind::TimedOut => ("slow", "check the server's load and the network"),
            FailureKind::Full => ("full", "give Redis more memory or disk"),
            FailureKind::ReadOnly => (
                "read-only",
                "check that the server is a primary, its disk and its replicas",
            ),
            FailureKind::Denied => (
                "denied",
                "check the user, the password and the user's rights",
            ),
            FailureKind::Unexpected => ("unexpected", "check what else writes to this Redis"),
            FailureKind::Refused => ("refused", "check that Redis is new enough"),
        };
        self.tell_of(kind, &failure, advice);
    }

    /// Tells of a failure of a kind that Redis alone does not have, in the same way.
    pub fn tell_of(&self, kind: &'static str, error: &dyn fmt::Display, advice: &str) {
        let Some(left_out) = self.due(kind) else {
            return;
        };
        tracing::warn!(
            kind,
            %error,
            left_out,
            "Redis did not answer as it should; if this stays, {advice}"
        );
    }

    /// Whether this is to be told now, and then how often it was left out since it was told last.
    fn due(&self, kind: &'static str) -> Option<u64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match told.get_mut(kind) {
            Some((last, left_out)) if now.duration_since(*last) < TELL_EVERY => {
                *left_out += 1;
                None
            }
            Some(entry) => Some(std::mem::replace(entry, (now, 0)).1),
            None => {
                told.insert(kind, (now, 0));
                Some(0)
            }
        }
    }
}
