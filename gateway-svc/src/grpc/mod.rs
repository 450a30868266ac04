//! The services on the public port, one file each: who may call, a message in, a message out, a status. What they do is in
//! the domains' modules.

mod classes;
mod explain;
mod index;
mod queue;
mod records;
mod tutor;

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use tonic::{Status, Streaming};

use crate::error::public;

pub(crate) use classes::Classes;
pub(crate) use explain::Explain;
pub(crate) use index::Index;
pub(crate) use queue::Queues;
pub(crate) use records::Records;
pub(crate) use tutor::Tutor;

/// What a stream answers.
type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The answers of a service behind, each asked for when the reader has room for it.
fn answers<T: Send + 'static>(stream: Streaming<T>) -> Answers<T> {
    Box::pin(stream.map(|answer| answer.map_err(|status| Status::from(public(&status)))))
}
