//! The LLM gateway through its gRPC face: one module for each theme.

#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod breaker;
mod cancel;
mod clip;
mod coalescing;
mod deadlines;
mod embed;
mod failover;
mod fairness;
mod harness;
mod limits;
mod metrics;
mod queue;
mod queue_places;
mod queue_view;
mod redis_acl;
mod requests;
mod retries;
mod settings;
mod slots;
mod telemetry;
