//! Texts to vectors, through the port.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod choice;
mod documents;
mod fake_gateway;
mod folders;
mod golden;
mod line;
mod local;
mod port;
mod queries;
mod remote;
mod tiny_model;
