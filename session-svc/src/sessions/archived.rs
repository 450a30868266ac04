//! A thread in the form of an archive, as far as it can be read.

use std::convert::identity;

use bytes::Bytes;
use prost::Message;
use serde_json::Value;
use turnwise_proto::{
    session::v1::{
        Clarification, ContextRequest, ConversationMemory, DueWork, Event, PendingInteraction,
        ThreadKind, pending_interaction::Interaction,
    },
    tutor::v1::{Thread, TutorMessage},
};
use turnwise_session_archive::{
    ArtifactRecord, ContextPayload, ContextRequestRecord, ConversationKind, ConversationRecord,
};
use turnwise_session_store::{Check, Read, StudentKey};

use super::{
    Sessions,
    artifacts::ArtifactName,
    fields::Fields,
    help_sessions, interactions,
    json::json,
    keys,
    stored::{StoredThread, enumeration},
};
use crate::{error::SessionError, record};

// What a record is called in errors, and the message that it holds.
const MESSAGE: (&str, &str) = ("message", "turnwise.tutor.v1.TutorMessage");
const EVENT: (&str, &str) = ("event", "turnwise.session.v1.Event");
const MEMORY: (&str, &str) = ("memory", "turnwise.session.v1.ConversationMemory");
const REQUEST: (&str, &str) = ("context_request", "turnwise.session.v1.ContextRequest");
const WORK: (&str, &str) = ("work", "turnwise.session.v1.DueWork");
const HELP: &str = "turnwise.session.v1.HelpState";
const CLARIFICATION: &str = "turnwise.session.v1.Clarification";

/// What a thread was like when it was archived: fields as they are stored, readable or not, and its deferred work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Counts the messages.
    count: Option<Bytes>,
    /// Changes whenever events are appended outside of turns.
    touched: Option<Bytes>,
    /// Rises with every change of what the thread waits for, artifacts included.
    waits: Option<Bytes>,
    /// The latest erasure of the student.
    pub(super) erased: Option<Bytes>,
    /// The deferred work, by its ids in order.
    pub(super) work_ids: Vec<String>,
}

impl Seen {
    /// They hold if nothing was written to the thread since.
    pub(super) fn checks(&self, thread_id: &str) -> Vec<Check> {
        let thread = keys::thread(thread_id);
        [
            (thread.clone(), "count", &self.count),
            (thread, "touched", &self.touched),
            (keys::interactions(thread_id), "version", &self.waits),
        ]
        .map(|(key, field, value)| Check::FieldIs {
            key,
            field,
            value: value.clone(),
            tell: Vec::new(),
        })
        .into()
    }
}

/// A thread in the form of an archive.
pub(super) struct Copied {
    pub(super) record: ConversationRecord,
    /// Its context requests by id; none where one cannot be read. What was supplied for them is read when it is written,
    /// one request after another: each may have megabytes.
    pub(super) requests: Vec<(String, Option<Value>)>,
    pub(super) seen: Seen,
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
            .and_then(|bytes| record::look::<Thread>("thread", &bytes).ok());
        let course_id = fields
            .take()
            .and_then(|id| String::from_utf8(id.into()).ok());
        let kind = fields.number("thread");
        Self {
            kind: kind
                .and_then(enumeration)
                .unwrap_or(ThreadKind::Unspecified),
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

    /// A stored message as JSON, if it can be read, with `changed` applied to it first. `what` names the record in errors,
    /// `name` is the message's full name.
    fn json<M: Message + Default>(
        &mut self,
        (what, name): (&'static str, &'static str),
        bytes: &[u8],
        changed: impl FnOnce(M) -> M,
    ) -> Result<Option<Value>, SessionError> {
        let read = record::decode(what, bytes).and_then(|found| json(name, &changed(found)));
        self.unless(read)
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
    ) -> Result<Option<Copied>, SessionError> {
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
            Read::Record {
                key: keys::interactions(thread_id),
            },
            Read::Record { key: keys::works() },
            help_sessions::read(thread_id),
            Read::Fields {
                key: keys::erased(),
                fields: vec!["fence".into()],
            },
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let mut left_out = LeftOut {
            thread_id,
            records: 0,
        };
        let stored = left_out.unless(StoredThread::whole(reads.fields()?))?;
        let fields = reads.fields()?;
        let head = match stored {
            Some(None) => return Ok(None),
            Some(Some(stored)) => Head::of(stored),
            None => Head::rest(fields),
        };
        let mut record = ConversationRecord {
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            kind: match head.kind {
                ThreadKind::Helper => ConversationKind::Helper,
                ThreadKind::Procedure => ConversationKind::Procedure,
                ThreadKind::Tutor => ConversationKind::Tutor,
                ThreadKind::Unspecified => ConversationKind::Unspecified,
            },
            course_id: head.course_id,
            title: head.title,
            ..ConversationRecord::default()
        };
        let mut fields = reads.fields()?;
        let mut seen = Seen {
            count: fields.take(),
            touched: fields.take(),
            ..Seen::default()
        };
        let (timeline, log) = (reads.entries()?, reads.entries()?);
        // Where some cannot be read, those that can do not show that there were more.
        record.truncated = timeline.len() > limit || log.len() > limit;
        for (id, bytes) in timeline.iter().rev() {
            let with_id = |message| TutorMessage { id: *id, ..message };
            let message = left_out.json(MESSAGE, bytes, with_id)?;
            record.messages.extend(message);
        }
        for (id, bytes) in log.iter().rev() {
            let event = left_out.json(EVENT, bytes, |event| Event { id: *id, ..event })?;
            record.events.extend(event);
        }
        for (_, bytes) in reads.record()? {
            let memory = left_out.json::<ConversationMemory>(MEMORY, &bytes, identity)?;
            record.memories.extend(memory);
        }
        let mut requests = Vec::new();
        for (field, bytes) in reads.record()? {
            match field.as_str() {
                "version" => seen.waits = Some(bytes),
                "pending" => {
                    let pending = left_out.unless(record::decode("pending", &bytes))?;
                    if let Some(clarification) = pending.and_then(clarification) {
                        let clarification = json(CLARIFICATION, &clarification);
                        record.clarification = left_out.unless(clarification)?;
                    }
                }
                // The rest is ids of documents, and callers as the gateway sealed them: nobody's words.
                name => {
                    if let Some(id) = name.strip_prefix(interactions::REQUEST) {
                        let request = left_out.json::<ContextRequest>(REQUEST, &bytes, identity)?;
                        requests.push((id.to_owned(), request));
                    }
                }
            }
        }
        seen.work_ids = self.work_of(reads.record()?, thread_id).await?;
        for bytes in self.stored_work(&seen.work_ids).await? {
            let without_claims = |work| DueWork {
                claims: Bytes::new(),
                ..work
            };
            let work = left_out.json(WORK, &bytes, without_claims)?;
            record.works.extend(work);
        }
        let help = left_out.unless(help_sessions::decode(reads.fields()?))?;
        if let Some(state) = help.flatten() {
            record.help = left_out.unless(json(HELP, &state))?;
        }
        seen.erased = reads.fields()?.take();
        record.unreadable = left_out.records;
        Ok(Some(Copied {
            record,
            requests,
            seen,
        }))
    }

    /// A context request as it is archived, with all that was supplied for it.
    pub(super) async fn archived_request(
        &self,
        student: &StudentKey,
        thread_id: &str,
        (id, context_request): (String, Option<Value>),
    ) -> Result<ContextRequestRecord, SessionError> {
        let mut left_out = LeftOut {
            thread_id,
            records: 0,
        };
        let mut payloads = Vec::new();
        for (slot, content) in self.payloads_of(student, thread_id, &id).await? {
            let payload = left_out.unless(content)?;
            payloads.extend(payload.map(|content| ContextPayload { slot, content }));
        }
        Ok(ContextRequestRecord {
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            context_request,
            payloads,
            unreadable: left_out.records,
        })
    }

    /// An artifact as it is archived; none if it cannot be read.
    pub(super) async fn archived_artifact(
        &self,
        student: &StudentKey,
        thread_id: &str,
        name: &ArtifactName,
    ) -> Result<Option<ArtifactRecord>, SessionError> {
        let mut left_out = LeftOut {
            thread_id,
            records: 0,
        };
        let read = self.artifact(student, thread_id, name).await;
        let Some((artifact, content)) = left_out.unless(read)? else {
            return Ok(None);
        };
        Ok(Some(ArtifactRecord {
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            artifact: json("turnwise.session.v1.Artifact", &artifact)?,
            content,
        }))
    }
}

/// A context request stands among the requests as well.
fn clarification(pending: PendingInteraction) -> Option<Clarification> {
    match pending.interaction? {
        Interaction::Clarification(clarification) => Some(clarification),
        Interaction::ContextRequest(_) => None,
    }
}
