//! Clocks: the system's, and one that a test moves by hand.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Tells the time of day. Durations are measured with tokio's own clock, which tests can pause.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct ManualClock {
    micros: AtomicI64,
}

impl ManualClock {
    /// A clock that stands at `start`, to the microsecond.
    pub fn new(start: Timestamp) -> Self {
        Self {
            micros: AtomicI64::new(start.as_microsecond()),
        }
    }

    /// Moves the clock; a negative step moves it back.
    pub fn advance(&self, micros: i64) {
        self.micros.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros.load(Ordering::SeqCst))
            .unwrap_or(Timestamp::UNIX_EPOCH)
    }
}
