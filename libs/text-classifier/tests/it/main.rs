//! Integration tests.

// A test that cannot go on ends by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod disguises;
mod folding;
mod judging;
mod lexicons;
mod toy;
mod weights;
