//! Evidence: replaced as a whole by whoever read it last, once for each event.

use std::borrow::Cow;

use bytes::Bytes;
use turnwise_proto::session::v1::{Evidence, QuestionRecord, StudentSnapshot};
use turnwise_session_store::{
    Check, Outcome, Partition, Read, Refused, StudentKey, Transaction, Write,
};

use super::{
    Idempotency, Sessions,
    answers::Slot,
    fields::{self, Fields, decimal},
    keys::{self, Operation},
    threads::field,
    turns::known,
};
use crate::{error::SessionError, record};

/// The fields of a snapshot: what turns write, what evidence writes, and how often the latter was written.
pub(super) const SNAPSHOT_FIELDS: [&str; 3] = ["turn", "evidence", "version"];

/// Fencing tokens are all above this, counts of writes below. The version of a record that nobody has written since the
/// student was erased is the erasure's token, so that what was read before it can never be written after it.
const TOKENS_FROM: i64 = 1 << 40;

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
    /// Somebody else wrote first; this is the record now.
    Conflict(Box<StudentSnapshot>),
    /// The nonce was spent before, with this verdict; nothing was written.
    AlreadyGraded(Bytes),
}

impl Sessions {
    /// A student's record in a course.
    pub async fn get_snapshot(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<StudentSnapshot, SessionError> {
        Ok(self.snapshot_and_erasure(student, course_id).await?.0)
    }

    /// A student's record, and the token of the latest erasure of the student; 0 if there was none.
    async fn snapshot_and_erasure(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<(StudentSnapshot, i64), SessionError> {
        let erasure = Read::Fields {
            key: keys::erased(),
            fields: vec!["fence".into()],
        };
        let wanted = vec![
            Read::Fields {
                key: keys::snapshot(course_id),
                fields: SNAPSHOT_FIELDS.map(Cow::Borrowed).to_vec(),
            },
            erasure.clone(),
            erasure,
        ];
        let mut reads = self.read(&Partition::student(student), wanted).await?;
        let snapshot = snapshot(student, course_id, reads.fields()?, reads.fields()?)?;
        Ok((snapshot, reads.fields()?.number("erasure")?))
    }

    /// Replaces the evidence if its version is still the expected one; never touches what turns write.
    pub async fn commit_evidence(
        &self,
        student: &StudentKey,
        commit: CommitEvidence,
    ) -> Result<EvidenceOutcome, SessionError> {
        let partition = Partition::student(student);
        let slot = Slot::new(Operation::Evidence, &commit.idempotency, &commit.course_id);
        let first = self.evidence_transaction(&slot, &commit, commit.expected_version == 0);
        let refused = match self.transact(&partition, first).await? {
            Outcome::Applied(_) => {
                return Ok(EvidenceOutcome::Committed(commit.expected_version + 1));
            }
            Outcome::Refused(refused) => refused,
        };
        // A record that is not there has the erasure's token as its version.
        let version_check = 1 + usize::from(commit.drill.is_some());
        let unwritten =
            refused.check == version_check && refused.told.first().is_some_and(Option::is_none);
        if unwritten && commit.expected_version >= TOKENS_FROM {
            let again = self.evidence_transaction(&slot, &commit, true);
            return match self.transact(&partition, again).await? {
                Outcome::Applied(_) => Ok(EvidenceOutcome::Committed(commit.expected_version + 1)),
                Outcome::Refused(refused) => self.refused(student, &slot, &commit, refused).await,
            };
        }
        self.refused(student, &slot, &commit, refused).await
    }

    async fn refused(
        &self,
        student: &StudentKey,
        slot: &Slot,
        commit: &CommitEvidence,
        refused: Refused,
    ) -> Result<EvidenceOutcome, SessionError> {
        match refused.check {
            0 => {
                let version = slot.stored(refused)?;
                Ok(EvidenceOutcome::Committed(fields::number(
                    "answer", &version,
                )?))
            }
            1 if commit.drill.is_some() => {
                let verdict = Fields::of(refused.told).take().unwrap_or_default();
                Ok(EvidenceOutcome::AlreadyGraded(record::unstamp(
                    "nonce", &verdict,
                )?))
            }
            _ => {
                let (current, erasure) = self
                    .snapshot_and_erasure(student, &commit.course_id)
                    .await?;
                // Versions go on from the erasure's token. One that is too high was lost in a failover of a Redis that
                // promises no better, and is a conflict as any other.
                if commit.expected_version < erasure {
                    return Err(SessionError::TurnErased);
                }
                Ok(EvidenceOutcome::Conflict(Box::new(current)))
            }
        }
    }

    fn evidence_transaction(
        &self,
        slot: &Slot,
        commit: &CommitEvidence,
        unwritten: bool,
    ) -> Transaction {
        let snapshot = keys::snapshot(&commit.course_id);
        let expected = decimal(commit.expected_version);
        let mut checks = vec![slot.unused()];
        if let Some(drill) = &commit.drill {
            checks.push(Check::Absent {
                key: keys::nonce(&drill.nonce),
                tell: vec!["verdict"],
            });
        }
        checks.push(Check::FieldIs {
            key: snapshot.clone(),
            field: "version",
            value: (!unwritten).then(|| expected.clone()),
            tell: vec!["version"],
        });
        if unwritten {
            checks.push(Check::FieldIs {
                key: keys::erased(),
                field: "fence",
                value: (commit.expected_version > 0).then_some(expected),
                tell: Vec::new(),
            });
        }

        let version = decimal(commit.expected_version + 1);
        let mut writes = vec![Write::Put {
            key: snapshot,
            fields: vec![
                field("evidence", record::encode(&commit.evidence)),
                field("version", version.clone()),
            ],
        }];
        if unwritten {
            writes.push(known(&commit.course_id));
        }
        if !commit.question_records.is_empty() {
            writes.push(Write::Put {
                key: keys::questions(&commit.course_id),
                fields: commit
                    .question_records
                    .iter()
                    .map(|question| {
                        let id = Cow::Owned(question.question_id.clone());
                        (id, record::encode(question))
                    })
                    .collect(),
            });
        }
        if let Some(drill) = &commit.drill {
            let key = keys::nonce(&drill.nonce);
            writes.push(Write::Put {
                key: key.clone(),
                fields: vec![field("verdict", record::stamp(&drill.verdict))],
            });
            writes.push(Write::Expire {
                key,
                after: self.limits().idempotency_ttl,
            });
        }
        writes.extend(slot.store(version, self.limits()));
        Transaction {
            checks,
            writes,
            reads: Vec::new(),
        }
    }

    /// What is known of each of these questions, in their order.
    pub async fn question_records(
        &self,
        student: &StudentKey,
        course_id: &str,
        question_ids: &[String],
    ) -> Result<Vec<Option<QuestionRecord>>, SessionError> {
        if question_ids.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = vec![Read::Fields {
            key: keys::questions(course_id),
            fields: question_ids.iter().cloned().map(Cow::Owned).collect(),
        }];
        let mut reads = self.read(&Partition::student(student), wanted).await?;
        let mut found = reads.fields()?;
        question_ids
            .iter()
            .map(|_| {
                found
                    .take()
                    .map(|bytes| record::decode("question", &bytes))
                    .transpose()
            })
            .collect()
    }
}

/// A snapshot from its halves, and from what an erasure left.
pub(super) fn snapshot(
    student: &StudentKey,
    course_id: &str,
    mut stored: Fields,
    mut erased: Fields,
) -> Result<StudentSnapshot, SessionError> {
    let turn = stored.take();
    let evidence = stored.take();
    let version = match stored.take() {
        Some(version) => fields::number("evidence", &version)?,
        None => erased.number("erasure")?,
    };
    Ok(StudentSnapshot {
        student_id: student.student.clone(),
        course_id: course_id.to_owned(),
        turn: turn
            .map(|bytes| record::decode("turn_state", &bytes))
            .transpose()?,
        evidence: evidence
            .map(|bytes| record::decode("evidence", &bytes))
            .transpose()?,
        evidence_version: version,
    })
}
