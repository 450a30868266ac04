//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod fixture;
mod refused;
mod seeds;
mod values;
