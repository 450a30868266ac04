//! Real Redis servers on free ports of this machine, gone when the value is dropped: one alone, a primary with replicas
//! and sentinels, or a cluster.
//!
//! Everything here blocks. Each wait has a time-out, and its error says what was seen last and what the servers logged.

mod client;
mod cluster;
mod options;
mod script_watch;
mod sentinel;
mod server;
mod slot_move;
mod users;

pub use client::{Connection, Value, command};
pub use cluster::Cluster;
pub use options::ServerOptions;
pub use script_watch::{ScriptWatch, Scripts};
pub use sentinel::SentinelSet;
pub use server::RedisServer;
pub use slot_move::SlotMove;
pub use users::{User, commands_of};
