//! Integration tests.

// A test that cannot go on ends by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod held_back;
mod matching;
mod model;
mod profile;
mod real_messages;
