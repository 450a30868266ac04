//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod addresses;
mod gcra;
mod local;
mod shared;

use std::time::Duration;

use turnwise_rate_limit::{Bound, Hit, Quota};

/// One hit of this cost on so many units a minute.
fn rate(key: &str, per_minute: u32, cost: u32) -> Hit<'_> {
    Hit {
        key,
        bound: Bound::Rate(Quota::per_minute(per_minute)),
        cost,
    }
}

/// One hit of this cost on so many units a day.
fn daily(key: &str, units: u64, cost: u32) -> Hit<'_> {
    Hit {
        key,
        bound: Bound::Daily(units),
        cost,
    }
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
