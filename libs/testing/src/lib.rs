//! What tests and benchmarks of several crates share: real processes that they start, wait for and end, one module for
//! each program, a model server that fails on demand, a web server, messages with a word in every string, certificates,
//! damage to files, files with secrets, pipes, what is in a folder, choices that a seed repeats, the time that a thread was on a processor, and the
//! lines that say what was measured.

pub mod certificates;
pub mod choices;
pub mod cpu_time;
pub mod damage;
pub mod figure;
pub mod filled;
pub mod model_server;
mod pipe;
mod port;
pub mod properties;
pub mod redis;
mod secret;
mod tree;
mod wait;
pub mod web_server;

pub use pipe::make_pipe;
pub use port::ReservedPort;
pub use secret::write_secret;
pub use tree::tree;
