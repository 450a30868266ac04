//! The service through its generated client, and its index against a plain reference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bad_input;
mod demo_course;
mod development_queries;
mod fixture;
mod map_message;
mod properties;
mod quality;
mod reload;
mod retrieve;
#[allow(dead_code, reason = "the example reads more of it")]
mod shared_data;
mod start;
