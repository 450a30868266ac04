//! Floors under the quality of retrieval.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod demo_course;
mod development_queries;
mod metrics;
