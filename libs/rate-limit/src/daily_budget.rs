//! The arithmetic of a budget per day, which begins at midnight UTC. Pure; `limits.lua` does the same sums.

use std::time::Duration;

use jiff::Timestamp;

/// The microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// What was used on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Used {
    /// The day's number, from 1970 on.
    pub(crate) day: i64,
    /// How much.
    pub(crate) units: u64,
}

/// The number of this time's day.
pub(crate) fn number(now: Timestamp) -> i64 {
    now.as_microsecond().div_euclid(DAY)
}

/// How long it is until the next day.
pub(crate) fn rest(now: Timestamp) -> Duration {
    let gone = now.as_microsecond().rem_euclid(DAY);
    Duration::from_micros((DAY - gone).unsigned_abs())
}

/// What must be left for a hit of this cost to pass: one of 0 asks whether there is a unit left, one above the whole
/// budget passes where nothing was used.
pub(crate) fn need(budget: u64, cost: u32) -> u64 {
    u64::from(cost).min(budget).max(1)
}

impl Used {
    /// What was used on this day.
    pub(crate) fn on(self, day: i64) -> u64 {
        if self.day == day { self.units } else { 0 }
    }
}
