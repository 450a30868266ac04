//! What both stores must do. Every case runs on the embedded store and on a real Redis.

mod concurrent;
mod evidence;
mod isolation;
mod leases;
mod recovery;
mod threads;
mod turns;
