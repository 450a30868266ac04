//! The services on the public port, one file each: who may call, a message in, a message out, a status. What they do is in
//! the domains' modules.

mod classes;
mod context;
mod explain;
mod helper;
mod index;
mod placement;
mod procedure;
mod queue;
mod records;
mod tutor;

use std::{future::Future, pin::Pin};

use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::Instrument;
use turnwise_kit::Kit;
use turnwise_proto::tutor::v1::TurnProgress;

use crate::{conversation::Progress, error::public};

pub(crate) use classes::Classes;
pub(crate) use context::ContextFace;
pub(crate) use explain::Explain;
pub(crate) use helper::HelperFace;
pub(crate) use index::Index;
pub(crate) use placement::PlacementFace;
pub(crate) use procedure::ProcedureFace;
pub(crate) use queue::Queues;
pub(crate) use records::Records;
pub(crate) use tutor::Tutor;

/// How much news of an answer waits for a slow reader.
const NEWS: usize = 32;

/// News of some work, and then what came of it. The work is given up, and a model's call with it, once nobody reads any more.
fn told<N, A, W>(
    kit: &Kit,
    progressed: fn(TurnProgress) -> N,
    answered: fn(A) -> N,
    work: impl FnOnce(Progress) -> W,
) -> ReceiverStream<Result<N, Status>>
where
    N: Send + 'static,
    A: Send + 'static,
    W: Future<Output = Result<A, Status>> + Send + 'static,
{
    let (news, watched) = mpsc::channel(NEWS);
    let told = news.clone();
    let work = work(Progress::watched(Box::new(move |progress| {
        // News that a slow reader has no room for is old by the time it has.
        let _ = told.try_send(Ok(progressed(progress)));
    })));
    let watching = async move {
        let last = tokio::select! {
            biased;
            came = work => came.map(answered),
            () = news.closed() => return,
        };
        let _ = news.send(last).await;
    };
    kit.tasks.spawn(watching.in_current_span());
    ReceiverStream::new(watched)
}

/// What a stream answers.
pub(crate) type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The answers of a service behind, each asked for when the reader has room for it.
pub(crate) fn answers<T: Send + 'static>(stream: Streaming<T>) -> Answers<T> {
    Box::pin(stream.map(|answer| answer.map_err(|status| Status::from(public(&status)))))
}
