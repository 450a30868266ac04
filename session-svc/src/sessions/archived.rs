//! A thread in the form of an archive, as far as it can be read.

use bytes::Bytes;
use jiff::Timestamp;
use prost::Message;
use turnwise_proto::{
    session::v1::{ConversationMemory, Event, ThreadKind},
    tutor::v1::{Role, Thread, TutorCard, TutorMessage, tutor_card::Content},
};
use turnwise_session_archive::{
    ArchivedEvent, ArchivedTurn, ConversationKind, ConversationRecord, RememberedTurn, Speaker,
};
use turnwise_session_store::{Check, Key, Partition, Read, StudentKey};

use super::{
    Sessions,
    fields::{Fields, number},
    keys,
    stored::StoredThread,
};
use crate::{error::SessionError, record};

/// What a thread was like when it was archived: two fields as they are stored, readable or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Counts the messages.
    count: Option<Bytes>,
    /// Changes whenever events are appended outside of turns.
    touched: Option<Bytes>,
}

impl Seen {
    /// They hold if nothing was written to the thread since.
    pub(super) fn checks(&self, thread: &Key) -> Vec<Check> {
        [("count", &self.count), ("touched", &self.touched)]
            .map(|(field, value)| Check::FieldIs {
                key: thread.clone(),
                field,
                value: value.clone(),
                tell: Vec::new(),
            })
            .into()
    }
}

/// The fields of a thread's record that are archived even if others cannot be read.
struct Head {
    kind: ThreadKind,
    course_id: String,
    title: String,
}

impl Head {
    const FIELDS: [&str; 3] = ["record", "course", "kind"];

    fn of(stored: StoredThread) -> Self {
        Self {
            kind: stored.kind,
            course_id: stored.thread.course_id,
            title: stored.thread.title,
        }
    }

    /// What can be read in the fields of a damaged record.
    fn rest(mut fields: Fields) -> Self {
        let thread = fields
            .take()
            .and_then(|bytes| record::decode::<Thread>("thread", &bytes).ok());
        let course_id = fields
            .take()
            .and_then(|id| String::from_utf8(id.into()).ok());
        let kind = fields.take().and_then(|kind| number("thread", &kind).ok());
        let helper = kind == Some(i64::from(ThreadKind::Helper as i32));
        Self {
            kind: if helper {
                ThreadKind::Helper
            } else {
                ThreadKind::Tutor
            },
            course_id: course_id.unwrap_or_default(),
            title: thread.map(|thread| thread.title).unwrap_or_default(),
        }
    }
}

/// Counts the stored records of a thread that an archive lacks because they cannot be read.
struct LeftOut<'a> {
    thread_id: &'a str,
    records: u64,
}

impl LeftOut<'_> {
    /// What was read; none, counted and told in the log, if it is damaged. What a newer version wrote is not damaged, and
    /// must not be left out.
    fn unless<T>(&mut self, read: Result<T, SessionError>) -> Result<Option<T>, SessionError> {
        let thread_id = self.thread_id;
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error @ SessionError::SchemaTooNew { .. }) => {
                tracing::error!(%error, thread_id, "a thread cannot be archived by this version");
                Err(error)
            }
            Err(error) => {
                tracing::error!(%error, thread_id, "a record is left out of an archive");
                self.records += 1;
                Ok(None)
            }
        }
    }

    /// The records that can be read.
    fn readable<M: Message + Default>(
        &mut self,
        what: &'static str,
        found: Vec<(i64, Bytes)>,
    ) -> Result<Vec<(i64, M)>, SessionError> {
        let mut readable = Vec::with_capacity(found.len());
        for (id, bytes) in found {
            let message = self.unless(record::decode(what, &bytes))?;
            readable.extend(message.map(|message| (id, message)));
        }
        Ok(readable)
    }
}

impl Sessions {
    /// A thread as it is archived and what it is like now; none if it is not there: it was removed, or its time has
    /// passed. It comes with its latest messages and events: `limit` of each, and one more if there are more. What is
    /// damaged is left out and counted.
    ///
    /// Fails if a newer version wrote something of it.
    pub(super) async fn archived(
        &self,
        student: &StudentKey,
        thread_id: &str,
        limit: usize,
    ) -> Result<Option<(ConversationRecord, Seen)>, SessionError> {
        let key = keys::thread(thread_id);
        let latest = |key| Read::LogBefore {
            key,
            before: i64::MAX,
            limit: limit + 1,
        };
        let wanted = vec![
            StoredThread::read(&key),
            Read::Fields {
                key: key.clone(),
                fields: Head::FIELDS.map(Into::into).to_vec(),
            },
            Read::Fields {
                key,
                fields: vec!["count".into(), "touched".into()],
            },
            latest(keys::timeline(thread_id)),
            latest(keys::events(thread_id)),
            Read::Record {
                key: keys::memory(thread_id),
            },
        ];
        let mut reads = self.read(&Partition::student(student), wanted).await?;
        let mut left_out = LeftOut {
            thread_id,
            records: 0,
        };
        let stored = left_out.unless(StoredThread::decode(reads.fields()?))?;
        let fields = reads.fields()?;
        let head = match stored {
            Some(None) => return Ok(None),
            Some(Some(stored)) => Head::of(stored),
            None => Head::rest(fields),
        };
        let mut fields = reads.fields()?;
        let seen = Seen {
            count: fields.take(),
            touched: fields.take(),
        };
        let (mut timeline, mut log) = (reads.entries()?, reads.entries()?);
        timeline.reverse();
        log.reverse();
        // Where some cannot be read, those that can do not show that there were more.
        let truncated = timeline.len() > limit || log.len() > limit;
        let messages = left_out.readable("message", timeline)?;
        let events = left_out.readable("event", log)?;
        let memories = reads.record()?.into_iter().map(|(_, bytes)| (0, bytes));
        let memories: Vec<(_, ConversationMemory)> =
            left_out.readable("memory", memories.collect())?;
        let summaries = memories.iter().map(|(_, memory)| memory.summary.as_str());
        let summary = summaries.collect::<Vec<_>>().join("\n");
        let remembered = memories.into_iter().flat_map(|(_, memory)| memory.turns);
        let record = ConversationRecord {
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            kind: match head.kind {
                ThreadKind::Helper => ConversationKind::Helper,
                ThreadKind::Tutor | ThreadKind::Unspecified => ConversationKind::Tutor,
            },
            course_id: head.course_id,
            title: head.title,
            summary,
            memory: remembered
                .map(|turn| RememberedTurn {
                    role: speaker(turn.role()),
                    text: turn.text,
                })
                .collect(),
            turns: messages.into_iter().map(archived_turn).collect(),
            events: events.into_iter().map(archived_event).collect(),
            truncated,
            unreadable: left_out.records,
        };
        Ok(Some((record, seen)))
    }
}

fn archived_turn((id, message): (i64, TutorMessage)) -> ArchivedTurn {
    ArchivedTurn {
        id,
        role: speaker(message.role()),
        card: message.card.as_ref().map(card_text).unwrap_or_default(),
        time: instant(message.create_time.as_ref()),
        text: message.text,
        latex: message.latex,
    }
}

fn archived_event((id, event): (i64, Event)) -> ArchivedEvent {
    ArchivedEvent {
        id,
        time: instant(event.create_time.as_ref()),
        kind: event.kind,
        facts: event.facts,
        text: event.text,
    }
}

fn card_text(card: &TutorCard) -> String {
    match &card.content {
        Some(Content::Concept(concept)) => concept.key_ideas.join("\n"),
        Some(Content::Drill(drill)) => format!("{}\n{}", drill.prompt, drill.question_latex),
        Some(Content::Exam(exam)) => exam.question_id.clone(),
        None => String::new(),
    }
}

fn speaker(role: Role) -> Speaker {
    match role {
        Role::Assistant => Speaker::Assistant,
        Role::User | Role::Unspecified => Speaker::User,
    }
}

fn instant(time: Option<&prost_types::Timestamp>) -> Timestamp {
    time.and_then(turnwise_kit::time::from_proto)
        .unwrap_or(Timestamp::UNIX_EPOCH)
}
