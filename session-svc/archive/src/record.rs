//! What an archive holds.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why an archive was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArchiveKind {
    /// Before a class was reset.
    ClassReset,
    /// Because somebody asked for it; nothing was deleted.
    ClassExport,
}

/// What a new archive is about.
#[derive(Debug, Clone)]
pub struct About {
    /// Why it is written.
    pub kind: ArchiveKind,
    /// Whose class it is.
    pub tenant: String,
    /// The class: 1 to 128 characters of `[A-Za-z0-9._~@-]`.
    pub class_id: String,
    /// When it is written. Retention counts from here.
    pub create_time: Timestamp,
    /// Who asked for it.
    pub actor_id: String,
}

/// The first line of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `turnwise-archive`.
    pub format: String,
    /// The version of the form.
    pub version: u32,
    /// Why it was written.
    pub kind: ArchiveKind,
    /// Whose class it is.
    pub tenant: String,
    /// The class.
    pub class_id: String,
    /// When it was written.
    pub create_time: Timestamp,
    /// Who asked for it.
    pub actor_id: String,
}

/// What a thread is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConversationKind {
    /// A thread of the tutor.
    #[default]
    Tutor,
    /// A conversation of the homework helper.
    Helper,
    /// A help session of a procedure.
    Procedure,
    /// What it was for cannot be read.
    Unspecified,
}

/// One conversation. All text is redacted by whoever hands it over.
///
/// What was stored is here whole, each message in protobuf's own JSON, so that no field that a message has or will have can
/// be left out by mistake. Its context requests and artifacts follow it: see
/// [`ContextRequestRecord`] and [`ArtifactRecord`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConversationRecord {
    /// Whose conversation it is. The tenant and the class stand in the header.
    pub student_id: String,
    /// The thread.
    pub thread_id: String,
    /// What the thread is for.
    pub kind: ConversationKind,
    /// What it is about.
    pub course_id: String,
    /// The thread's title; may be empty.
    pub title: String,
    /// What the conversation remembers, one for each scope: its latest turns and a summary of those before.
    pub memories: Vec<Value>,
    /// The timeline's latest entries with their cards, oldest first.
    pub messages: Vec<Value>,
    /// The event log's latest entries, oldest first.
    pub events: Vec<Value>,
    /// The clarification that the thread waits for, with the answers so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Value>,
    /// What was observed in a help session, and the overlay that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Value>,
    /// Work that was put off, such as a message that waits for its turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub works: Vec<Value>,
    /// True where earlier messages or events were left out.
    pub truncated: bool,
    /// How many stored records of the conversation are left out because they could not be read. What is empty may then
    /// have been something; [`kind`](Self::kind) may be a guess if the thread's own record is one of them.
    pub unreadable: u64,
}

impl ConversationRecord {
    /// Leaves out all but the latest `limit` messages and the latest `limit` events; `truncated` says so.
    pub fn keep_latest(&mut self, limit: usize) {
        let messages = self.messages.len().saturating_sub(limit);
        let events = self.events.len().saturating_sub(limit);
        self.messages.drain(..messages);
        self.events.drain(..events);
        self.truncated |= messages > 0 || events > 0;
    }
}

/// One context request of the conversation before it, open or closed. Artifacts are large, so each request has a line of
/// its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContextRequestRecord {
    /// Whose conversation it is; an erasure finds the record by it.
    pub student_id: String,
    /// The thread.
    pub thread_id: String,
    /// The request with its sources; none if it could not be read, which the conversation's record counts.
    pub context_request: Option<Value>,
    /// What was supplied for it.
    pub payloads: Vec<ContextPayload>,
    /// How many of them are left out because they could not be read.
    pub unreadable: u64,
}

/// One artifact that was kept beside the conversation before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ArtifactRecord {
    /// Whose conversation it is; an erasure finds the record by it.
    pub student_id: String,
    /// The thread.
    pub thread_id: String,
    /// What it is and where it came from.
    pub artifact: Value,
    /// The text.
    pub content: String,
}

/// What was supplied for a slot of a context request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextPayload {
    /// The slot's place in the request, from 0.
    pub slot: i32,
    /// The text.
    pub content: String,
}
