//! The one face of every backend.

use std::pin::Pin;

use futures_util::{Stream, StreamExt, future::BoxFuture};

use crate::{
    completion::{Completion, Piece, Prompt},
    embedding::Embeddings,
    failure::{Failure, Problem},
};

/// The pieces of one completion as they come; nothing comes after an end or a failure. Dropping it cancels the call at the
/// server at once.
pub type Pieces = Pin<Box<dyn Stream<Item = Result<Piece, Failure>> + Send>>;

/// A completion that is awaited whole. Dropping it cancels the call at the server at once.
pub type Whole = BoxFuture<'static, Result<Completion, Failure>>;

/// Vectors that are awaited. Dropping it cancels the call at the server at once.
pub type Vectors = BoxFuture<'static, Result<Embeddings, Failure>>;

/// What a model is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A completion.
    Completion,
    /// Embeddings.
    Embedding,
}

/// Something that calls models. Every call is one attempt: nothing here tries again.
///
/// A model's name is never empty here: who names none gets [`Backend::default_model`] before.
pub trait Backend: Send + Sync + 'static {
    /// Its name: `mock`, `ollama`, `openai` or `openai_compatible`.
    fn name(&self) -> &'static str;

    /// The model that is used when a call names none.
    fn default_model(&self, operation: Operation) -> &str;

    /// Refuses, before the call waits for a slot, what would be refused in any case.
    fn admit(&self, _model: &str, _operation: Operation) -> Result<(), Failure> {
        Ok(())
    }

    /// Completes `prompt`, piece by piece. Nothing is sent before the stream is first polled.
    fn stream(&self, model: &str, prompt: &Prompt) -> Pieces;

    /// Completes `prompt` whole, where the server allows it for less work of ours than the same as a stream. Nothing is sent
    /// before the first poll.
    fn complete(&self, model: &str, prompt: &Prompt) -> Whole;

    /// Turns texts into vectors. Nothing is sent before the first poll.
    fn embed(&self, model: &str, texts: &[String]) -> Vectors;
}

/// Puts the pieces of a completion together.
pub(crate) async fn collected(
    backend: &'static str,
    mut pieces: Pieces,
) -> Result<Completion, Failure> {
    let mut text = String::new();
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Delta(delta) if text.is_empty() => text = delta,
            Piece::Delta(delta) => text.push_str(&delta),
            Piece::End(end) => return Ok(Completion { text, end }),
        }
    }
    // Pieces end with an end or a failure.
    Err(Failure::Answer {
        backend,
        status: None,
        problem: Problem::BrokeOff,
    })
}
