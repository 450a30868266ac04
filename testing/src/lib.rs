//! What tests and benchmarks of several crates share: real processes that they start, wait for and end, one module for
//! each program, and the lines that say what was measured.

pub mod figure;
mod port;
pub mod redis;
mod wait;
