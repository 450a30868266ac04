//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bad_bundles;
mod fixture;
mod http;
mod packing;
mod registry;
mod signatures;
mod volume;
