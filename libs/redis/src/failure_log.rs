//! Logs failures of Redis: each kind once in a while.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::failure::{Failure, FailureKind};

/// How often one kind of failure is logged.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Logs failures.
#[derive(Debug, Default)]
pub struct FailureLog {
    logged: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

impl FailureLog {
    /// Logs a failure, unless one of its kind was logged in the last 10 s.
    pub fn log(&self, failure: &Failure) {
        let (kind, advice) = match failure.kind() {
            FailureKind::Unavailable => (
                "unavailable",
                "check the server and its address, and with TLS its certificate",
            ),
            FailureKind::TimedOut => ("slow", "check the server's load and the network"),
            FailureKind::Full => ("full", "give Redis more memory or disk"),
            FailureKind::ReadOnly => (
                "read-only",
                "check that the server is a primary, its disk and its replicas",
            ),
            FailureKind::Denied => (
                "denied",
                "check the user, the password, that of the sentinels, and the user's rights",
            ),
            FailureKind::Unexpected => ("unexpected", "check what else writes to this Redis"),
            FailureKind::Refused => ("refused", "check that Redis is new enough"),
        };
        self.log_as(kind, &failure, advice);
    }

    /// Logs a failure of a kind that Redis alone does not have, in the same way.
    pub fn log_as(&self, kind: &'static str, error: &dyn fmt::Display, advice: &str) {
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

    /// Whether this is to be logged now, and then how often it was left out since it was logged last.
    fn due(&self, kind: &'static str) -> Option<u64> {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match logged.get_mut(kind) {
            Some((last, left_out)) if now.duration_since(*last) < LOG_EVERY => {
                *left_out += 1;
                None
            }
            Some(entry) => Some(std::mem::replace(entry, (now, 0)).1),
            None => {
                logged.insert(kind, (now, 0));
                Some(0)
            }
        }
    }
}
