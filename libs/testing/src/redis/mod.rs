//! Real Redis servers on free ports of this machine, gone when the value is dropped: one alone, a primary with replicas
//! and sentinels, or a cluster.
//!
//! Everything here blocks. Each wait has a time-out, and its error says what was seen last and what the servers logged.

mod client;
mod cluster;
mod options;
mod sentinel;
mod server;

pub use client::{Connection, Value, command};
pub use cluster::Cluster;
pub use options::ServerOptions;
pub use sentinel::SentinelSet;
pub use server::RedisServer;
