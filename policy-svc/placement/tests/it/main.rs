//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cases;
mod exact;
mod fixture;
mod properties;
mod pupils;
mod simulation;
