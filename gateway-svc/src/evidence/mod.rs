//! Evidence: graded drills, exam answers and looks at help. Each takes the same short way: read what it is applied to,
//! have it judged, have the policy apply it, write it with the version that was read; tried again on a conflict.
//!
//! | module | is about |
//! | --- | --- |
//! | `drill` | GradeDrill |
//! | `judge`, `grading`, `guarded` | the judgement on a drill, its grade as an event, and where there is none |
//! | `submission`, `support`, `question` | the exam calls |
//! | `offered` | what these have in common: a question that was offered |
//! | `store` | reading and writing, once for each event |
//! | `standing` | what the student sees of the record |
//! | `report` | log and metrics |

mod drill;
mod grading;
mod guarded;
mod judge;
mod offered;
mod question;
mod report;
mod standing;
mod store;
mod submission;
mod support;

use std::{sync::Arc, time::Duration};

use turnwise_guardrails::Guardrails;
use turnwise_kit::Kit;
use turnwise_prompts::SheetLibrary;

use crate::{exam::ExamPort, rosters::Rosters, tokens::CardTokens, upstream::Upstreams};

pub use report::EvidenceMetrics;

/// The most characters of an answer that are judged.
const ANSWER_MAX_CHARS: usize = 4_000;

/// Takes evidence.
pub(crate) struct Evidence {
    pub(crate) upstreams: Upstreams,
    pub(crate) exam: ExamPort,
    pub(crate) sheets: Arc<SheetLibrary>,
    pub(crate) tokens: Arc<CardTokens>,
    pub(crate) guardrails: Arc<Guardrails>,
    pub(crate) rosters: Arc<Rosters>,
    pub(crate) message_max_chars: usize,
    pub(crate) prompt_max_tokens: usize,
    pub(crate) reply_reserve: Duration,
    pub(crate) metrics: EvidenceMetrics,
    pub(crate) kit: Kit,
}

impl Evidence {
    /// The most characters that an answer may have.
    fn answer_max_chars(&self) -> usize {
        self.message_max_chars.min(ANSWER_MAX_CHARS)
    }
}

/// The beginning of a text that redaction may have made longer than what is judged.
fn clipped(text: &str, max_chars: usize) -> &str {
    text.char_indices()
        .nth(max_chars)
        .map_or(text, |(end, _)| &text[..end])
}
