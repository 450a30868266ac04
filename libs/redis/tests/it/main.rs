//! Tests against real servers: one, a set that sentinels watch, and a cluster.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod calls;
mod failover;
mod failures;
mod subscription;
mod tls;
