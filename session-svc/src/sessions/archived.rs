//! A conversation in the form of an archive.

use jiff::Timestamp;
use turnwise_proto::{
    session::v1::{Event, ThreadKind},
    tutor::v1::{Role, TutorCard, TutorMessage, tutor_card::Content},
};
use turnwise_session_archive::{
    ArchivedEvent, ArchivedTurn, ConversationKind, ConversationRecord, RememberedTurn, Speaker,
};
use turnwise_session_store::StudentKey;

use super::{conversations::Conversation, threads::StoredThread};

impl Conversation {
    /// The conversation as it is archived.
    pub(super) fn archived(
        &self,
        student: &StudentKey,
        stored: &StoredThread,
    ) -> ConversationRecord {
        let summaries = self.memories.iter().map(|memory| memory.summary.as_str());
        let remembered = self.memories.iter().flat_map(|memory| &memory.turns);
        ConversationRecord {
            student_id: student.student.clone(),
            thread_id: self.thread_id.clone(),
            kind: match stored.kind {
                ThreadKind::Helper => ConversationKind::Helper,
                ThreadKind::Tutor | ThreadKind::Unspecified => ConversationKind::Tutor,
            },
            course_id: stored.thread.course_id.clone(),
            title: stored.thread.title.clone(),
            summary: summaries.collect::<Vec<_>>().join("\n"),
            memory: remembered
                .map(|turn| RememberedTurn {
                    role: speaker(turn.role()),
                    text: turn.text.clone(),
                })
                .collect(),
            turns: self.messages.iter().map(archived_turn).collect(),
            events: self.events.iter().map(archived_event).collect(),
            truncated: false,
        }
    }
}

fn archived_turn(message: &TutorMessage) -> ArchivedTurn {
    ArchivedTurn {
        id: message.id,
        role: speaker(message.role()),
        text: message.text.clone(),
        latex: message.latex.clone(),
        card: message.card.as_ref().map(card_text).unwrap_or_default(),
        time: instant(message.create_time.as_ref()),
    }
}

fn archived_event(event: &Event) -> ArchivedEvent {
    ArchivedEvent {
        id: event.id,
        kind: event.kind.clone(),
        time: instant(event.create_time.as_ref()),
        facts: event.facts.clone(),
        text: event.text.clone(),
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
