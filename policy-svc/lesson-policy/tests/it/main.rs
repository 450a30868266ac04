//! Decisions of the lesson policy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod fixture;
mod measured;
