//! The crate's integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod conformance;
mod forecast;
mod local;
mod membership;
mod order;
mod shared;
mod simulation;
mod ticket;
