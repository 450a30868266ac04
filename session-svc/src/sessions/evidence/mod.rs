//! Evidence: read with all that it is applied to, and replaced as a whole by whoever read it last, once for each event.

mod begin;
mod commit;
mod read;

use bytes::Bytes;
use turnwise_proto::session::v1::{
    DrillActivity, Evidence, EvidenceStart, GradedDrill, QuestionRecord, StudentSnapshot,
    ThreadKind,
};

use super::Idempotency;

pub(super) use self::read::{erasure, question_records, questions, snapshot, snapshot_reads};

/// Evidence that is about to be applied.
#[derive(Debug, Clone)]
pub struct BeginEvidence {
    /// The course that the client named.
    pub course_id: String,
    /// The thread in which it happened.
    pub thread_id: String,
    /// The kind that the thread must have.
    pub kind: ThreadKind,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// The drill that is graded; none: it is no drill.
    pub drill_nonce: Option<String>,
}

/// What evidence is applied to, or its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceBegun {
    /// It was committed before: this is its answer, empty if it had none or if its text was erased.
    Answered(Bytes),
    /// All that it is applied to.
    Started(Box<EvidenceStart>),
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
    /// The nonce that this spends, and the verdict that is kept with it.
    pub drill: Option<Drill>,
    /// What the drill counts for; none: nothing.
    pub counted: Option<DrillActivity>,
    /// Stored under the idempotency key, until text is erased; empty: none.
    pub answer: Bytes,
    /// What the thread keeps of the drill, until text is erased and only with an answer; none: what it has.
    pub graded: Option<GradedInThread>,
}

/// A drill that was graded, and its thread.
#[derive(Debug, Clone)]
pub struct GradedInThread {
    /// The thread.
    pub thread_id: String,
    /// The drill and its verdict.
    pub drill: GradedDrill,
}

/// A graded drill.
#[derive(Debug, Clone)]
pub struct Drill {
    /// Spent once.
    pub nonce: String,
    /// Answered to whoever spends it again.
    pub verdict: Bytes,
}

/// Whether evidence was written.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceOutcome {
    /// It was; this is its version.
    Committed(i64),
    /// Somebody else wrote first.
    Conflict(Box<EvidenceNow>),
    /// The nonce was spent before, with this verdict; nothing was written.
    AlreadyGraded(Bytes),
    /// The key was used before, with this answer; empty if it had none or if its text was erased. Nothing was written.
    Answered(Bytes),
}

/// What evidence is applied to, as it was at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceNow {
    /// The student's record in the course.
    pub snapshot: StudentSnapshot,
    /// All that the built-in exam system knows of the student in the course, by question.
    pub question_records: Vec<QuestionRecord>,
}
