//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
mod conformance;
mod local;
mod shared;
mod simulation;
mod state_machine;

use std::time::Duration;

use turnwise_breaker::Rules;

/// With a real Redis their times pass, so they are long beside a busy machine's pauses.
const RULES: Rules = Rules {
    failures: 3,
    ttl: Duration::from_secs(3),
    probe_lease: Duration::from_secs(6),
};
