//! The crate's integration tests.

mod conformance;
mod local;
mod shared;
mod simulation;
