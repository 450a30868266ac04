//! What a model's server sends, whatever it was called for, as one stream.

use std::pin::Pin;

use futures_util::{Stream, StreamExt, stream};
use turnwise_llm_backends::{Backend, Embeddings, End, Failure, Piece};

use crate::job::Work;

/// A part of an answer.
pub(crate) enum AnswerItem {
    /// The next piece of text.
    Delta(String),
    /// How a completion went; the last item.
    End(End),
    /// The vectors; the only item.
    Vectors(Embeddings),
}

/// An answer as it comes. Dropping it cancels the call at the server.
pub(crate) type Answer = Pin<Box<dyn Stream<Item = Result<AnswerItem, Failure>> + Send>>;

/// Calls a model, once. Nothing is sent before the stream is first polled.
pub(crate) fn answer(backend: &dyn Backend, model: &str, work: &Work) -> Answer {
    match work {
        Work::Stream(prompt) => Box::pin(backend.stream(model, prompt).map(|piece| {
            piece.map(|piece| match piece {
                Piece::Delta(text) => AnswerItem::Delta(text),
                Piece::End(end) => AnswerItem::End(end),
            })
        })),
        Work::Complete(prompt) => Box::pin(stream::once(backend.complete(model, prompt)).flat_map(
            |whole| {
                let (first, second) = match whole {
                    Ok(whole) => (
                        Ok(AnswerItem::Delta(whole.text)),
                        Some(Ok(AnswerItem::End(whole.end))),
                    ),
                    Err(failure) => (Err(failure), None),
                };
                stream::iter(std::iter::once(first).chain(second))
            },
        )),
        Work::Embed(texts) => Box::pin(
            stream::once(backend.embed(model, texts))
                .map(|vectors| vectors.map(AnswerItem::Vectors)),
        ),
    }
}
