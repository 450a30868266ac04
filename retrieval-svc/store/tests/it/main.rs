//! The store of retrieval-svc from outside: what it keeps, what it refuses, and what survives damage and kills.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bench;
mod cache;
mod conformance;
mod damage;
mod expected;
mod files;
mod kill;
mod model;
