//! One thread as it is stripped of its text or removed: what a class reset and an erasure have in common.

use std::borrow::Cow;

use bytes::Bytes;
use turnwise_proto::{session::v1::ThreadKind, tutor::v1::Thread};
use turnwise_session_store::{Outcome, Read, StudentKey, Transaction, Write};

use super::{
    END, Limits, Sessions,
    archived::Seen,
    artifacts, due, events,
    fields::{Reads, decimal},
    graded, idempotency, keys,
    stored::StoredThread,
    threads::{field, stamp},
};
use crate::{error::SessionError, record};

/// The most turns, and the most idempotency entries, that one transaction names; threads with more take several.
pub(super) const NAMED: usize = 1000;

/// A thread with what has to be known to delete it.
pub(super) struct Conversation {
    pub(super) thread_id: String,
    /// None if only traces of it are left: it was removed, or its time has passed. An error if the thread is there and
    /// its record cannot be read.
    pub(super) stored: Result<Option<StoredThread>, SessionError>,
    /// Which course it is about, if that is known: it stands beside the record too.
    course_id: Option<String>,
    traces: Traces,
    work_ids: Vec<String>,
    /// Its entries in the index of batches.
    batches: Vec<String>,
}

/// The latest turns and idempotency entries of a thread, newest first, with their scores.
struct Traces {
    turns: Vec<(String, i64)>,
    entries: Vec<(String, i64)>,
}

/// What happens to the logs of turns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnLogs {
    LoseText,
    Go,
}

impl Sessions {
    /// A thread, or the traces of one that is no longer there.
    pub(super) async fn conversation(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<Conversation, SessionError> {
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Read::Fields {
                key: keys::thread(thread_id),
                fields: vec!["course".into()],
            },
            names(keys::turns(thread_id), END),
            names(keys::idempotency_index(thread_id), END),
            Read::Record { key: keys::works() },
            artifacts::batches(),
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let stored = StoredThread::whole(reads.fields()?).inspect_err(|error| {
            tracing::error!(%error, thread_id, "the record of a thread that is to be deleted cannot be read");
        });
        let course = reads.fields()?.take();
        let course = course.and_then(|id| String::from_utf8(id.into()).ok());
        let traces = Traces {
            turns: reads.members()?,
            entries: reads.members()?,
        };
        let work_ids = self.work_of(reads.record()?, thread_id).await?;
        let batches = artifacts::members_of(thread_id, reads.members()?);
        Ok(Conversation {
            thread_id: thread_id.to_owned(),
            course_id: match &stored {
                Ok(Some(stored)) => Some(stored.thread.course_id.clone()),
                _ => course,
            },
            stored,
            traces,
            batches,
            work_ids,
        })
    }

    /// Takes the text out of a thread, or the whole thread if it is a helper's or its record is damaged, in one step that
    /// also keeps a turn in flight from being committed. False if `seen` is given and the thread has changed since. A
    /// record of a newer version is no damage: it is refused.
    pub(super) async fn strip(
        &self,
        student: &StudentKey,
        conversation: &Conversation,
        seen: Option<&Seen>,
    ) -> Result<bool, SessionError> {
        if let Err(error @ SessionError::SchemaTooNew { .. }) = &conversation.stored {
            return Err(error.clone());
        }
        let there = conversation.is_there();
        let seen = seen.filter(|_| there);
        if seen.is_some_and(|seen| seen.work_ids != conversation.work_ids) {
            return Ok(false);
        }
        self.withdraw(conversation.work_ids.clone()).await?;
        let key = keys::thread(&conversation.thread_id);
        let mut writes = conversation.text_writes(self.limits(), TurnLogs::LoseText);
        let goes = match &conversation.stored {
            Ok(Some(stored)) if stored.kind != ThreadKind::Tutor => true,
            Ok(Some(stored)) => {
                writes.extend(self.without_text(stored));
                false
            }
            Ok(None) => false,
            Err(_) => true,
        };
        if goes {
            writes.extend(removal(&conversation.thread_id));
        }
        if there {
            writes.push(Write::Fence {
                key: key.clone(),
                field: "floor",
            });
        }
        if goes {
            // What is left says only that a turn that began before may no longer be committed.
            writes.push(Write::Expire {
                key: key.clone(),
                after: self.limits().idempotency_ttl,
            });
        }
        let course_id = conversation.graded_course();
        if course_id.is_some() {
            writes.extend(graded::clear());
        }
        let checks = seen.map_or_else(Vec::new, |seen| seen.checks(&conversation.thread_id));
        let transaction = Transaction {
            checks,
            writes,
            reads: vec![graded::names()],
        };
        let applied = match self
            .transact(&self.partition(student).await?, transaction)
            .await?
        {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(_) => return Ok(false),
        };
        if let Some(course_id) = course_id {
            let graded = Reads::new(applied.found).members()?;
            self.strip_graded(student, Some(course_id), graded).await?;
        }
        self.rest_of_traces(student, conversation, TurnLogs::LoseText)
            .await?;
        Ok(true)
    }

    /// Removes a thread and all that belongs to it.
    pub(super) async fn remove_thread(
        &self,
        student: &StudentKey,
        conversation: &Conversation,
    ) -> Result<(), SessionError> {
        self.withdraw(conversation.work_ids.clone()).await?;
        self.rest_of_traces(student, conversation, TurnLogs::Go)
            .await?;
        let thread_id = &conversation.thread_id;
        let mut writes = conversation.text_writes(self.limits(), TurnLogs::Go);
        writes.extend(removal(thread_id));
        writes.extend([
            Write::Remove {
                key: keys::turns(thread_id),
            },
            Write::Remove {
                key: keys::idempotency_index(thread_id),
            },
        ]);
        // What is left of a thread need not tell its kind.
        writes.extend(keys::kinds().map(|kind| Write::Unrank {
            key: keys::threads(kind),
            members: vec![thread_id.clone()],
        }));
        self.write(&self.partition(student).await?, writes).await?;
        Ok(())
    }

    fn without_text(&self, stored: &StoredThread) -> Vec<Write> {
        let thread_id = &stored.thread.thread_id;
        let event = events::own(thread_id, "class-reset", stamp(self), []);
        let untitled = Thread {
            title: String::new(),
            ..stored.thread.clone()
        };
        vec![
            Write::Trim {
                key: keys::timeline(thread_id),
                keep: 0,
            },
            Write::Trim {
                key: keys::events(thread_id),
                keep: 0,
            },
            Write::Append {
                key: keys::events(thread_id),
                entries: vec![record::encode(&event)],
            },
            Write::Expire {
                key: keys::events(thread_id),
                after: self.limits().thread_retention,
            },
            Write::Put {
                key: keys::thread(thread_id),
                // The next turn enters the thread into the class's index again, before it writes.
                fields: vec![
                    field("record", record::encode(&untitled)),
                    field("kept", decimal(0)),
                ],
            },
            Write::Unset {
                key: keys::thread(thread_id),
                fields: vec!["focus".into(), "graded".into()],
            },
            Write::ReleaseLease {
                key: keys::lease(thread_id),
            },
        ]
    }

    /// Deals with the turns and entries that did not fit into one transaction.
    async fn rest_of_traces(
        &self,
        student: &StudentKey,
        conversation: &Conversation,
        logs: TurnLogs,
    ) -> Result<(), SessionError> {
        let partition = self.partition(student).await?;
        let thread_id = &conversation.thread_id;
        let mut turns_to = before(&conversation.traces.turns);
        let mut entries_to = before(&conversation.traces.entries);
        while turns_to.is_some() || entries_to.is_some() {
            let wanted = vec![
                names(keys::turns(thread_id), turns_to.unwrap_or(-1)),
                names(keys::idempotency_index(thread_id), entries_to.unwrap_or(-1)),
            ];
            let mut reads = self.read(&partition, wanted).await?;
            let traces = Traces {
                turns: reads.members()?,
                entries: reads.members()?,
            };
            let mut writes = Vec::new();
            traces.writes(self.limits(), logs, &mut writes);
            self.write(&partition, writes).await?;
            turns_to = before(&traces.turns);
            entries_to = before(&traces.entries);
        }
        Ok(())
    }
}

impl Conversation {
    /// Whether the thread is there, readable or not.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self.stored, Ok(None))
    }

    /// The course whose grades may have been given in this thread: only a tutor's has any.
    fn graded_course(&self) -> Option<&str> {
        match &self.stored {
            Ok(Some(stored)) if stored.kind != ThreadKind::Tutor => None,
            Ok(None) => None,
            Ok(Some(_)) | Err(_) => self.course_id.as_deref(),
        }
    }

    /// Takes away what stands beside the timeline: memory, interactions, artifacts, the text of turn logs and of idempotency entries.
    fn text_writes(&self, limits: &Limits, logs: TurnLogs) -> Vec<Write> {
        let id = &self.thread_id;
        let beside = [
            keys::memory(id),
            keys::interactions(id),
            keys::requests(id),
            keys::payloads(id),
            keys::artifacts(id),
            keys::artifact_texts(id),
            keys::help(id),
        ];
        let mut writes: Vec<_> = beside.map(|key| Write::Remove { key }).into();
        self.traces.writes(limits, logs, &mut writes);
        if !self.batches.is_empty() {
            writes.push(Write::Unrank {
                key: keys::batches(),
                members: self.batches.clone(),
            });
        }
        if !self.work_ids.is_empty() {
            writes.push(due::kept(self.work_ids.clone()));
        }
        writes
    }
}

impl Traces {
    fn writes(&self, limits: &Limits, logs: TurnLogs, writes: &mut Vec<Write>) {
        for (id, _) in &self.turns {
            let key = keys::turn(id);
            if logs == TurnLogs::Go {
                writes.push(Write::Remove { key });
                continue;
            }
            writes.push(Write::Unset {
                key: key.clone(),
                fields: vec!["text".into()],
            });
            writes.push(Write::Put {
                key: key.clone(),
                fields: vec![(Cow::Borrowed("erased"), Bytes::from_static(b"1"))],
            });
            // If its time has passed since it was read, the mark must not stay for ever.
            writes.push(Write::Expire {
                key,
                after: limits.turn_log_retention,
            });
        }
        let names = self.entries.iter();
        writes.extend(names.map(|(name, _)| idempotency::without_text(name)));
    }
}

/// Removes a thread's record, timeline and events, and ends its lease.
fn removal(thread_id: &str) -> Vec<Write> {
    let mut writes: Vec<_> = [
        keys::thread(thread_id),
        keys::timeline(thread_id),
        keys::events(thread_id),
    ]
    .map(|key| Write::Remove { key })
    .into();
    writes.push(Write::ReleaseLease {
        key: keys::lease(thread_id),
    });
    writes
}

/// Where the next page goes on, if this one was full.
pub(super) fn before(page: &[(String, i64)]) -> Option<i64> {
    let (_, score) = page.last().filter(|_| page.len() == NAMED)?;
    // A page of one score alone would come again for ever.
    let stuck = page.first().is_some_and(|(_, first)| first == score);
    Some(if stuck { score - 1 } else { *score })
}

pub(super) fn names(key: turnwise_session_store::Key, to: i64) -> Read {
    Read::Highest {
        key,
        from: 0,
        to,
        limit: NAMED,
    }
}
