//! Real processes that tests start, wait for and end: one module for each program.

pub mod redis;
