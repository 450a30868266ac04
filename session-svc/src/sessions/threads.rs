//! Threads: made, listed, read.

use std::borrow::Cow;

use bytes::Bytes;
use prost_types::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    session::v1::{HelpProcedure, ThreadKind},
    tutor::v1::{Thread, TutorMessage},
};
use turnwise_session_store::{
    Check, FieldName, Outcome, Partition, Read, StudentKey, Transaction, Write,
};

use super::{
    END, Idempotency, Sessions,
    classes::students,
    cursor::Cursor,
    fence::{Since, none_under_way},
    fields::{Fields, Reads, decimal},
    fitting, help_sessions,
    idempotency::IdempotencyEntry,
    keys::{self, Operation},
    member, millis,
    stored::StoredThread,
};
use crate::{error::SessionError, record};

/// Threads made in the same microsecond that one page can still tell apart.
const TIES: usize = 64;

/// A thread to store.
#[derive(Debug, Clone)]
pub struct NewThread {
    /// The thread, complete; its title is redacted when it is stored.
    pub thread: Thread,
    /// What it is for.
    pub kind: ThreadKind,
    /// What a help session is about.
    pub procedure: Option<HelpProcedure>,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

/// A page of threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPage {
    /// Newest first.
    pub threads: Vec<Thread>,
    /// Where the next page goes on; none after the last.
    pub before: Option<Cursor>,
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

pub(super) fn field(name: &'static str, value: Bytes) -> (FieldName, Bytes) {
    (Cow::Borrowed(name), value)
}

impl Sessions {
    /// Stores a new thread, or answers the one that the same idempotency key stored before. The class's index is
    /// written first, so that a reset finds whatever there is.
    pub async fn create_thread(
        &self,
        student: &StudentKey,
        mut new: NewThread,
    ) -> Result<Thread, SessionError> {
        let roster = self.roster(&student.tenant, &new.thread.class_id).await?;
        new.thread.title = roster.redact(&new.thread.title);
        let thread_id = new.thread.thread_id.clone();
        let (class_id, course_id) = (new.thread.class_id.clone(), new.thread.course_id.clone());
        let entry = IdempotencyEntry::new(Operation::CreateThread(new.kind), &new.idempotency, "");
        let opened = |refused| {
            let stored = entry.stored(refused).map_err(|error| match error {
                SessionError::TurnErased => SessionError::ThreadErased,
                error => error,
            })?;
            record::look("idempotency_entry", &stored)
        };
        let partition = self.partition(student).await?;
        let mut first = self.about_to_work(&class_id, &course_id);
        first.checks.push(entry.unused());
        let since = match self.transact(&partition, first).await? {
            Outcome::Applied(applied) => Since::decode(Reads::new(applied.found).fields()?)?,
            Outcome::Refused(refused) if refused.check == 0 => {
                return Err(SessionError::ErasureUnderWay);
            }
            Outcome::Refused(refused) => return opened(refused),
        };
        let kept_until = self.index(student, &class_id, &thread_id, since).await?;

        let stored = record::encode(&new.thread);
        let key = keys::thread(&thread_id);
        let mut writes = vec![
            Write::Rank {
                key: keys::threads(new.kind),
                member: thread_id.clone(),
                score: self.now().as_microsecond(),
            },
            Write::Put {
                key: key.clone(),
                fields: vec![
                    field("record", stored.clone()),
                    field("course", new.thread.course_id.clone().into()),
                    field("class", new.thread.class_id.clone().into()),
                    field("count", decimal(0)),
                    field(
                        "updated",
                        record::encode(&new.thread.update_time.unwrap_or_default()),
                    ),
                    field("kept", decimal(kept_until)),
                    field("kind", decimal((new.kind as i32).into())),
                ],
            },
            Write::Expire {
                key,
                after: self.limits().thread_retention,
            },
        ];
        if let Some(procedure) = &new.procedure {
            let retention = self.limits().thread_retention;
            writes.extend(help_sessions::created(&thread_id, procedure, retention));
        }
        writes.extend(entry.store(stored, self.limits()));
        writes.extend(entry.note(&thread_id, self.now_millis(), self.limits()));
        let transaction = Transaction {
            checks: vec![entry.unused(), none_under_way(), since.check()],
            writes,
            reads: Vec::new(),
        };
        match self.transact(&partition, transaction).await? {
            Outcome::Applied(_) => Ok(new.thread),
            Outcome::Refused(refused) => {
                // The thread that was to be made is not: it leaves the index again.
                let indexed = vec![(member(student, &thread_id), kept_until)];
                self.unindex(&student.tenant, &class_id, indexed).await?;
                match refused.check {
                    0 => opened(refused),
                    1 => Err(SessionError::ErasureUnderWay),
                    _ => Err(SessionError::TurnErased),
                }
            }
        }
    }

    /// Whether a thread must be entered into its class's index, again, before more is written of it: a reset took it out,
    /// or half of the time is over for which it is kept.
    pub(super) fn is_to_be_indexed(&self, stored: &StoredThread) -> bool {
        let half = millis(self.limits().thread_retention) / 2;
        stored.kept_until.saturating_sub(self.now_millis()) < half
    }

    /// Enters a thread into its class's index; answers until when it is kept there. Refused if the
    /// student was erased since.
    pub(super) async fn index(
        &self,
        student: &StudentKey,
        class_id: &str,
        thread_id: &str,
        since: Since,
    ) -> Result<i64, SessionError> {
        let retention = millis(self.limits().thread_retention);
        let now = self.now_millis();
        let kept_until = now.saturating_add(retention);
        let transaction = Transaction {
            checks: vec![self.not_erased_since(student, since).await?],
            writes: vec![
                Write::Rank {
                    key: keys::conversations(),
                    member: member(student, thread_id),
                    score: kept_until,
                },
                Write::UnrankUpTo {
                    key: keys::conversations(),
                    score: now,
                },
                students::entered(student, kept_until),
                Write::UnrankUpTo {
                    key: keys::students(),
                    score: now,
                },
            ],
            reads: Vec::new(),
        };
        let class = Partition::class(&student.tenant, class_id);
        match self.transact(&class, transaction).await? {
            Outcome::Applied(_) => Ok(kept_until),
            Outcome::Refused(_) => Err(SessionError::TurnErased),
        }
    }

    /// Keeps the records of a thread for its whole time from now on.
    pub(super) fn kept_anew(&self, thread_id: &str) -> [Write; 3] {
        [
            keys::thread(thread_id),
            keys::timeline(thread_id),
            keys::events(thread_id),
        ]
        .map(|key| Write::Expire {
            key,
            after: self.limits().thread_retention,
        })
    }

    /// A student's threads of a kind, newest first: at most `limit` from the cursor on. One that cannot be read is left
    /// out: it fails when it is asked for.
    pub async fn list_threads(
        &self,
        student: &StudentKey,
        kind: ThreadKind,
        before: Option<Cursor>,
        limit: usize,
    ) -> Result<ThreadPage, SessionError> {
        let partition = self.partition(student).await?;
        let mut reads = self
            .read(
                &partition,
                vec![Read::Highest {
                    key: keys::threads(kind),
                    from: 0,
                    to: before.as_ref().map_or(END, |before| before.score),
                    limit: limit + TIES + 1,
                }],
            )
            .await?;
        let mut members = reads.members()?;
        if let Some(before) = &before {
            members.retain(|(id, score)| {
                (*score, id.as_str()) < (before.score, before.member.as_str())
            });
        }
        let more = members.len() > limit;
        members.truncate(limit);
        let before = members
            .last()
            .filter(|_| more)
            .map(|(thread_id, score)| Cursor {
                score: *score,
                member: thread_id.clone(),
            });
        let wanted = members
            .iter()
            .map(|(id, _)| StoredThread::read(&keys::thread(id)))
            .collect();
        let mut reads = self.read(&partition, wanted).await?;
        let mut threads = Vec::with_capacity(members.len());
        let mut over = Vec::new();
        let long_ago = self.now().as_microsecond() - millis(self.limits().thread_retention) * 1000;
        for (thread_id, score) in &members {
            match StoredThread::decode(reads.fields()?) {
                Ok(Some(found)) => threads.push(found.thread),
                // A class reset took it: an erasure still finds by it what the thread left.
                Ok(None) if *score > long_ago => {}
                Ok(None) => over.push(thread_id.clone()),
                Err(error) => {
                    tracing::error!(%error, thread_id, "a thread is left out of a list");
                }
            }
        }
        if !over.is_empty() {
            let forget = Write::Unrank {
                key: keys::threads(kind),
                members: over,
            };
            self.write(&partition, vec![forget]).await?;
        }
        Ok(ThreadPage { threads, before })
    }

    /// A thread of a kind and at most `limit` of its messages with ids above `after`, oldest first.
    pub async fn get_thread(
        &self,
        student: &StudentKey,
        kind: ThreadKind,
        thread_id: &str,
        after: i64,
        limit: usize,
    ) -> Result<MessagePage, SessionError> {
        let mut reads = self
            .read(
                &self.partition(student).await?,
                vec![
                    StoredThread::read(&keys::thread(thread_id)),
                    Read::LogAfter {
                        key: keys::timeline(thread_id),
                        after,
                        limit,
                    },
                ],
            )
            .await?;
        let thread = StoredThread::decode(reads.fields()?)?
            .filter(|stored| stored.kind == kind)
            .ok_or_else(|| unknown(thread_id))?
            .thread;
        let mut messages = messages(reads.entries()?)?;
        messages.truncate(fitting(&messages));
        let after = messages
            .last()
            .map(|last| last.id)
            .filter(|last| *last < thread.message_count);
        Ok(MessagePage {
            thread,
            messages,
            after,
        })
    }

    /// Refuses a thread that the student does not have; answers what is stored of it.
    pub(super) async fn thread(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<StoredThread, SessionError> {
        let wanted = vec![StoredThread::read(&keys::thread(thread_id))];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        StoredThread::decode(reads.fields()?)?.ok_or_else(|| unknown(thread_id))
    }
}

/// Messages from a log's entries; a message's id is its place in the log.
pub(super) fn messages(entries: Vec<(i64, Bytes)>) -> Result<Vec<TutorMessage>, SessionError> {
    entries
        .into_iter()
        .map(|(id, bytes)| {
            Ok(TutorMessage {
                id,
                ..record::look("message", &bytes)?
            })
        })
        .collect()
}

pub(super) fn unknown(thread_id: &str) -> SessionError {
    SessionError::UnknownThread {
        thread_id: thread_id.to_owned(),
    }
}

/// Holds if the thread is there and of this kind; tells the kind.
pub(super) fn is_of_kind(thread_id: &str, kind: ThreadKind) -> Check {
    Check::FieldIs {
        key: keys::thread(thread_id),
        field: "kind",
        value: Some(decimal((kind as i32).into())),
        tell: vec!["kind"],
    }
}

/// What a refusal of [`is_of_kind`] means: a thread of another kind is answered as one that is not there.
pub(super) fn not_of_kind(told: Vec<Option<Bytes>>, thread_id: &str) -> SessionError {
    match Fields::of(told).number("thread") {
        Ok(_) => unknown(thread_id),
        Err(damaged) => damaged,
    }
}

/// Holds if the thread is there and about this course; tells the course.
pub(super) fn is_about(thread_id: &str, course_id: &str) -> Check {
    Check::FieldIs {
        key: keys::thread(thread_id),
        field: "course",
        value: Some(course_id.to_owned().into()),
        tell: vec!["course"],
    }
}

/// What a refusal of [`is_about`] means.
pub(super) fn not_about(
    told: Vec<Option<Bytes>>,
    thread_id: &str,
    course_id: &str,
) -> SessionError {
    if Fields::of(told).take().is_none() {
        return unknown(thread_id);
    }
    SessionError::OtherCourse {
        course_id: course_id.to_owned(),
    }
}

/// Now, as it is stored.
pub(super) fn stamp(sessions: &Sessions) -> Timestamp {
    time::to_proto(sessions.now())
}
