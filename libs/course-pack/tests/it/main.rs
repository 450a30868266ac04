//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod catalog;
mod content;
mod context;
mod courses;
mod documents;
mod drills;
mod faults;
mod fixture;
mod folder;
mod graph;
mod library;
mod procedures;
mod texts;
mod values;
