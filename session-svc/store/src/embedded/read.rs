//! What is read, by operations that only read and by those that write, too.

use bytes::Bytes;
use redb::{ReadTransaction, ReadableTable};
use turnwise_proto::{
    session::v1::{QuestionRecord, StudentSnapshot, TurnStart, TurnState},
    tutor::v1::{Thread, TutorMessage},
};

use super::{
    failure::Failure,
    tables::{
        ANSWERS, AnswerKey, EVIDENCE, IdKey, MESSAGES, QUESTIONS, StoredAnswer, StoredEvidence,
        StoredThread, THREAD_ORDER, THREADS, TURN_STATES,
    },
};
use crate::{
    error::SessionError,
    store::{BeginTurn, MessagePage, Operation, StudentKey, ThreadPage, record},
};

type Blob = &'static [u8];

/// What this idempotency key was answered with, if it was; refused if it stood for something else.
pub(super) fn answer(
    answers: &impl ReadableTable<AnswerKey, Blob>,
    student: &StudentKey,
    operation: Operation,
    key: &str,
    fingerprint: &Bytes,
    now: i64,
) -> Result<Option<Bytes>, Failure> {
    let key = (
        student.tenant.as_str(),
        student.student.as_str(),
        operation.as_str(),
        key,
    );
    let Some(found) = answers.get(key)? else {
        return Ok(None);
    };
    let stored: StoredAnswer = record::decode("answer", found.value())?;
    if stored.expires_at <= now {
        return Ok(None);
    }
    if stored.fingerprint != fingerprint {
        return Err(SessionError::IdempotencyConflict.into());
    }
    Ok(Some(stored.outcome))
}

/// A thread of the student, and whether its target is locked.
pub(super) fn thread(
    threads: &impl ReadableTable<IdKey, Blob>,
    student: &StudentKey,
    thread_id: &str,
) -> Result<(Thread, bool), Failure> {
    let key = (student.tenant.as_str(), student.student.as_str(), thread_id);
    let Some(found) = threads.get(key)? else {
        return Err(SessionError::UnknownThread {
            thread_id: thread_id.to_owned(),
        }
        .into());
    };
    let stored: StoredThread = record::decode("thread", found.value())?;
    let thread = stored
        .thread
        .ok_or(SessionError::RecordCorrupted { record: "thread" })?;
    Ok((thread, stored.target_locked))
}

/// [`thread`], refused if it is about another course.
pub(super) fn thread_of_course(
    threads: &impl ReadableTable<IdKey, Blob>,
    student: &StudentKey,
    thread_id: &str,
    course_id: &str,
) -> Result<(Thread, bool), Failure> {
    let found = thread(threads, student, thread_id)?;
    if found.0.course_id != course_id {
        return Err(SessionError::OtherCourse {
            course_id: course_id.to_owned(),
        }
        .into());
    }
    Ok(found)
}

/// The student's record in a course.
pub(super) fn snapshot(
    turn_states: &impl ReadableTable<IdKey, Blob>,
    evidence: &impl ReadableTable<IdKey, Blob>,
    student: &StudentKey,
    course_id: &str,
) -> Result<StudentSnapshot, Failure> {
    let key = (student.tenant.as_str(), student.student.as_str(), course_id);
    let turn = turn_states
        .get(key)?
        .map(|found| record::decode::<TurnState>("turn_state", found.value()))
        .transpose()?;
    let evidence = evidence
        .get(key)?
        .map(|found| record::decode::<StoredEvidence>("evidence", found.value()))
        .transpose()?
        .unwrap_or_default();
    Ok(StudentSnapshot {
        student_id: student.student.clone(),
        course_id: course_id.to_owned(),
        turn,
        evidence: evidence.evidence,
        evidence_version: evidence.version,
    })
}

/// One state of all tables.
pub(super) struct Reader(pub(super) ReadTransaction);

impl Reader {
    /// What a turn's idempotency key was answered with; refused where the turn cannot begin at all.
    pub(super) fn turn_answer(
        &self,
        student: &StudentKey,
        begin: &BeginTurn,
        fingerprint: &Bytes,
        now: i64,
    ) -> Result<Option<Bytes>, Failure> {
        let answers = self.0.open_table(ANSWERS)?;
        let key = &begin.idempotency.key;
        if let Some(found) = answer(&answers, student, Operation::Turn, key, fingerprint, now)? {
            return Ok(Some(found));
        }
        let threads = self.0.open_table(THREADS)?;
        thread_of_course(&threads, student, &begin.thread_id, &begin.course_id)?;
        Ok(None)
    }

    /// All that a turn needs, for the holder of the lease.
    pub(super) fn turn_start(
        &self,
        student: &StudentKey,
        begin: &BeginTurn,
    ) -> Result<TurnStart, Failure> {
        let threads = self.0.open_table(THREADS)?;
        let (thread, target_locked) =
            thread_of_course(&threads, student, &begin.thread_id, &begin.course_id)?;
        let limit = i64::try_from(begin.history_limit).unwrap_or(i64::MAX);
        let recent_messages = self.messages(
            student,
            &begin.thread_id,
            thread.message_count.saturating_sub(limit),
            begin.history_limit,
        )?;
        Ok(TurnStart {
            thread: Some(thread),
            target_locked,
            snapshot: Some(self.snapshot(student, &begin.course_id)?),
            recent_messages,
            ..TurnStart::default()
        })
    }

    /// The student's record in a course.
    pub(super) fn snapshot(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<StudentSnapshot, Failure> {
        let turn_states = self.0.open_table(TURN_STATES)?;
        let evidence = self.0.open_table(EVIDENCE)?;
        snapshot(&turn_states, &evidence, student, course_id)
    }

    /// A page of a student's threads, newest first. One that cannot be read is left out: it fails when it is asked for.
    pub(super) fn threads(
        &self,
        student: &StudentKey,
        before: Option<u64>,
        limit: usize,
    ) -> Result<ThreadPage, Failure> {
        let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
        let order = self.0.open_table(THREAD_ORDER)?;
        let threads = self.0.open_table(THREADS)?;
        let mut page = ThreadPage::default();
        let newest_first = order
            .range((tenant, id, 0)..(tenant, id, before.unwrap_or(u64::MAX)))?
            .rev();
        let mut last = None;
        for (taken, entry) in newest_first.enumerate() {
            if taken == limit {
                page.before = last;
                break;
            }
            let (position, thread_id) = entry?;
            last = Some(position.value().2);
            match thread(&threads, student, thread_id.value()) {
                Ok((found, _)) => page.threads.push(found),
                Err(Failure::Refused(error)) => {
                    tracing::error!(%error, thread_id = thread_id.value(), "a thread is left out of a list");
                }
                Err(broken) => return Err(broken),
            }
        }
        Ok(page)
    }

    /// A thread and a page of its messages, oldest first.
    pub(super) fn thread_page(
        &self,
        student: &StudentKey,
        thread_id: &str,
        after: i64,
        limit: usize,
    ) -> Result<MessagePage, Failure> {
        let (found, _) = thread(&self.0.open_table(THREADS)?, student, thread_id)?;
        let messages = self.messages(student, thread_id, after, limit)?;
        Ok(MessagePage::new(found, messages))
    }

    /// What is known of these questions.
    pub(super) fn question_records(
        &self,
        student: &StudentKey,
        course_id: &str,
        question_ids: &[String],
    ) -> Result<Vec<Option<QuestionRecord>>, Failure> {
        let questions = self.0.open_table(QUESTIONS)?;
        let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
        question_ids
            .iter()
            .map(|question| {
                let found = questions.get((tenant, id, course_id, question.as_str()))?;
                Ok(found
                    .map(|found| record::decode("question", found.value()))
                    .transpose()?)
            })
            .collect()
    }

    fn messages(
        &self,
        student: &StudentKey,
        thread_id: &str,
        after: i64,
        limit: usize,
    ) -> Result<Vec<TutorMessage>, Failure> {
        let (tenant, id) = (student.tenant.as_str(), student.student.as_str());
        let first = after.max(0).saturating_add(1);
        self.0
            .open_table(MESSAGES)?
            .range((tenant, id, thread_id, first)..=(tenant, id, thread_id, i64::MAX))?
            .take(limit)
            .map(|entry| Ok(record::decode("message", entry?.1.value())?))
            .collect()
    }
}
