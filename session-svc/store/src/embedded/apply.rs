//! What is written: each operation checks all its conditions first, so that a refused one has written nothing.

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use redb::ReadableTable;
use turnwise_proto::tutor::v1::Thread;

use super::{
    failure::Failure,
    leases::{Held, Leases},
    read,
    tables::{StoredAnswer, StoredEvidence, StoredThread, Tables},
};
use crate::{
    error::SessionError,
    store::{
        CommitEvidence, CommitTurn, EvidenceOutcome, Idempotency, NewThread, Operation, StudentKey,
        record,
    },
};

/// At most so many forgotten answers are removed with each write: it stays short whatever has piled up.
const SWEEP_PER_WRITE: usize = 64;

/// When an operation runs, and how long its answer is kept; in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) now: i64,
    pub(super) keep_answers: i64,
}

/// Stores a thread, or answers the one stored before.
pub(super) fn create_thread(
    tables: &mut Tables<'_>,
    times: Times,
    student: &StudentKey,
    new: NewThread,
) -> Result<Thread, Failure> {
    let fingerprint = new.idempotency.fingerprint("");
    let operation = Operation::CreateThread;
    let key = &new.idempotency.key;
    if let Some(stored) = read::answer(
        &tables.answers,
        student,
        operation,
        key,
        &fingerprint,
        times.now,
    )? {
        return Ok(Thread::decode(stored)
            .map_err(|_| SessionError::RecordCorrupted { record: "answer" })?);
    }
    let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
    let newest = tables
        .thread_order
        .range((tenant, id, 0)..=(tenant, id, u64::MAX))?
        .next_back()
        .transpose()?
        .map_or(0, |(position, _)| position.value().2);
    let thread_id = new.thread.thread_id.as_str();
    tables
        .thread_order
        .insert((tenant, id, newest + 1), thread_id)?;
    let stored = StoredThread {
        thread: Some(new.thread.clone()),
        target_locked: false,
    };
    tables
        .threads
        .insert((tenant, id, thread_id), record::encode(&stored).as_slice())?;
    let outcome = new.thread.encode_to_vec().into();
    remember(
        tables,
        times,
        student,
        operation,
        &new.idempotency,
        fingerprint,
        outcome,
    )?;
    Ok(new.thread)
}

/// Writes a turn. The lease is held until the transaction is on disk: the caller releases it then.
pub(super) fn commit_turn(
    tables: &mut Tables<'_>,
    times: Times,
    leases: &Arc<Leases>,
    student: &StudentKey,
    commit: CommitTurn,
) -> Result<Option<Held>, Failure> {
    let fingerprint = commit.idempotency.fingerprint(&commit.thread_id);
    let operation = Operation::Turn;
    let key = &commit.idempotency.key;
    if read::answer(
        &tables.answers,
        student,
        operation,
        key,
        &fingerprint,
        times.now,
    )?
    .is_some()
    {
        return Ok(None);
    }
    let (mut thread, locked) = read::thread_of_course(
        &tables.threads,
        student,
        &commit.thread_id,
        &commit.course_id,
    )?;
    let held = leases
        .hold(student, &commit.thread_id, commit.fencing_token)
        .ok_or(SessionError::LeaseLost)?;
    let expected = thread.message_count + 1;
    if commit.first_message_id() != Some(expected) {
        return Err(SessionError::MessageIds { expected }.into());
    }

    let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
    let thread_id = commit.thread_id.as_str();
    for message in &commit.messages {
        tables.messages.insert(
            (tenant, id, thread_id, message.id),
            record::encode(message).as_slice(),
        )?;
        thread.message_count = message.id;
    }
    if let Some(state) = &commit.turn_state {
        tables.turn_states.insert(
            (tenant, id, commit.course_id.as_str()),
            record::encode(state).as_slice(),
        )?;
    }
    thread.update_time = Some(commit.time);
    let stored = StoredThread {
        thread: Some(thread),
        target_locked: locked || commit.target_locked,
    };
    tables
        .threads
        .insert((tenant, id, thread_id), record::encode(&stored).as_slice())?;
    let idempotency = &commit.idempotency;
    remember(
        tables,
        times,
        student,
        operation,
        idempotency,
        fingerprint,
        commit.answer,
    )?;
    Ok(Some(held))
}

/// Replaces the evidence, or answers the record as it is.
pub(super) fn commit_evidence(
    tables: &mut Tables<'_>,
    times: Times,
    student: &StudentKey,
    commit: CommitEvidence,
) -> Result<EvidenceOutcome, Failure> {
    let fingerprint = commit.idempotency.fingerprint(&commit.course_id);
    let operation = Operation::Evidence;
    let key = &commit.idempotency.key;
    if let Some(stored) = read::answer(
        &tables.answers,
        student,
        operation,
        key,
        &fingerprint,
        times.now,
    )? {
        let version = stored
            .as_ref()
            .try_into()
            .map_err(|_| SessionError::RecordCorrupted { record: "answer" })?;
        return Ok(EvidenceOutcome::Committed(i64::from_be_bytes(version)));
    }
    let course_id = commit.course_id.as_str();
    let current = read::snapshot(&tables.turn_states, &tables.evidence, student, course_id)?;
    if current.evidence_version != commit.expected_version {
        return Ok(EvidenceOutcome::Conflict(Box::new(current)));
    }

    let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
    let version = current.evidence_version + 1;
    let stored = StoredEvidence {
        evidence: Some(commit.evidence),
        version,
    };
    tables
        .evidence
        .insert((tenant, id, course_id), record::encode(&stored).as_slice())?;
    for question in &commit.question_records {
        tables.questions.insert(
            (tenant, id, course_id, question.question_id.as_str()),
            record::encode(question).as_slice(),
        )?;
    }
    let outcome = Bytes::copy_from_slice(&version.to_be_bytes());
    remember(
        tables,
        times,
        student,
        operation,
        &commit.idempotency,
        fingerprint,
        outcome,
    )?;
    Ok(EvidenceOutcome::Committed(version))
}

fn remember(
    tables: &mut Tables<'_>,
    times: Times,
    student: &StudentKey,
    operation: Operation,
    idempotency: &Idempotency,
    fingerprint: Bytes,
    outcome: Bytes,
) -> Result<(), Failure> {
    let expires_at = times.now.saturating_add(times.keep_answers);
    let stored = StoredAnswer {
        fingerprint,
        outcome,
        expires_at,
    };
    let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
    let (operation, key) = (operation.as_str(), idempotency.key.as_str());
    tables.answers.insert(
        (tenant, id, operation, key),
        record::encode(&stored).as_slice(),
    )?;
    tables
        .answer_expiry
        .insert((expires_at, tenant, id, operation, key), ())?;
    Ok(())
}

/// Removes some of the answers whose time has passed, the oldest first.
pub(super) fn sweep(tables: &mut Tables<'_>, now: i64) -> Result<(), Failure> {
    let mut expired = Vec::new();
    for entry in tables.answer_expiry.iter()?.take(SWEEP_PER_WRITE) {
        let (found, _) = entry?;
        let (at, tenant, id, operation, key) = found.value();
        if at > now {
            break;
        }
        expired.push((at, [tenant, id, operation, key].map(str::to_owned)));
    }
    for (at, [tenant, id, operation, key]) in &expired {
        let (tenant, id) = (tenant.as_str(), id.as_str());
        let (operation, key) = (operation.as_str(), key.as_str());
        tables
            .answer_expiry
            .remove((*at, tenant, id, operation, key))?;
        // A key that was used again after its time has a later end, and stays.
        let stored = match tables.answers.get((tenant, id, operation, key))? {
            Some(found) => record::decode::<StoredAnswer>("answer", found.value()).ok(),
            None => None,
        };
        if stored.is_none_or(|stored| stored.expires_at <= *at) {
            tables.answers.remove((tenant, id, operation, key))?;
        }
    }
    Ok(())
}
