//! The tables of the embedded store and the records in them. Keys begin with tenant and student.

use bytes::Bytes;
use prost::Message;
use redb::{Table, TableDefinition, TableError, WriteTransaction};
use turnwise_proto::{session::v1::Evidence, tutor::v1::Thread};

/// Tenant, student and an id.
pub type IdKey = (&'static str, &'static str, &'static str);
/// Tenant, student and a number that counts up.
pub type OrderKey = (&'static str, &'static str, u64);
/// Tenant, student, thread and message id.
pub type MessageKey = (&'static str, &'static str, &'static str, i64);
/// Tenant, student, course and question.
pub type QuestionKey = (&'static str, &'static str, &'static str, &'static str);
/// Tenant, student, operation and idempotency key.
pub type AnswerKey = (&'static str, &'static str, &'static str, &'static str);
/// When an answer expires, in milliseconds since 1970, and the answer's key.
pub type ExpiryKey = (i64, &'static str, &'static str, &'static str, &'static str);

/// Thread id → [`StoredThread`].
pub const THREADS: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("threads");
/// The order in which a student's threads were made → thread id.
pub const THREAD_ORDER: TableDefinition<'_, OrderKey, &str> = TableDefinition::new("thread_order");
/// Message → `TutorMessage`.
pub const MESSAGES: TableDefinition<'_, MessageKey, &[u8]> = TableDefinition::new("messages");
/// Course → `TurnState`: the half of a snapshot that turns write.
pub const TURN_STATES: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("turn_states");
/// Course → [`StoredEvidence`]: the half of a snapshot that evidence writes.
pub const EVIDENCE: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("evidence");
/// Question → `QuestionRecord`.
pub const QUESTIONS: TableDefinition<'_, QuestionKey, &[u8]> = TableDefinition::new("questions");
/// Idempotency key → [`StoredAnswer`].
pub const ANSWERS: TableDefinition<'_, AnswerKey, &[u8]> = TableDefinition::new("answers");
/// Idempotency keys by the time of their end.
pub const ANSWER_EXPIRY: TableDefinition<'_, ExpiryKey, ()> = TableDefinition::new("answer_expiry");
/// Numbers of the store itself.
pub const COUNTERS: TableDefinition<'_, &str, i64> = TableDefinition::new("counters");

/// A thread, and what only turns ask for.
#[derive(Clone, PartialEq, Message)]
pub struct StoredThread {
    /// The thread.
    #[prost(message, optional, tag = "1")]
    pub thread: Option<Thread>,
    /// Whether a turn of the thread was about a unit for certain.
    #[prost(bool, tag = "2")]
    pub target_locked: bool,
}

/// Evidence and its version, written together.
#[derive(Clone, PartialEq, Message)]
pub struct StoredEvidence {
    /// The evidence.
    #[prost(message, optional, tag = "1")]
    pub evidence: Option<Evidence>,
    /// How often it was written.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// What an idempotency key stands for.
#[derive(Clone, PartialEq, Message)]
pub struct StoredAnswer {
    /// What was asked.
    #[prost(bytes = "bytes", tag = "1")]
    pub fingerprint: Bytes,
    /// What was answered; its form is the operation's.
    #[prost(bytes = "bytes", tag = "2")]
    pub outcome: Bytes,
    /// When it is forgotten, in milliseconds since 1970.
    #[prost(int64, tag = "3")]
    pub expires_at: i64,
}

/// All tables that operations write, open for one transaction.
pub(super) struct Tables<'txn> {
    pub(super) threads: Table<'txn, IdKey, &'static [u8]>,
    pub(super) thread_order: Table<'txn, OrderKey, &'static str>,
    pub(super) messages: Table<'txn, MessageKey, &'static [u8]>,
    pub(super) turn_states: Table<'txn, IdKey, &'static [u8]>,
    pub(super) evidence: Table<'txn, IdKey, &'static [u8]>,
    pub(super) questions: Table<'txn, QuestionKey, &'static [u8]>,
    pub(super) answers: Table<'txn, AnswerKey, &'static [u8]>,
    pub(super) answer_expiry: Table<'txn, ExpiryKey, ()>,
}

impl<'txn> Tables<'txn> {
    /// Opens all tables; those that do not exist yet are made.
    pub(super) fn open(transaction: &'txn WriteTransaction) -> Result<Self, TableError> {
        Ok(Self {
            threads: transaction.open_table(THREADS)?,
            thread_order: transaction.open_table(THREAD_ORDER)?,
            messages: transaction.open_table(MESSAGES)?,
            turn_states: transaction.open_table(TURN_STATES)?,
            evidence: transaction.open_table(EVIDENCE)?,
            questions: transaction.open_table(QUESTIONS)?,
            answers: transaction.open_table(ANSWERS)?,
            answer_expiry: transaction.open_table(ANSWER_EXPIRY)?,
        })
    }
}
