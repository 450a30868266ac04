//! A request for a slot, and what can come of it.

use std::time::Duration;

use tokio::{sync::watch, time::Instant};

/// A request for a slot.
#[derive(Debug, Clone)]
pub struct SlotRequest {
    /// Whose it is and what it is for.
    pub owner: Owner,
    /// Whether anybody waits for the answer.
    pub band: Band,
    /// The bytes that the request holds in memory while it waits.
    pub bytes: usize,
    /// How long it may wait for a slot.
    pub max_wait: Duration,
    /// When its caller stops waiting, whatever it asked for.
    pub deadline: Option<Instant>,
    /// What an earlier [`Refusal::TooLong`] gave it.
    pub ticket: Option<String>,
}

/// Whose request it is and what it is for: of one owner at most one request waits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// The tenant and the class: the share that the request counts for.
    pub class: String,
    /// Who asks, unique within the class; empty for nobody in particular, each of whose requests is an owner of its own.
    pub student: String,
    /// The conversation.
    pub thread: String,
    /// What it is for; a word.
    pub purpose: &'static str,
}

/// Whether anybody waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Band {
    /// Somebody does.
    Interactive,
    /// Nobody does.
    Batch,
}

/// A place in the queue, as the one who waits sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1 for who starts next.
    pub position: usize,
    /// A bound for the time until the start, from `at` on, that should hold nineteen times in twenty.
    pub wait: Duration,
    /// When this was estimated.
    pub at: Instant,
}

/// Follows a place in the queue; `None` until it is first known.
pub type PlaceWatch = watch::Receiver<Option<Place>>;

/// Why a request gets no slot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It cannot start within the time it may wait, or did not.
    #[error("no slot becomes free in the wait that was allowed")]
    TooLong(RetryHint),
    /// The queue is full.
    #[error("the queue is full")]
    Full {
        /// When there may be room.
        retry_after: Duration,
    },
    /// A newer request of the same owner has taken over the place.
    #[error("a newer request has taken over the place")]
    Superseded,
    /// This process is detached from the others and has no slot of its own.
    #[error("detached from the other replicas, and without a slot of its own")]
    NoSlot {
        /// When the others may be back.
        retry_after: Duration,
    },
}

/// When a request that would wait too long had better be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryHint {
    /// After which time.
    pub after: Duration,
    /// The place, if it is held.
    pub held: Option<HeldPlace>,
}

/// A place that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldPlace {
    /// The ticket to send along.
    pub ticket: String,
    /// 1 for who starts next.
    pub position: usize,
    /// How long it would wait if it stayed, as [`Place::wait`].
    pub wait: Duration,
}
