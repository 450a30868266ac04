//! Parts, the engine in memory, and the suites that all engines have to pass.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod corpus;
mod damaged_bytes;
mod exact;
mod int8;
mod part;
mod reference;
