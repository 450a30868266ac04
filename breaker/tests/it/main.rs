//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
mod conformance;
mod local;
mod machine;
mod shared;
mod simulation;

use std::time::Duration;

use turnwise_breaker::Rules;

const RULES: Rules = Rules {
    failures: 3,
    ttl: Duration::from_millis(400),
    probe_lease: Duration::from_millis(900),
};
