//! What is asked for, how often, and how messages are understood.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod analysis;
mod fixture;
mod intents;
mod properties;
