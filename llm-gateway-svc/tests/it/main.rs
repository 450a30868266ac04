//! The LLM gateway through its gRPC face: the mock, fake servers of both wire formats, the slots, the refusals.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cancel;
mod harness;
mod mock;
mod obey;
mod ollama;
mod openai;
mod real;
mod remote;
mod requests;
mod settings;
mod slots;
mod telemetry;
mod upstream;
