//! What an archive holds.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConversationKind {
    /// A thread of the tutor.
    Tutor,
    /// A conversation of the homework helper.
    Helper,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The student.
    User,
    /// The tutor.
    Assistant,
}

/// One conversation. All text is redacted by whoever hands it over.
///
/// Only text, whole numbers and times: what is read back is then, byte for byte, what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The rolling summary of turns that the conversation's memory no longer holds; may be empty.
    pub summary: String,
    /// The turns in the conversation's memory, oldest first.
    pub memory: Vec<RememberedTurn>,
    /// The timeline's latest entries, oldest first.
    pub turns: Vec<ArchivedTurn>,
    /// The event log's latest entries, oldest first.
    pub events: Vec<ArchivedEvent>,
    /// True where earlier turns or events were left out.
    pub truncated: bool,
    /// How many stored records of the conversation are left out because they could not be read: its own, turns, events
    /// and memories. What is empty may then have been something; [`kind`](Self::kind) may be a guess if its own is one.
    #[serde(default)]
    pub unreadable: u64,
}

impl ConversationRecord {
    /// Leaves out all but the latest `limit` turns and the latest `limit` events; `truncated` says so.
    pub fn keep_latest(&mut self, limit: usize) {
        let turns = self.turns.len().saturating_sub(limit);
        let events = self.events.len().saturating_sub(limit);
        self.turns.drain(..turns);
        self.events.drain(..events);
        self.truncated |= turns > 0 || events > 0;
    }
}

/// A turn in a conversation's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedTurn {
    /// Who spoke.
    pub role: Speaker,
    /// What was said, perhaps cut.
    pub text: String,
}

/// An entry of a thread's timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedTurn {
    /// The entry's id in the timeline.
    pub id: i64,
    /// Who spoke.
    pub role: Speaker,
    /// What was said; may be empty.
    pub text: String,
    /// The student's LaTeX; may be empty.
    pub latex: String,
    /// What stood on the card, as text; empty where there was none.
    pub card: String,
    /// When.
    pub time: Timestamp,
}

/// An entry of a thread's event log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedEvent {
    /// The entry's id in the log.
    pub id: i64,
    /// What happened, such as `turn`.
    pub kind: String,
    /// When.
    pub time: Timestamp,
    /// What else is known.
    pub facts: BTreeMap<String, String>,
    /// Text that belongs to it; often empty.
    pub text: String,
}
