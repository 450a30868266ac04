//! session-svc: one suite for all stores, and what each store and the gRPC services have of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bench;
mod compression;
mod conformance;
mod embedded;
mod grpc;
mod isolation;
mod memory;
mod metrics;
mod model;
mod pending;
mod redis;
mod settings;
mod tls;
mod weeks;
