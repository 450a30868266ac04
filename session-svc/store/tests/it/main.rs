//! Tests of both stores: one suite for all kinds, a model, and what only one kind can do wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bench;
mod conformance;
mod crash;
mod damage;
mod embedded;
mod failover;
mod model;
mod news;
mod redis;
mod redis_refusals;
mod redis_user;
mod room;
