//! The service through its generated clients.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod artifacts;
mod bad_input;
mod faults;
mod fixture;
mod map_message;
mod meaning;
mod properties;
mod references;
mod refused_uploads;
mod reload;
mod retrieve;
mod start;
mod uploads;
