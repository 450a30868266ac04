//! Turns: begun under a lease, and committed or given up.

mod answer;
mod begin;
mod commit;
mod lease;
mod log;

use std::borrow::Cow;

use bytes::Bytes;
use prost::Message;
use turnwise_proto::{
    session::v1::{
        ConversationMemory, MemoryTurn, NewAlert, NewEscalation, NewEvent, NewOverlay,
        PendingChange, ThreadKind, TurnActivity, TurnLog, TurnStart, TurnState,
    },
    tutor::v1::TutorMessage,
};
use turnwise_session_store::{FieldName, Write};

use super::{Idempotency, interactions::Interactions, keys};
/// The most messages of the past that a turn may ask for.
pub const HISTORY_MAX: usize = 50;

/// A turn to begin.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    /// The course that the client named.
    pub course_id: String,
    /// The thread.
    pub thread_id: String,
    /// The kind that the thread must have.
    pub kind: ThreadKind,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// How many of the latest messages are wanted. Where the last card, or the last exam question, stands before them, those
    /// from it on come, too, as far as [`HISTORY_MAX`] goes: it may be what the student works on. A last card that is further
    /// back comes alone, for a day.
    pub history_limit: usize,
    /// Whose memory the turn uses: a hash of verified claims; empty: none.
    pub memory_scope: Bytes,
    /// Whether any other turn may take the lease away.
    pub in_background: bool,
}

/// A turn that was begun, or its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// The turn was committed before: this is its answer.
    Answered(Bytes),
    /// All that the turn needs; it holds the lease now.
    Started(Box<TurnStart>),
}

/// A turn to write.
#[derive(Debug, Clone)]
pub struct CommitTurn {
    /// The thread's course.
    pub course_id: String,
    /// The thread.
    pub thread_id: String,
    /// Proves that the lease is held.
    pub fencing_token: i64,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// What the start of the turn carried.
    pub carry: Carry,
    /// Where the conversation stands now; none: unchanged.
    pub turn_state: Option<TurnState>,
    /// Set with the thread; never unset.
    pub target_locked: bool,
    /// To append; at least one.
    pub messages: Vec<TutorMessage>,
    /// Stored under the idempotency key.
    pub answer: Bytes,
    /// Added to the conversation's memory.
    pub memory_turns: Vec<MemoryTurn>,
    /// A step of what the thread waits for.
    pub pending_change: Option<PendingChange>,
    /// A person who is asked to step in.
    pub escalation: Option<NewEscalation>,
    /// Appended to the thread's log.
    pub events: Vec<NewEvent>,
    /// The turn's chain.
    pub turn_log: Option<TurnLog>,
    /// An alert to raise.
    pub alert: Option<NewAlert>,
    /// What takes the place of a help session's overlay.
    pub overlay: Option<NewOverlay>,
    /// What the turn counts for; none: nothing.
    pub activity: Option<TurnActivity>,
}

/// What a turn carries from its start to its commit, so that the commit need not read first. The caller hands it back
/// unread; what must still be true of it is checked when it is written.
#[derive(Clone, PartialEq, Message)]
pub struct Carry {
    #[prost(string, tag = "1")]
    class_id: String,
    /// Until when the thread is kept, if that is new.
    #[prost(int64, tag = "2")]
    kept_until: i64,
    /// The class's index was written anew: the records of the thread must be kept as long.
    #[prost(bool, tag = "3")]
    extended: bool,
    #[prost(bytes = "bytes", tag = "4")]
    memory_scope: Bytes,
    #[prost(message, optional, tag = "5")]
    memory: Option<ConversationMemory>,
    /// What the thread waits for; none: nothing, and it never did.
    #[prost(message, optional, tag = "6")]
    interactions: Option<Interactions>,
    #[prost(bool, tag = "7")]
    course_known: bool,
    #[prost(enumeration = "ThreadKind", tag = "8")]
    kind: i32,
}

impl Carry {
    /// What these bytes say; none if they are not what this version's [`Sessions::begin_turn`] made.
    ///
    /// [`Sessions::begin_turn`]: crate::sessions::Sessions::begin_turn
    #[must_use]
    pub fn read(bytes: Bytes) -> Option<Self> {
        let carry = Self::decode(bytes).ok()?;
        ThreadKind::try_from(carry.kind).is_ok().then_some(carry)
    }
}

/// A memory scope as the name of a field.
fn scope(hash: &Bytes) -> FieldName {
    Cow::Owned(hex::encode(hash))
}

/// Notes that the student has a record in this course.
pub(super) fn known(course_id: &str) -> Write {
    Write::Put {
        key: keys::courses(),
        fields: vec![(Cow::Owned(course_id.to_owned()), Bytes::from_static(b"1"))],
    }
}
