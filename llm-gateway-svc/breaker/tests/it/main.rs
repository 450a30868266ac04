//! The crate's integration tests.
