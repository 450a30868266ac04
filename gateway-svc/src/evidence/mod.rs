//! Evidence: graded drills, exam answers, looks at help and placements. Each takes the same short way: read what it is
//! applied to, have it judged, have the policy apply it, write it with the version that was read; tried again on a conflict.
//!
//! | module | is about |
//! | --- | --- |
//! | `drill` | GradeDrill |
//! | `judge`, `grading`, `guarded` | the judgement on a drill, its grade as an event, and where there is none |
//! | `submission`, `support`, `question` | the exam calls |
//! | `placement` | what the student knows already |
//! | `offered` | what these have in common: a question that was offered |
//! | `store` | reading and writing, once for each event |
//! | `standing` | what the student sees of the record |
//! | `report` | log and metrics |

mod drill;
mod grading;
mod guarded;
mod judge;
mod offered;
mod placement;
mod question;
mod report;
mod standing;
mod store;
mod submission;
mod support;

use std::{future::Future, panic::resume_unwind, sync::Arc};

use tracing::Instrument;
use turnwise_kit::{CancellationToken, Fault};

use crate::{conversation::Core, error::internal};

pub use report::EvidenceMetrics;

/// The most characters of an answer that are judged.
const ANSWER_MAX_CHARS: usize = 4_000;

/// Takes evidence.
pub(crate) struct Evidence {
    pub(crate) core: Arc<Core>,
    pub(crate) metrics: EvidenceMetrics,
}

impl Evidence {
    /// Runs work detached from its caller, to its end even if that leaves: what is judged is written, and nobody takes a
    /// wrong answer back by closing a tab. The token that the work gets is cancelled when the caller has left: for words
    /// alone no model is kept.
    pub(crate) async fn detached<T, W>(
        self: &Arc<Self>,
        work: impl FnOnce(Arc<Self>, CancellationToken) -> W,
    ) -> Result<T, Fault>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        let disconnected = CancellationToken::new();
        let work = work(Arc::clone(self), disconnected.clone()).in_current_span();
        let _left = disconnected.drop_guard();
        match self.core.kit.tasks.spawn(work).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(internal()),
            },
        }
    }

    /// The most characters that an answer may have.
    fn answer_max_chars(&self) -> usize {
        self.core.message_max_chars.min(ANSWER_MAX_CHARS)
    }
}

/// The beginning of a text that redaction may have made longer than what is judged.
fn clipped(text: &str, max_chars: usize) -> &str {
    text.char_indices()
        .nth(max_chars)
        .map_or(text, |(end, _)| &text[..end])
}
