//! What a thread may wait for, and the legal steps: pure rules.
//!
//! A thread waits for one thing at most, a clarification or a context request, and each ends exactly once. Every step that
//! changes something raises the version; one that has taken effect before changes nothing.

mod clarification;
mod context;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use prost::Message;
use turnwise_proto::session::v1::{
    Clarification, ContextRequest, ContextRequestState, PendingChange, PendingInteraction,
    WorkKind, pending_change::Step, pending_interaction::Interaction,
};

pub(crate) use context::SLOTS_MAX;
pub use context::{Supplied, change, supply};

/// How long things wait.
#[derive(Debug, Clone, Copy)]
pub struct PendingSettings {
    /// A clarification, from its start.
    pub clarification_ttl: Duration,
    /// A context request.
    pub context_sla: Duration,
}

/// What a thread waits for, as far as a turn needs it.
#[derive(Clone, PartialEq, Message)]
pub struct Interactions {
    /// Rises with every change.
    #[prost(int64, tag = "1")]
    pub version: i64,
    /// The one thing that the thread waits for.
    #[prost(message, optional, tag = "2")]
    pub pending: Option<PendingInteraction>,
    /// The documents that were clarified in this thread.
    #[prost(string, repeated, tag = "3")]
    pub clarified_documents: Vec<String>,
}

/// Work that a step makes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// What for.
    pub kind: WorkKind,
    /// When.
    pub due: Timestamp,
}

/// What a step makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    /// What the thread waits for now, with its version.
    pub after: Interactions,
    /// The context request that the step opened or changed.
    pub request: Option<ContextRequest>,
    /// What becomes due.
    pub schedules: Vec<Schedule>,
}

/// Why a step is not legal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PendingError {
    /// The thread waits for something already.
    #[error("the thread waits for something already; end that first")]
    Busy,
    /// The thread waits for nothing of this kind.
    #[error("the thread waits for nothing that this could end")]
    NothingPending,
    /// The context request is in a state that does not allow this, or there is none.
    #[error(
        "the thread has no open context request `{request_id}`: it ended, is another thread's, or never was"
    )]
    ContextRequestClosed {
        /// The request.
        request_id: String,
        /// Its state; unspecified if there is no such request.
        state: ContextRequestState,
    },
    /// The time of the context request is not over by the clock of this process.
    #[error("the time of this context request is not over yet; try again when it is")]
    NotYet {
        /// How long it lasts still.
        wait: Duration,
    },
    /// The payload is larger than the slot allows.
    #[error("the payload has {bytes} bytes; the slot takes at most {limit}")]
    PayloadTooLarge {
        /// Its size.
        bytes: usize,
        /// The slot's limit.
        limit: usize,
    },
    /// The payload is of another type than the slot's.
    #[error("the payload must be of type `{expected}`")]
    UnsupportedPayload {
        /// The slot's type.
        expected: String,
    },
    /// The slot names who may supply it, and this is somebody else.
    #[error("this slot takes nothing from a {role}; it is for: {}", suppliers.join(", "))]
    OtherSupplier {
        /// What the caller is.
        role: String,
        /// Who may supply it.
        suppliers: Vec<String>,
    },
    /// A field is missing, of a wrong form or out of bounds.
    #[error("`{field}` {problem}")]
    Invalid {
        /// Which.
        field: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Takes a step of a turn; `None` if it changes nothing. `request_id` names a context request that it may open, unless
/// the step itself does; one without a batch belongs to the batch `thread_id`.
///
/// # Errors
/// [`PendingError`]; then nothing changes.
pub fn step(
    state: &Interactions,
    change: &PendingChange,
    now: Timestamp,
    settings: PendingSettings,
    thread_id: &str,
    request_id: &str,
) -> Result<Option<Stepped>, PendingError> {
    let state = &state.clone().at(now);
    let Some(step) = &change.step else {
        return Err(invalid("pending_change.step", "must be one of the steps"));
    };
    match step {
        Step::StartClarification(start) => {
            clarification::start(state, start, after(now, settings.clarification_ttl))
        }
        Step::AnswerClarification(answer) => clarification::answer(state, &answer.answer).map(Some),
        Step::CorrectClarification(correct) => {
            clarification::correct(state, correct.index).map(Some)
        }
        Step::SkipClarification(_) => clarification::skip(state).map(Some),
        Step::CancelClarification(_) => clarification::cancel(state).map(Some),
        Step::RequestContext(asked) => {
            let sla = settings.context_sla;
            context::open(state, asked, now, sla, thread_id, request_id).map(Some)
        }
        Step::AnswerContextRequest(answered) => context::answer(state, answered).map(Some),
    }
}

impl Interactions {
    /// The state at a time: a clarification whose time is over no longer counts.
    pub fn at(mut self, now: Timestamp) -> Self {
        if self
            .clarification()
            .is_some_and(|c| !is_before(now, c.expire_time.as_ref()))
        {
            self.pending = None;
        }
        self
    }

    fn clarification(&self) -> Option<&Clarification> {
        match self.interaction()? {
            Interaction::Clarification(clarification) => Some(clarification),
            Interaction::ContextRequest(_) => None,
        }
    }

    /// The context request that the thread waits for.
    pub(crate) fn context_request(&self) -> Option<&ContextRequest> {
        match self.interaction()? {
            Interaction::ContextRequest(request) => Some(request),
            Interaction::Clarification(_) => None,
        }
    }

    fn interaction(&self) -> Option<&Interaction> {
        self.pending.as_ref()?.interaction.as_ref()
    }

    /// Nothing may begin while something is pending.
    fn must_be_idle(&self) -> Result<(), PendingError> {
        match self.interaction() {
            None => Ok(()),
            Some(_) => Err(PendingError::Busy),
        }
    }

    /// The state after a change: this is what the thread waits for now.
    fn waiting_for(&self, interaction: Option<Interaction>) -> Self {
        let version = self.version + 1;
        Self {
            version,
            pending: interaction.map(|interaction| PendingInteraction {
                version,
                interaction: Some(interaction),
            }),
            clarified_documents: self.clarified_documents.clone(),
        }
    }
}

/// So long after a time; the end of time if that is later.
fn after(now: Timestamp, wait: Duration) -> Timestamp {
    SignedDuration::try_from(wait)
        .ok()
        .and_then(|wait| now.checked_add(wait).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Whether it is before a stored time; one that is missing or out of range is over.
fn is_before(now: Timestamp, end: Option<&prost_types::Timestamp>) -> bool {
    end.and_then(turnwise_kit::time::from_proto)
        .is_some_and(|end| now < end)
}

fn invalid(field: &'static str, problem: &'static str) -> PendingError {
    PendingError::Invalid { field, problem }
}
