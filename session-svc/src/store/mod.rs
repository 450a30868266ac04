//! The port to the store: what it is asked for, and what it answers. Both stores pass one suite of tests.
//!
//! What every store holds to:
//! - A student's key is (tenant, student); nothing of one student is reachable by another's key.
//! - Each operation that writes is one atomic step: all of it is stored, or nothing.
//! - What was acknowledged is still there after a restart, as far as the store's own durability goes.
//! - A turn's state and the evidence are separate fields with separate writers.

pub mod embedded;
pub mod record;
pub mod redis;

use std::{future::Future, pin::Pin, time::Duration};

use bytes::Bytes;
use prost_types::Timestamp;
use turnwise_proto::{
    session::v1::{Evidence, QuestionRecord, StudentSnapshot, TurnStart, TurnState},
    tutor::v1::{Thread, TutorMessage},
};

use crate::error::SessionError;

/// What an operation answers, some time.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, SessionError>> + Send + 'a>>;

/// All state of the suite.
pub trait Store: Send + Sync + 'static {
    /// Stores a new thread, or answers the one that the same idempotency key stored before.
    fn create_thread<'a>(&'a self, student: &'a StudentKey, new: NewThread) -> Reply<'a, Thread>;

    /// A student's threads, newest first: at most `limit` older than `before`.
    fn list_threads<'a>(
        &'a self,
        student: &'a StudentKey,
        before: Option<u64>,
        limit: usize,
    ) -> Reply<'a, ThreadPage>;

    /// A thread and at most `limit` of its messages with ids above `after`, oldest first.
    fn get_thread<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        after: i64,
        limit: usize,
    ) -> Reply<'a, MessagePage>;

    /// Takes a thread's lease and reads all that the turn needs, or answers what the idempotency key stored before.
    fn begin_turn<'a>(&'a self, student: &'a StudentKey, begin: BeginTurn) -> Reply<'a, Begun>;

    /// Writes a turn and gives its lease back.
    fn commit_turn<'a>(&'a self, student: &'a StudentKey, commit: CommitTurn) -> Reply<'a, ()>;

    /// Makes a lease last its full time again and answers that time.
    fn renew_lease<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, Duration>;

    /// Gives a lease back; does nothing if it is not held by this turn.
    fn abandon_turn<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, ()>;

    /// A student's record in a course.
    fn get_snapshot<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
    ) -> Reply<'a, StudentSnapshot>;

    /// Replaces the evidence if its version is still the expected one.
    fn commit_evidence<'a>(
        &'a self,
        student: &'a StudentKey,
        commit: CommitEvidence,
    ) -> Reply<'a, EvidenceOutcome>;

    /// What is known of each of these questions, in their order.
    fn question_records<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
        question_ids: &'a [String],
    ) -> Reply<'a, Vec<Option<QuestionRecord>>>;
}

/// Whose data it is. Both parts are ids that were checked at the edge, so neither holds a separator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StudentKey {
    /// The tenant.
    pub tenant: String,
    /// The student.
    pub student: String,
}

/// Makes an operation safe to send again.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// The client's key; visible ASCII.
    pub key: String,
    /// The hash of what the client asked for.
    pub body_hash: Bytes,
}

impl Idempotency {
    /// What is compared when a key comes again: the hash and what the operation is about, so that one key never
    /// stands for two threads or two courses.
    pub(crate) fn fingerprint(&self, about: &str) -> Bytes {
        [&self.body_hash, about.as_bytes()].concat().into()
    }
}

/// The operations that keep idempotency keys; each has its own keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    CreateThread,
    Turn,
    Evidence,
}

impl Operation {
    /// The name in keys.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::CreateThread => "thread",
            Self::Turn => "turn",
            Self::Evidence => "evidence",
        }
    }
}

/// A thread to store.
#[derive(Debug, Clone)]
pub struct NewThread {
    /// The thread, complete.
    pub thread: Thread,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

/// A page of threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPage {
    /// Newest first.
    pub threads: Vec<Thread>,
    /// Where the next page goes on; none after the last.
    pub before: Option<u64>,
}

/// A thread and a page of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessagePage {
    /// The thread.
    pub thread: Thread,
    /// Oldest first.
    pub messages: Vec<TutorMessage>,
    /// Where the next page goes on; none after the last.
    pub after: Option<i64>,
}

impl MessagePage {
    /// The page with its way on: there is one if the thread has later messages.
    pub(crate) fn new(thread: Thread, messages: Vec<TutorMessage>) -> Self {
        let after = messages
            .last()
            .map(|last| last.id)
            .filter(|last| *last < thread.message_count);
        Self {
            thread,
            messages,
            after,
        }
    }
}

/// A turn to begin.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    /// The course that the client named.
    pub course_id: String,
    /// The thread.
    pub thread_id: String,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// How many of the latest messages are wanted.
    pub history_limit: usize,
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
    /// Where the conversation stands now; none: unchanged.
    pub turn_state: Option<TurnState>,
    /// Set with the thread; never unset.
    pub target_locked: bool,
    /// To append; at least one.
    pub messages: Vec<TutorMessage>,
    /// Stored under the idempotency key.
    pub answer: Bytes,
    /// Now.
    pub time: Timestamp,
}

impl CommitTurn {
    /// The id of the first message, if the others go on from it.
    pub(crate) fn first_message_id(&self) -> Option<i64> {
        let first = self.messages.first()?.id;
        let follow_on = self.messages.iter().zip(first..).all(|(m, id)| m.id == id);
        follow_on.then_some(first)
    }
}

/// Evidence to write.
#[derive(Debug, Clone)]
pub struct CommitEvidence {
    /// The course.
    pub course_id: String,
    /// The version that was read.
    pub expected_version: i64,
    /// The new evidence, whole.
    pub evidence: Evidence,
    /// What the built-in exam system should know from now on.
    pub question_records: Vec<QuestionRecord>,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

/// Whether evidence was written.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceOutcome {
    /// It was; this is its version.
    Committed(i64),
    /// Somebody else wrote first; this is the record now.
    Conflict(Box<StudentSnapshot>),
}
