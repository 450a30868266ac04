//! Redis' clock as this process knows it.

use std::time::Duration;

use tokio::time::Instant;

use crate::order::Micros;

/// Redis' clock as this process knows it: at `at` it showed `micros` at the latest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    at: Instant,
    micros: Micros,
}

impl Clock {
    /// It shows this now.
    pub(super) fn new(at: Instant, micros: Micros) -> Self {
        Self { at, micros }
    }

    /// What it shows at a time, or a moment less.
    pub(super) fn micros(&self, at: Instant) -> Micros {
        match at.checked_duration_since(self.at) {
            Some(since) => self.micros.saturating_add(micros(since)),
            None => self.micros.saturating_sub(micros(self.at - at)),
        }
    }

    /// When it shows this, or a moment before.
    pub(super) fn instant(&self, time: Micros) -> Instant {
        match time.checked_sub(self.micros) {
            Some(after) => self.at + Duration::from_micros(after),
            None => {
                let before = Duration::from_micros(self.micros - time);
                self.at.checked_sub(before).unwrap_or(self.at)
            }
        }
    }
}

/// A span in microseconds; one that is too long for it is for ever.
pub(super) fn micros(span: Duration) -> Micros {
    Micros::try_from(span.as_micros()).unwrap_or(Micros::MAX)
}
