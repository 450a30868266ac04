//! A thread's event log: appended to by turns and beside them, read from any event on, in both directions.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use prost_types::Timestamp;
use turnwise_proto::{
    session::v1::{Event, NewAlert, NewEvent},
    tutor::v1::{Role, TutorMessage},
};
use turnwise_session_store::{Outcome, Partition, Read, StudentKey, Transaction, Write};
use uuid::Uuid;

use super::{
    Idempotency, Sessions,
    classes::settings::ClassRedactor,
    fence::Since,
    fields::decimal,
    fitting,
    idempotency::IdempotencyEntry,
    keys::{self, Operation},
    stored::StoredThread,
    threads::{field, is_about, messages, stamp, unknown},
};
use crate::{error::SessionError, record};

/// The version of the form of events.
const CONTRACT_VERSION: &str = "v1";
/// The kind of the event that stands for a message of the timeline.
pub const MESSAGE: &str = "conversation:message";
const MESSAGE_ID: &str = "message_id";
/// Events are appended so often where the thread is reset in between.
const TRIES: usize = 8;

/// Events to append outside of a turn.
#[derive(Debug, Clone)]
pub struct AppendEvents {
    /// The thread.
    pub thread_id: String,
    /// What to append; at least one.
    pub events: Vec<NewEvent>,
    /// An alert to raise.
    pub alert: Option<NewAlert>,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

/// Which events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// With ids above this one, oldest first.
    After(i64),
    /// With ids below this one, newest first.
    Before(i64),
}

/// A page of events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventPage {
    /// In the order that was asked for.
    pub events: Vec<Event>,
    /// Whether there are more.
    pub more: bool,
}

impl Sessions {
    /// Appends events to a thread's log. Sent again it changes nothing.
    pub async fn append_events(
        &self,
        student: &StudentKey,
        append: AppendEvents,
    ) -> Result<(), SessionError> {
        for _ in 0..TRIES {
            if self.append_once(student, &append).await? {
                return Ok(());
            }
        }
        Err(SessionError::Contended)
    }

    /// False if the thread was reset meanwhile.
    async fn append_once(
        &self,
        student: &StudentKey,
        append: &AppendEvents,
    ) -> Result<bool, SessionError> {
        let thread_id = &append.thread_id;
        let opened = self.opened(student, thread_id).await?;
        let (thread, since) = (&opened.stored, opened.since);
        let (class_id, course_id) = (&thread.thread.class_id, &thread.thread.course_id);
        let roster = self.roster(&student.tenant, class_id).await?;
        let entry = IdempotencyEntry::new(Operation::Events, &append.idempotency, thread_id);
        if let Some(alert) = &append.alert {
            let call = (&append.idempotency, 0);
            self.raise(student, class_id, thread_id, call, alert.into(), since)
                .await?;
        }
        let now = stamp(self);
        let entries = append
            .events
            .iter()
            .map(|event| record::encode(&stored(thread_id, event, now, &roster)))
            .collect();
        let mut writes = vec![Write::Append {
            key: keys::events(thread_id),
            entries,
        }];
        writes.extend(self.added_to(student, thread, since).await?);
        writes.extend(entry.store(Bytes::new(), self.limits()));
        let mut checks = vec![
            entry.unused(),
            // The thread may have been removed since it was read.
            is_about(thread_id, course_id),
        ];
        checks.extend(opened.checks());
        let transaction = Transaction {
            checks,
            writes,
            reads: Vec::new(),
        };
        let partition = self.partition(student).await?;
        match self.transact(&partition, transaction).await? {
            Outcome::Applied(_) => Ok(true),
            Outcome::Refused(refused) => match refused.check {
                0 => entry.stored(refused).map(|_| true),
                1 => Err(unknown(thread_id)),
                2 | 3 => Err(SessionError::TurnErased),
                _ => Ok(false),
            },
        }
    }

    /// What is written with everything that is added to a thread outside of turns, after its events.
    pub(super) async fn added_to(
        &self,
        student: &StudentKey,
        stored: &StoredThread,
        since: Since,
    ) -> Result<Vec<Write>, SessionError> {
        let thread_id = &stored.thread.thread_id;
        // So that a class reset notices what came after its archive.
        let mut changed = vec![field("touched", Uuid::new_v4().to_string().into())];
        let mut kept = Vec::new();
        if self.is_to_be_indexed(stored) {
            // The next reset must find the thread, so that what is added goes with it.
            let class_id = &stored.thread.class_id;
            let kept_until = self.index(student, class_id, thread_id, since).await?;
            changed.push(field("kept", decimal(kept_until)));
            kept.extend(self.kept_anew(thread_id));
        } else {
            let rest = stored.kept_until.saturating_sub(self.now_millis());
            kept.push(Write::Expire {
                key: keys::events(thread_id),
                after: Duration::from_millis(u64::try_from(rest).unwrap_or(1).max(1)),
            });
        }
        let thread = Write::Put {
            key: keys::thread(thread_id),
            fields: changed,
        };
        Ok(std::iter::once(thread).chain(kept).collect())
    }

    /// A page of a thread's log of at most `limit` events.
    pub async fn list_events(
        &self,
        student: &StudentKey,
        thread_id: &str,
        page: Page,
        limit: usize,
    ) -> Result<EventPage, SessionError> {
        let key = keys::events(thread_id);
        let limit_and_next = limit + 1;
        let wanted = match page {
            Page::After(after) => Read::LogAfter {
                key,
                after,
                limit: limit_and_next,
            },
            Page::Before(before) => Read::LogBefore {
                key,
                before,
                limit: limit_and_next,
            },
        };
        let partition = self.partition(student).await?;
        let mut reads = self
            .read(
                &partition,
                vec![StoredThread::read(&keys::thread(thread_id)), wanted],
            )
            .await?;
        if StoredThread::decode(reads.fields()?)?.is_none() {
            return Err(unknown(thread_id));
        }
        let mut entries = reads.entries()?;
        let more = entries.len() > limit;
        entries.truncate(limit);
        let mut events = decode(entries)?;
        self.fill_in(&partition, thread_id, &mut events).await?;
        let fits = fitting(&events);
        let more = more || fits < events.len();
        events.truncate(fits);
        Ok(EventPage { events, more })
    }

    /// Puts messages into the events that stand for them: text is stored once, in the timeline.
    async fn fill_in(
        &self,
        partition: &Partition,
        thread_id: &str,
        events: &mut [Event],
    ) -> Result<(), SessionError> {
        let ids: Vec<i64> = events.iter().filter_map(message_id).collect();
        let (Some(&first), Some(&last)) = (ids.iter().min(), ids.iter().max()) else {
            return Ok(());
        };
        let wanted = vec![Read::LogAfter {
            key: keys::timeline(thread_id),
            after: first - 1,
            limit: usize::try_from(last - first + 1).unwrap_or(ids.len()),
        }];
        let entries = self.read(partition, wanted).await?.entries()?;
        let found: BTreeMap<i64, TutorMessage> = messages(entries)?
            .into_iter()
            .map(|message| (message.id, message))
            .collect();
        for event in events {
            event.message = message_id(event).and_then(|id| found.get(&id).cloned());
        }
        Ok(())
    }
}

/// Events from a log's entries; an event's id is its place in the log.
pub(super) fn decode(entries: Vec<(i64, Bytes)>) -> Result<Vec<Event>, SessionError> {
    entries
        .into_iter()
        .map(|(id, bytes)| {
            Ok(Event {
                id,
                ..record::look("event", &bytes)?
            })
        })
        .collect()
}

fn message_id(event: &Event) -> Option<i64> {
    if event.kind != MESSAGE {
        return None;
    }
    event.facts.get(MESSAGE_ID)?.parse().ok()
}

/// The event that stands for a message.
pub(super) fn of_message(thread_id: &str, message: &TutorMessage, now: Timestamp) -> Event {
    let role = match message.role() {
        Role::Assistant => "assistant",
        Role::User | Role::Unspecified => "user",
    };
    let facts = [
        (MESSAGE_ID, message.id.to_string()),
        ("role", role.to_owned()),
    ];
    Event {
        facts: facts.map(|(name, value)| (name.to_owned(), value)).into(),
        ..empty(thread_id, MESSAGE, now)
    }
}

/// A new event as it is stored.
pub(super) fn stored(
    thread_id: &str,
    event: &NewEvent,
    now: Timestamp,
    roster: &ClassRedactor,
) -> Event {
    let facts = event
        .facts
        .iter()
        .map(|(name, value)| (name.clone(), roster.redact(value)))
        .collect();
    Event {
        related_id: event.related_id.clone(),
        in_reply_to: event.in_reply_to.clone(),
        facts,
        text: roster.redact(&event.text),
        ..empty(thread_id, &event.kind, now)
    }
}

/// An event of the service's own.
pub(super) fn own(
    thread_id: &str,
    kind: &str,
    now: Timestamp,
    facts: impl IntoIterator<Item = (&'static str, String)>,
) -> Event {
    Event {
        facts: facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        ..empty(thread_id, kind, now)
    }
}

fn empty(thread_id: &str, kind: &str, now: Timestamp) -> Event {
    Event {
        kind: kind.to_owned(),
        create_time: Some(now),
        contract_version: CONTRACT_VERSION.to_owned(),
        session_id: thread_id.to_owned(),
        event_id: Uuid::new_v4().to_string(),
        ..Event::default()
    }
}
