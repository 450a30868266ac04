//! The crate's integration tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod archive;
mod backup;
mod chat;
mod class;
mod course;
mod doctor;
mod eval;
mod help_session;
mod index;
mod keys;
mod pdf;
mod ready;
mod render;
mod replay;
mod token;
mod up;
