//! The backends through their one face: the mock, fake servers of every wire format, chaos, the refusals, a real model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod chaos;
mod embeddings;
mod failures;
mod harness;
mod llama_cpp;
mod mock;
mod obey;
mod ollama;
mod openai;
mod openai_compatible;
mod pool;
mod real;
mod remote;
mod schemas;
mod settings;
mod upstream;
mod whole;
