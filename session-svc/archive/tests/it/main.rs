//! Tests of the archives, on real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod containment;
mod erasure;
mod failure;
mod retention;
mod support;
mod tampering;
mod writing;
