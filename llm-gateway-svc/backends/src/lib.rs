//! Model servers behind one face: Ollama, OpenAI, OpenAI-compatible ones, and the mock.
//!
//! | module | is about |
//! | --- | --- |
//! | [`backend`] | the one face of every backend |
//! | [`completion`], [`schema`], [`embedding`] | what goes to a model and what comes back |
//! | [`failure`] | why an attempt failed, whether it may be tried again, and whether a breaker counts it |
//! | [`settings`], [`start`] | settings, and why a start is refused |
//! | [`targets`] | which backends and models are called, in order |
//! | [`remote`] | which servers are remote, and to which of them somebody agreed |
//! | `refusing` | what stands in for a backend that is not called |
//! | [`mock`] | the model that is none: deterministic answers, good and bad, by name |
//! | `ollama`, `openai`, `openai_compatible` | the wire formats |
//! | `grammar` | a schema as a grammar for llama.cpp |
//! | `llama_cpp` | whether a server is llama.cpp's |
//! | `http`, `lenient` | what they share: one attempt, its time-outs and its bounds; fields in a form of their own |
//!
//! A call here is one attempt at one server. Lines, retries, breakers and deadlines are its caller's: whoever drops a call
//! cancels it at the server.

pub mod backend;
pub mod completion;
pub mod embedding;
pub mod failure;
mod grammar;
mod http;
mod lenient;
mod llama_cpp;
pub mod mock;
mod ollama;
mod openai;
mod openai_compatible;
mod openai_embeddings;
mod refusing;
pub mod remote;
pub mod schema;
pub mod settings;
pub mod start;
pub mod targets;
mod timeouts;

pub use backend::{Backend, Operation};
pub use completion::{Completion, End, Finish, Message, Piece, Prompt, Role};
pub use embedding::Embeddings;
pub use failure::Failure;
pub use llama_cpp::is_llama_cpp;
pub use ollama::ollama_answers;
pub use schema::Schema;
pub use settings::{BackendKind, BackendSettings, CompatibleServer};
pub use start::StartError;
pub use targets::{Target, Targets};
