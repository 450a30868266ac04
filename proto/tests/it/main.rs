//! The contracts as documents: every reason has a code and a sample, and the error list is what the proto says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod error_list;
