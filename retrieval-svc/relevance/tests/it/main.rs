//! Documents, queries and mappings of courses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod documents;
mod fixture;
mod properties;
mod queries;
