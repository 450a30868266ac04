//! Real processes that tests start, wait for and end: one module for each program.

mod port;
pub mod redis;
mod wait;
