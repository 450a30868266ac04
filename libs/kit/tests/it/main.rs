//! The platform's own tests: the stack, clients and settings, through their public faces.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod connections;
mod failover;
mod files;
mod identity;
mod metadata;
mod no_store;
mod pages;
mod probe;
mod settings;
mod spans;
mod stack;
mod tls;
mod wire;
