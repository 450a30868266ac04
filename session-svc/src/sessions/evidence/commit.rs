//! Committing evidence: one transaction writes it with the questions, the nonce and the answer, or nothing at all.

use std::{borrow::Cow, time::Duration};

use turnwise_session_store::{Check, Outcome, Refused, StudentKey, Transaction, Write};

use super::{CommitEvidence, EvidenceOutcome, GradedInThread};
use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions,
        fence::none_under_way,
        fields::{Fields, decimal},
        graded,
        idempotency::IdempotencyEntry,
        keys::{self, Operation},
        threads::{field, is_about},
        turns::known,
    },
};

/// Fencing tokens are all above this, counts of writes below. The version of a record that nobody has written since the
/// student was erased is the erasure's token, so that what was read before it can never be written after it.
const TOKENS_FROM: i64 = 1 << 40;

/// The longest that the token of a drill's card is good: for so long its nonce is kept at least.
const LONGEST_CARD: Duration = Duration::from_secs(86_400);

/// What a commit assumes of what is stored.
#[derive(Clone, Copy)]
struct Assumptions {
    /// Nobody has written the record yet, or since the student was erased.
    unwritten: bool,
    /// No text of the student was erased a moment ago, so that the answer may be kept.
    answer_kept: bool,
    /// The thread is still there, so that it may keep its latest graded drill.
    thread_there: bool,
}

impl Assumptions {
    /// What the thread keeps of the drill.
    fn graded(self, commit: &CommitEvidence) -> Option<&GradedInThread> {
        let kept = self.answer_kept && self.thread_there;
        commit.graded.as_ref().filter(|_| kept)
    }
}

/// What a check of a commit is about, in the order of the checks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Key,
    Nonce,
    Version,
    Erasure,
    Cleared,
    Thread,
    Running,
}

impl Sessions {
    /// Replaces the evidence if its version is still the expected one; never touches what turns write.
    pub async fn commit_evidence(
        &self,
        student: &StudentKey,
        commit: CommitEvidence,
    ) -> Result<EvidenceOutcome, SessionError> {
        let partition = self.partition(student).await?;
        let entry =
            IdempotencyEntry::new(Operation::Evidence, &commit.idempotency, &commit.course_id);
        let mut assumptions = Assumptions {
            unwritten: commit.expected_version == 0,
            answer_kept: !commit.answer.is_empty(),
            thread_there: commit.graded.is_some(),
        };
        // Each round assumes one thing less, so there are at most four.
        loop {
            let (about, checks) = checks(&entry, &commit, assumptions);
            let transaction = Transaction {
                checks,
                writes: self.evidence_writes(&entry, &commit, assumptions),
                reads: Vec::new(),
            };
            let refused = match self.transact(&partition, transaction).await? {
                Outcome::Applied(_) => {
                    return Ok(EvidenceOutcome::Committed(commit.expected_version + 1));
                }
                Outcome::Refused(refused) => refused,
            };
            match about.get(refused.check) {
                Some(About::Key) => {
                    return Ok(EvidenceOutcome::Answered(entry.stored_text(refused)?));
                }
                Some(About::Nonce) => return spent(refused),
                // A record that is not there has the erasure's token as its version.
                Some(About::Version)
                    if !assumptions.unwritten
                        && commit.expected_version >= TOKENS_FROM
                        && Fields::of(refused.told).take().is_none() =>
                {
                    assumptions.unwritten = true;
                }
                Some(About::Cleared) => assumptions.answer_kept = false,
                Some(About::Thread) => assumptions.thread_there = false,
                Some(About::Running) => return Err(SessionError::ErasureUnderWay),
                Some(About::Version | About::Erasure) | None => break,
            }
        }
        let (now, erasure) = self.evidence_now(student, &commit.course_id).await?;
        // Versions go on from the erasure's token. One that is too high was lost in a failover of a Redis that promises
        // no better, and is a conflict as any other.
        if commit.expected_version < erasure {
            return Err(SessionError::TurnErased);
        }
        Ok(EvidenceOutcome::Conflict(Box::new(now)))
    }

    fn evidence_writes(
        &self,
        entry: &IdempotencyEntry,
        commit: &CommitEvidence,
        assumptions: Assumptions,
    ) -> Vec<Write> {
        let version = decimal(commit.expected_version + 1);
        let mut writes = vec![Write::Put {
            key: keys::snapshot(&commit.course_id),
            fields: vec![
                field("evidence", record::encode(&commit.evidence)),
                field("version", version.clone()),
            ],
        }];
        if assumptions.unwritten {
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
                after: self.limits().idempotency_ttl.max(LONGEST_CARD),
            });
        }
        if let Some(drill) = &commit.counted {
            writes.extend(self.count_drill(&commit.course_id, drill));
        }
        writes.extend(entry.store(version, self.limits()));
        if assumptions.answer_kept {
            writes.extend(entry.store_text(&commit.answer));
            let noted = graded::note(entry, &commit.course_id, self.now_millis(), self.limits());
            writes.extend(noted);
        }
        if let Some(graded) = assumptions.graded(commit) {
            writes.push(Write::Put {
                key: keys::thread(&graded.thread_id),
                fields: vec![field("graded", record::encode(&graded.drill))],
            });
        }
        writes
    }
}

/// The checks of a commit, with what each is about.
fn checks(
    entry: &IdempotencyEntry,
    commit: &CommitEvidence,
    assumptions: Assumptions,
) -> (Vec<About>, Vec<Check>) {
    let mut checks = vec![(About::Key, entry.unused())];
    if let Some(drill) = &commit.drill {
        let unspent = Check::Absent {
            key: keys::nonce(&drill.nonce),
            tell: vec!["verdict"],
        };
        checks.push((About::Nonce, unspent));
    }
    let expected = decimal(commit.expected_version);
    let version = Check::FieldIs {
        key: keys::snapshot(&commit.course_id),
        field: "version",
        value: (!assumptions.unwritten).then(|| expected.clone()),
        tell: vec!["version"],
    };
    checks.push((About::Version, version));
    if assumptions.unwritten {
        let erasure = Check::FieldIs {
            key: keys::erased(),
            field: "fence",
            value: (commit.expected_version > 0).then_some(expected),
            tell: Vec::new(),
        };
        checks.push((About::Erasure, erasure));
    }
    if assumptions.answer_kept {
        checks.push((About::Cleared, graded::not_cleared()));
    }
    if let Some(graded) = assumptions.graded(commit) {
        let there = is_about(&graded.thread_id, &commit.course_id);
        checks.push((About::Thread, there));
    }
    checks.push((About::Running, none_under_way()));
    checks.into_iter().unzip()
}

/// What a nonce that was spent before answers.
fn spent(refused: Refused) -> Result<EvidenceOutcome, SessionError> {
    let verdict = Fields::of(refused.told).take().unwrap_or_default();
    let verdict = record::unstamp("nonce", &verdict)?;
    Ok(EvidenceOutcome::AlreadyGraded(verdict))
}
