//! What the Redis store writes: one script for each operation, and what it returned as an answer.

use std::time::Duration;

use turnwise_proto::{
    session::v1::TurnStart,
    tutor::v1::{Thread, TutorMessage},
};

use super::{
    RedisStore,
    keys::Keys,
    reads::{snapshot, thread},
    scripts::Returned,
};
use crate::{
    error::SessionError,
    store::{
        BeginTurn, Begun, CommitEvidence, CommitTurn, EvidenceOutcome, NewThread, Operation,
        StudentKey, record,
    },
};

impl RedisStore {
    pub(super) async fn create(
        &self,
        student: &StudentKey,
        new: NewThread,
    ) -> Result<Thread, SessionError> {
        let keys = Keys::of(student);
        let stored = record::encode(&new.thread);
        let mut script = self.scripts.create_thread.prepare_invoke();
        script
            .key(keys.answer(Operation::CreateThread, &new.idempotency))
            .key(keys.thread(&new.thread.thread_id))
            .key(keys.threads())
            .key(keys.threads_made())
            .arg(new.idempotency.fingerprint("").as_ref())
            .arg(&new.thread.thread_id)
            .arg(&stored)
            .arg(&new.thread.course_id)
            .arg(record::encode(&new.thread.update_time.unwrap_or_default()))
            .arg(millis(self.idempotency_ttl))
            .arg(&stored);
        let mut returned = self.run(&script).await?;
        match returned.word.as_str() {
            "done" => Ok(new.thread),
            "answered" => record::decode("answer", &returned.required("answer")?),
            word => Err(refused(word, "", "")),
        }
    }

    pub(super) async fn begin(
        &self,
        student: &StudentKey,
        begin: BeginTurn,
    ) -> Result<Begun, SessionError> {
        let keys = Keys::of(student);
        let thread_id = &begin.thread_id;
        let mut script = self.scripts.begin_turn.prepare_invoke();
        script
            .key(keys.answer(Operation::Turn, &begin.idempotency))
            .key(keys.thread(thread_id))
            .key(keys.lease(thread_id))
            .key(keys.snapshot(&begin.course_id))
            .key(keys.messages(thread_id))
            .arg(begin.idempotency.fingerprint(thread_id).as_ref())
            .arg(&begin.course_id)
            .arg(&begin.idempotency.key)
            .arg(begin.history_limit)
            .arg(millis(self.lease_ttl));
        let mut returned = self.run(&script).await?;
        match returned.word.as_str() {
            "done" => {}
            "answered" => {
                let answer = record::unstamp_owned("answer", returned.required("answer")?)?;
                return Ok(Begun::Answered(answer));
            }
            "in_progress" => {
                let rest = u64::try_from(returned.number("lease")?).unwrap_or(0);
                return Err(SessionError::TurnInProgress {
                    lease_remainder: Duration::from_millis(rest),
                });
            }
            word => return Err(refused(word, thread_id, &begin.course_id)),
        }

        let fencing_token = returned.number("lease")?;
        match read_start(student, &begin, &mut returned) {
            Ok(start) => Ok(Begun::Started(Box::new(TurnStart {
                fencing_token,
                lease_ttl: prost_types::Duration::try_from(self.lease_ttl).ok(),
                ..start
            }))),
            Err(error) => {
                // A record that cannot be read should not lock the thread as well; if this fails, the lease runs out.
                let _ = self.abandon(student, thread_id, fencing_token).await;
                Err(error)
            }
        }
    }

    pub(super) async fn commit(
        &self,
        student: &StudentKey,
        commit: CommitTurn,
    ) -> Result<(), SessionError> {
        let keys = Keys::of(student);
        let thread_id = &commit.thread_id;
        let mut script = self.scripts.commit_turn.prepare_invoke();
        script
            .key(keys.answer(Operation::Turn, &commit.idempotency))
            .key(keys.thread(thread_id))
            .key(keys.lease(thread_id))
            .key(keys.snapshot(&commit.course_id))
            .key(keys.messages(thread_id))
            .arg(commit.idempotency.fingerprint(thread_id).as_ref())
            .arg(&commit.course_id)
            .arg(commit.fencing_token)
            .arg(millis(self.idempotency_ttl))
            .arg(record::encode(&commit.time))
            .arg(i32::from(commit.target_locked))
            .arg(commit.first_message_id().unwrap_or(0))
            .arg(
                commit
                    .turn_state
                    .as_ref()
                    .map_or_else(Vec::new, record::encode),
            )
            .arg(record::stamp(&commit.answer));
        for message in &commit.messages {
            script.arg(record::encode(message));
        }
        let mut returned = self.run(&script).await?;
        match returned.word.as_str() {
            "done" => Ok(()),
            "message_ids" => Err(SessionError::MessageIds {
                expected: returned.number("thread")?,
            }),
            word => Err(refused(word, thread_id, &commit.course_id)),
        }
    }

    pub(super) async fn renew(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<Duration, SessionError> {
        let mut script = self.scripts.renew_lease.prepare_invoke();
        script
            .key(Keys::of(student).lease(thread_id))
            .arg(fencing_token)
            .arg(millis(self.lease_ttl));
        match self.run(&script).await?.word.as_str() {
            "done" => Ok(self.lease_ttl),
            word => Err(refused(word, thread_id, "")),
        }
    }

    pub(super) async fn abandon(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<(), SessionError> {
        let mut script = self.scripts.abandon_turn.prepare_invoke();
        script
            .key(Keys::of(student).lease(thread_id))
            .arg(fencing_token);
        self.run(&script).await.map(drop)
    }

    pub(super) async fn write_evidence(
        &self,
        student: &StudentKey,
        commit: CommitEvidence,
    ) -> Result<EvidenceOutcome, SessionError> {
        let keys = Keys::of(student);
        let course_id = &commit.course_id;
        let mut script = self.scripts.commit_evidence.prepare_invoke();
        script
            .key(keys.answer(Operation::Evidence, &commit.idempotency))
            .key(keys.snapshot(course_id))
            .key(keys.questions(course_id))
            .arg(commit.idempotency.fingerprint(course_id).as_ref())
            .arg(commit.expected_version)
            .arg(record::encode(&commit.evidence))
            .arg(millis(self.idempotency_ttl));
        for question in &commit.question_records {
            script
                .arg(&question.question_id)
                .arg(record::encode(question));
        }
        let mut returned = self.run(&script).await?;
        match returned.word.as_str() {
            "done" => Ok(EvidenceOutcome::Committed(returned.number("answer")?)),
            "conflict" => {
                let current = snapshot(
                    student,
                    course_id,
                    returned.optional()?,
                    returned.optional()?,
                    returned.number("evidence")?,
                )?;
                Ok(EvidenceOutcome::Conflict(Box::new(current)))
            }
            word => Err(refused(word, "", course_id)),
        }
    }
}

fn read_start(
    student: &StudentKey,
    begin: &BeginTurn,
    returned: &mut Returned,
) -> Result<TurnStart, SessionError> {
    let stored = returned.required("thread")?;
    let count = returned.number("thread")?;
    let updated = returned.required("thread")?;
    let target_locked = returned.number("thread")? == 1;
    let snapshot = snapshot(
        student,
        &begin.course_id,
        returned.optional()?,
        returned.optional()?,
        returned.number("evidence")?,
    )?;
    let recent_messages = returned
        .list()?
        .iter()
        .map(|bytes| record::decode::<TutorMessage>("message", bytes))
        .collect::<Result<_, _>>()?;
    Ok(TurnStart {
        thread: Some(thread(&stored, count, &updated)?),
        target_locked,
        snapshot: Some(snapshot),
        recent_messages,
        ..TurnStart::default()
    })
}

/// What a script's word of refusal means.
fn refused(word: &str, thread_id: &str, course_id: &str) -> SessionError {
    match word {
        "other_request" => SessionError::IdempotencyConflict,
        "unknown_thread" => SessionError::UnknownThread {
            thread_id: thread_id.to_owned(),
        },
        "other_course" => SessionError::OtherCourse {
            course_id: course_id.to_owned(),
        },
        "lease_lost" => SessionError::LeaseLost,
        _ => {
            tracing::error!(
                word,
                "a script of the session store returned an unknown word"
            );
            SessionError::Unavailable
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
