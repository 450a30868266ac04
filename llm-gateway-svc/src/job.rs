//! A request for a model as the service works on it.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use turnwise_llm_backends::Prompt;
use turnwise_llm_queue::{Band, Owner};

use crate::metrics::Operation;

/// A request for a model.
#[derive(Debug, Clone)]
pub struct Job {
    /// What the model shall do.
    pub work: Work,
    /// The backend that was named; `None`: the configured ones in their order.
    pub backend: Option<String>,
    /// The model that was named; `None`: the configured one.
    pub model: Option<String>,
    /// Whose request it is.
    pub requester: Requester,
    /// How long it may take.
    pub time_limits: TimeLimits,
    /// Characters at which a completion is clipped; `None`: nowhere.
    pub max_chars: Option<usize>,
    /// Whether spans of it go anywhere.
    pub is_recorded: bool,
}

/// What the model shall do.
#[derive(Debug, Clone)]
pub enum Work {
    /// Complete a prompt, piece by piece.
    Stream(Arc<Prompt>),
    /// Complete a prompt; the completion is wanted whole.
    Complete(Arc<Prompt>),
    /// Turn texts into vectors.
    Embed(Arc<[String]>),
}

/// Whose request it is.
#[derive(Debug, Clone)]
pub struct Requester {
    /// The tenant.
    pub tenant: String,
    /// The class; empty if it counts for none.
    pub class_id: String,
    /// The student; empty for nobody in particular.
    pub student: String,
    /// The conversation; may be empty.
    pub thread_id: String,
    /// What it is for, in a word.
    pub purpose: &'static str,
    /// Whether of a student, a thread and this purpose one request waits at a time.
    pub one_at_a_time: bool,
    /// Whether anybody waits for the answer.
    pub band: Band,
    /// What holds its place in the queue.
    pub ticket: Option<String>,
    /// The address that it came from; may be empty.
    pub address: String,
}

/// How long a request may take.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// How long it may wait for a slot.
    pub max_wait: Duration,
    /// When its answer must have left.
    pub deadline: Option<Instant>,
}

impl Work {
    /// What it is called in telemetry.
    pub fn operation(&self) -> Operation {
        match self {
            Self::Stream(_) | Self::Complete(_) => Operation::Chat,
            Self::Embed(_) => Operation::Embeddings,
        }
    }

    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Stream(prompt) | Self::Complete(prompt) => {
                let schema = prompt.schema.as_ref().map_or(0, |s| s.as_str().len());
                let texts = prompt.messages.iter().map(|m| m.content.len());
                texts.sum::<usize>() + schema
            }
            Self::Embed(texts) => texts.iter().map(String::len).sum(),
        }
    }
}

impl Requester {
    /// The tenant and the class: what counts as one class, in queues and limits.
    pub fn class(&self) -> String {
        class_key(&self.tenant, &self.class_id)
    }

    /// Of whom at most one request waits.
    pub fn owner(&self) -> Owner {
        Owner {
            class: self.class(),
            student: match self.one_at_a_time {
                true => self.student.clone(),
                false => String::new(),
            },
            thread: self.thread_id.clone(),
            purpose: self.purpose,
        }
    }
}

/// The tenant and the class as one name.
pub fn class_key(tenant: &str, class_id: &str) -> String {
    format!("{tenant}/{class_id}")
}

impl TimeLimits {
    /// Whether it lasts longer than so long from now.
    pub fn lasts(&self, pause: Duration) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() + pause < deadline)
    }
}
