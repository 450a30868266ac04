//! The frame of every conversation, whatever it is about: a request is begun, worked on and committed.
//!
//! | module | is about |
//! | --- | --- |
//! | `begin` | what a beginning comes to: the work, or the answer that its idempotency key stored |
//! | `turn`, `lease` | a turn, which holds its thread from begin to commit |
//! | `commit` | a commit is sent once more where its outcome is unknown |
//! | `guards` | roster, redaction and guardrails, before anything is made of a student's words |
//! | `turn_log` | what a turn was made of, for the store |
//! | `locales` | the languages of courses, for words without the policy |
//! | `clarification` | questions that an answer needs, one a turn |
//! | `translate` | a question in the student's language |
//! | `model`, `progress` | the one call to a model, and who watches it |
//! | `no_model` | whether a model is to be called at all |

mod begin;
pub(crate) mod clarification;
mod commit;
pub(crate) mod guards;
mod lease;
mod locales;
mod model;
mod no_model;
mod progress;
mod translate;
mod turn;
mod turn_log;

use std::{net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use turnwise_guardrails::Guardrails;
use turnwise_kit::{CallContext, Caller, Fault, Kit, ids};
use turnwise_prompts::SheetLibrary;
use turnwise_proto::{policy::v1::KnownTexts, session::v1::ThreadKind};

pub(crate) use begin::{Begun, body_hash, request_hash, stored};
pub(crate) use commit::send_once_more;
pub(crate) use locales::CourseLocales;
pub(crate) use model::{Completed, RetryHint, asking, complete};
pub(crate) use no_model::NoModel;
pub(crate) use progress::Progress;
pub(crate) use translate::Translation;
pub(crate) use turn::Turn;
pub(crate) use turn_log::{keep_chunks, note_time, turn_log};

use crate::{
    context::ContextMetrics,
    exam::{ExamPort, PortQuestions},
    rosters::Rosters,
    tokens::CardTokens,
    upstream::Upstreams,
    webhooks::AccessEvents,
};

/// The most bytes of a place ticket; those that are handed out are shorter.
pub(crate) const PLACE_TICKET_MAX_BYTES: usize = 512;

/// What all kinds of conversations need.
pub(crate) struct Core {
    pub(crate) upstreams: Upstreams,
    pub(crate) exam: ExamPort,
    pub(crate) port_questions: PortQuestions,
    pub(crate) sheets: Arc<SheetLibrary>,
    pub(crate) tokens: CardTokens,
    pub(crate) guardrails: Guardrails,
    pub(crate) rosters: Rosters,
    pub(crate) course_locales: CourseLocales,
    pub(crate) access: AccessEvents,
    pub(crate) context_metrics: ContextMetrics,
    pub(crate) no_model: NoModel,
    pub(crate) message_max_chars: usize,
    pub(crate) prompt_max_tokens: usize,
    pub(crate) reply_reserve: Duration,
    pub(crate) translates_questions: bool,
    pub(crate) kit: Kit,
}

impl Core {
    /// What a model's words must not repeat and only this service knows.
    pub(crate) fn known_texts(&self) -> KnownTexts {
        self.with_runs(self.known_texts_without_runs())
    }

    /// These, and the runs of the sheets that are served now.
    pub(crate) fn with_runs(&self, mut known: KnownTexts) -> KnownTexts {
        known.prompt_runs = self.sheets.current().runs().to_vec();
        known
    }

    /// The same without runs, which a turn only names.
    pub(crate) fn known_texts_without_runs(&self) -> KnownTexts {
        KnownTexts {
            blocked_terms: self.guardrails.blocked_terms().to_vec(),
            ..KnownTexts::default()
        }
    }

    /// The same without runs in a course, with those exam questions of some units that a platform words.
    pub(crate) async fn known_texts_of(
        &self,
        context: &CallContext,
        course_id: &str,
        pack_hash: &str,
        unit_ids: &[String],
    ) -> KnownTexts {
        let exams = self
            .port_questions
            .of_units(context, course_id, pack_hash, unit_ids)
            .await;
        KnownTexts {
            exam_runs: exams.runs,
            exam_expressions: exams.expressions,
            exams_unknown: exams.incomplete,
            ..self.known_texts_without_runs()
        }
    }
}

/// A request of a conversation: who asks, where, and which one it is if it is sent again.
pub(crate) struct Request<'a> {
    pub(crate) context: &'a CallContext,
    pub(crate) caller: &'a Caller,
    /// Where it came from, for limits.
    pub(crate) address: Option<IpAddr>,
    /// The kind that the thread must have.
    pub(crate) kind: ThreadKind,
    pub(crate) thread_id: &'a str,
    pub(crate) course_id: &'a str,
    pub(crate) idempotency_key: &'a str,
    /// The [`body_hash`] of the call.
    pub(crate) body_hash: Bytes,
}

impl Request<'_> {
    /// Checks the fields that every request of a conversation has.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        ids::check("thread_id", self.thread_id)?;
        ids::check("course_id", self.course_id)?;
        ids::check_key("idempotency_key", self.idempotency_key)
    }
}
