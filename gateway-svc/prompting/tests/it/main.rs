//! Integration tests.

// A test that cannot go on ends by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod blocks;
mod budget;
mod conversations;
mod fixture;
mod golden;
mod library;
mod material;
mod prefix;
mod refused;
mod tokens;
