//! Texts to vectors, through the port.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod documents;
mod fake_gateway;
mod folders;
mod golden;
mod local;
mod port;
mod priority;
mod queries;
mod remote;
mod settings;
mod tiny_model;
