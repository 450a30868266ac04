//! What the Redis store reads without a script, and how its fields become records.

use redis::pipe;
use turnwise_proto::{
    session::v1::{QuestionRecord, StudentSnapshot},
    tutor::v1::{Thread, TutorMessage},
};

use super::{RedisStore, keys::Keys, scripts::number};
use crate::{
    error::SessionError,
    store::{MessagePage, StudentKey, ThreadPage, record},
};

type Field = Option<Vec<u8>>;

impl RedisStore {
    /// A page of threads: one trip for the order, one for the threads. A thread that cannot be read is left out: it
    /// fails when it is asked for.
    pub(super) async fn read_threads(
        &self,
        student: &StudentKey,
        before: Option<u64>,
        limit: usize,
    ) -> Result<ThreadPage, SessionError> {
        let keys = Keys::of(student);
        let newest = before.map_or_else(|| "+inf".to_owned(), |before| format!("({before}"));
        let mut order = pipe();
        order
            .cmd("ZREVRANGEBYSCORE")
            .arg(keys.threads())
            .arg(newest)
            .arg("-inf")
            .arg("WITHSCORES")
            .arg("LIMIT")
            .arg(0)
            .arg(limit.saturating_add(1));
        let (mut entries,): (Vec<(String, u64)>,) = self.query(&order).await?;
        let more = entries.len() > limit;
        entries.truncate(limit);
        let mut page = ThreadPage {
            threads: Vec::with_capacity(entries.len()),
            before: entries
                .last()
                .filter(|_| more)
                .map(|(_, position)| *position),
        };
        if entries.is_empty() {
            return Ok(page);
        }

        let mut fields = pipe();
        for (thread_id, _) in &entries {
            fields
                .cmd("HMGET")
                .arg(keys.thread(thread_id))
                .arg(THREAD_FIELDS);
        }
        let found: Vec<(Field, Field, Field)> = self.query(&fields).await?;
        for ((thread_id, _), found) in entries.iter().zip(found) {
            match stored_thread(thread_id, found) {
                Ok(thread) => page.threads.push(thread),
                Err(error) => {
                    tracing::error!(%error, thread_id, "a thread is left out of a list");
                }
            }
        }
        Ok(page)
    }

    /// A thread and a page of its messages. The thread is read last: if a turn is committed in between, it counts more
    /// messages than were read, and the page leads on to them. A transaction would give one moment, but a server whose
    /// memory is full refuses those, and should still be readable.
    pub(super) async fn read_thread(
        &self,
        student: &StudentKey,
        thread_id: &str,
        after: i64,
        limit: usize,
    ) -> Result<MessagePage, SessionError> {
        let keys = Keys::of(student);
        let first = after.max(0);
        let last = first.saturating_add(i64::try_from(limit).unwrap_or(i64::MAX)) - 1;
        let mut reads = pipe();
        reads
            .cmd("LRANGE")
            .arg(keys.messages(thread_id))
            .arg(first)
            .arg(last)
            .cmd("HMGET")
            .arg(keys.thread(thread_id))
            .arg(THREAD_FIELDS);
        let (messages, found): (Vec<Vec<u8>>, (Field, Field, Field)) = self.query(&reads).await?;
        let thread = stored_thread(thread_id, found)?;
        let messages = messages
            .iter()
            .map(|bytes| record::decode::<TutorMessage>("message", bytes))
            .collect::<Result<_, _>>()?;
        Ok(MessagePage::new(thread, messages))
    }

    /// The student's record in a course.
    pub(super) async fn read_snapshot(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<StudentSnapshot, SessionError> {
        let mut read = pipe();
        read.cmd("HMGET")
            .arg(Keys::of(student).snapshot(course_id))
            .arg(&["turn", "evidence", "version"]);
        let ((turn, evidence, version),): ((Field, Field, Field),) = self.query(&read).await?;
        let version = number("evidence", version.as_deref())?;
        snapshot(student, course_id, turn, evidence, version)
    }

    /// What is known of these questions.
    pub(super) async fn read_questions(
        &self,
        student: &StudentKey,
        course_id: &str,
        question_ids: &[String],
    ) -> Result<Vec<Option<QuestionRecord>>, SessionError> {
        if question_ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut read = pipe();
        read.cmd("HMGET")
            .arg(Keys::of(student).questions(course_id))
            .arg(question_ids);
        let (found,): (Vec<Field>,) = self.query(&read).await?;
        found
            .iter()
            .map(|found| {
                found
                    .as_ref()
                    .map(|bytes| record::decode("question", bytes))
                    .transpose()
            })
            .collect()
    }
}

const THREAD_FIELDS: &[&str] = &["record", "count", "updated"];

fn stored_thread(
    thread_id: &str,
    (stored, count, updated): (Field, Field, Field),
) -> Result<Thread, SessionError> {
    let Some(stored) = stored else {
        return Err(SessionError::UnknownThread {
            thread_id: thread_id.to_owned(),
        });
    };
    let updated = updated.ok_or(SessionError::RecordCorrupted { record: "thread" })?;
    thread(&stored, number("thread", count.as_deref())?, &updated)
}

/// A thread from the record that was stored when it was made and from what its turns have changed since.
pub(super) fn thread(stored: &[u8], count: i64, updated: &[u8]) -> Result<Thread, SessionError> {
    Ok(Thread {
        message_count: count,
        update_time: Some(record::decode("thread", updated)?),
        ..record::decode("thread", stored)?
    })
}

/// A snapshot from its two halves.
pub(super) fn snapshot(
    student: &StudentKey,
    course_id: &str,
    turn: Field,
    evidence: Field,
    evidence_version: i64,
) -> Result<StudentSnapshot, SessionError> {
    Ok(StudentSnapshot {
        student_id: student.student.clone(),
        course_id: course_id.to_owned(),
        turn: turn
            .map(|bytes| record::decode("turn_state", &bytes))
            .transpose()?,
        evidence: evidence
            .map(|bytes| record::decode("evidence", &bytes))
            .transpose()?,
        evidence_version,
    })
}
