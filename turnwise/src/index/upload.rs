//! An upload of one source: begin, chunks from where the index says, commit; again when the connection is lost.

use std::{convert::Infallible, time::Duration};

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        SourceBegin, SourceChunk, SourceChunks, SourceCommit, SourceCommitted, UpsertSourceRequest,
        upsert_source_request::Step, upsert_source_response::Event,
    },
};

use super::{Staff, WORK, count, fault};

/// The most chunks of one message.
const BATCH: usize = 256;
/// A message ends after the chunk with which its texts reach so many bytes.
const BATCH_BYTES: usize = 1024 * 1024;
/// So often it is tried again without a single chunk more being stored.
const TRIES: u32 = 6;
/// How long it waits before the second try; twice as long before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// What to upload.
pub(super) struct Upload {
    pub(super) begin: SourceBegin,
    pub(super) chunks: Vec<SourceChunk>,
}

/// How an upload ended well.
pub(super) enum Outcome {
    /// This revision was served already.
    Already,
    /// It is served now.
    Committed(SourceCommitted),
}

/// How an upload goes.
pub(super) enum Progress {
    /// So many chunks are kept, and so many of them have vectors.
    Stored { stored: u64, embedded: u64 },
    /// The connection was lost; it is tried again.
    Lost,
}

impl Upload {
    /// Uploads, and goes on by itself after a lost connection, as long as that helps.
    pub(super) async fn run(
        &self,
        staff: &Staff,
        report: &mut impl FnMut(Progress),
    ) -> Result<Outcome, Fault> {
        let mut stored = 0;
        let mut tries = 0;
        loop {
            let before = stored;
            let result = self
                .attempt(staff, &mut |now, embedded| {
                    stored = stored.max(now);
                    report(Progress::Stored {
                        stored: now,
                        embedded,
                    });
                })
                .await;
            let fault = match result {
                Ok(outcome) => return Ok(outcome),
                Err(fault) => fault,
            };
            tries = if stored > before { 1 } else { tries + 1 };
            if tries >= TRIES || !may_pass(&fault) {
                return Err(fault);
            }
            report(Progress::Lost);
            let wait = FIRST_WAIT * 2_u32.pow(tries - 1);
            tokio::time::sleep(fault.retry_delay().unwrap_or(wait)).await;
        }
    }

    async fn attempt(
        &self,
        staff: &Staff,
        stored: &mut impl FnMut(u64, u64),
    ) -> Result<Outcome, Fault> {
        let (steps, requests) = mpsc::channel(2);
        // There is room for it, and the receiver is here.
        let _ = steps.send(step(Step::Begin(self.begin.clone()))).await;
        let request = staff.caller.request(ReceiverStream::new(requests), WORK);
        let mut answers = staff
            .client
            .clone()
            .upsert_source(request)
            .await
            .map_err(fault)?
            .into_inner();
        let first = answers.message().await.map_err(fault)?;
        let Some(Event::Resume(resume)) = first.and_then(|answer| answer.event) else {
            return Err(odd("it did not say where to go on"));
        };
        if resume.committed {
            return Ok(Outcome::Already);
        }
        let next = usize::try_from(resume.next)
            .ok()
            .filter(|next| *next <= self.chunks.len())
            .ok_or_else(|| odd("it asks for a chunk that there is not"))?;
        stored(count(next), 0);
        let listen = async {
            while let Some(answer) = answers.message().await.map_err(fault)? {
                match answer.event {
                    Some(Event::Progress(progress)) => {
                        stored(count(progress.stored), count(progress.embedded));
                    }
                    Some(Event::Committed(committed)) => return Ok(Outcome::Committed(committed)),
                    Some(Event::Resume(_)) | None => {}
                }
            }
            Err(Fault::new(
                ErrorReason::DependencyUnavailable,
                "the upload ended before its commit was answered",
            ))
        };
        tokio::select! {
            ended = listen => ended,
            never = self.send(next, steps) => match never {},
        }
    }

    /// Sends the chunks and the commit; then the answers alone matter.
    async fn send(&self, next: usize, steps: mpsc::Sender<UpsertSourceRequest>) -> Infallible {
        let mut first = next;
        while let Some(batch) = self.batch(first) {
            let end = first + batch.len();
            let chunks = Step::Chunks(SourceChunks {
                first: i32::try_from(first).unwrap_or(i32::MAX),
                chunks: batch.to_vec(),
            });
            // A call that is over has an answer that says so.
            if steps.send(step(chunks)).await.is_err() {
                break;
            }
            first = end;
        }
        let _ = steps.send(step(Step::Commit(SourceCommit {}))).await;
        drop(steps);
        std::future::pending().await
    }

    /// The chunks of the next message; `None` after the last.
    fn batch(&self, first: usize) -> Option<&[SourceChunk]> {
        let rest = self.chunks.get(first..).filter(|rest| !rest.is_empty())?;
        let mut bytes = 0;
        let fit = rest
            .iter()
            .take(BATCH)
            .take_while(|chunk| {
                let fits = bytes < BATCH_BYTES;
                bytes += chunk.text.len();
                fits
            })
            .count();
        rest.get(..fit)
    }
}

fn step(step: Step) -> UpsertSourceRequest {
    UpsertSourceRequest { step: Some(step) }
}

/// Whether the same upload may well succeed in a moment: the line broke, or it was told when to come back.
fn may_pass(fault: &Fault) -> bool {
    fault.retry_delay().is_some()
        || matches!(
            fault.reason(),
            ErrorReason::DependencyUnavailable | ErrorReason::DeadlineExceeded
        )
}

fn odd(what: &str) -> Fault {
    Fault::new(
        ErrorReason::Internal,
        format!(
            "the suite answered an upload in a way that this program does not know: {what}; use the same version of both"
        ),
    )
}
