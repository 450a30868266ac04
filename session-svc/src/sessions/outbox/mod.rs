//! Events for webhooks. An event is written in the transaction of what it tells, into a log of its stream in the same
//! partition: no event without its cause, and no cause without its event. A stream is what is delivered in order: what
//! concerns one student, one class, or a tenant as a whole. Before the first event, the stream is entered into an index of
//! the installation, so that whoever delivers finds it.
//!
//! | module | is about |
//! | --- | --- |
//! | `index` | which streams are to be looked at, and when |
//! | `claim`, `settle` | handing events out under a lease, and what came of them |
//! | `dead_letters` | events that nobody took |
//!
//! Streams name students by pseudonym. What an alert's event tells is read from the alert when it is handed out, so an
//! erasure takes it along.

mod claim;
mod dead_letters;
mod index;
mod settle;

use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use turnwise_proto::session::v1::EventDestination;
use turnwise_session_store::{Partition, Write};
use uuid::Uuid;

use super::{fields::decimal, keys, threads::field};
use crate::{error::SessionError, record};

pub(super) use self::claim::{ALERT, RAISED};
pub use self::{
    claim::Claims,
    dead_letters::DeadLetterPage,
    index::Backlog,
    settle::{Failure, Settlement},
};

/// How long an event is kept that nobody asks for: where no receiver is set, the outbox holds so much.
const KEPT: Duration = Duration::from_secs(7 * 86_400);
/// The most events of a stream; older ones are dropped, which its dead letters tell.
const STREAM_MAX: usize = 10_000;
/// How long a claim lasts unless it is renewed.
const LEASE: Duration = Duration::from_secs(60);

/// What is delivered in order: the partition of its events and a name within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stream {
    destination: EventDestination,
    tenant: String,
    /// The class in whose partition it is; empty: the tenant's.
    class_id: String,
    /// `student:PSEUDONYM`, `class:ID` or `tenant`.
    key: String,
}

/// An event as it is stored.
#[derive(Clone, PartialEq, Message)]
struct Stored {
    #[prost(string, tag = "1")]
    event_id: String,
    #[prost(string, tag = "2")]
    kind: String,
    /// Milliseconds since 1970.
    #[prost(int64, tag = "3")]
    created: i64,
    #[prost(string, tag = "4")]
    subject: String,
    /// JSON; empty where it is read from the subject when it is handed out.
    #[prost(string, tag = "5")]
    data: String,
}

/// Something that is told.
pub(super) struct News<'a> {
    pub(super) kind: &'a str,
    /// Milliseconds since 1970.
    pub(super) created: i64,
    pub(super) subject: String,
    pub(super) data: String,
}

impl Stream {
    /// Audit entries about a student, if `pseudonym` stands for one, else about a class, else about the tenant.
    pub(super) fn audit(tenant: &str, class_id: &str, pseudonym: &str) -> Self {
        let key = match (pseudonym, class_id) {
            ("", "") => "tenant".to_owned(),
            ("", class_id) => format!("class:{class_id}"),
            (pseudonym, _) => format!("student:{pseudonym}"),
        };
        Self {
            destination: EventDestination::Audit,
            tenant: tenant.to_owned(),
            class_id: String::new(),
            key,
        }
    }

    /// Alerts of a student in a class.
    pub(super) fn alert(tenant: &str, class_id: &str, pseudonym: &str) -> Self {
        Self {
            destination: EventDestination::Alert,
            tenant: tenant.to_owned(),
            class_id: class_id.to_owned(),
            key: format!("student:{pseudonym}"),
        }
    }

    fn partition(&self) -> Partition {
        match self.class_id.as_str() {
            "" => Partition::tenant(&self.tenant),
            class_id => Partition::class(&self.tenant, class_id),
        }
    }

    /// Its name in the installation.
    fn id(&self) -> String {
        let destination = name(self.destination);
        let (tenant, class_id, key) = (&self.tenant, &self.class_id, &self.key);
        format!("{destination}/{tenant}/{class_id}/{key}")
    }

    /// The stream of this name. Ids hold no `/`.
    fn parse(id: &str) -> Option<Self> {
        let mut parts = id.splitn(4, '/');
        let destination = match parts.next()? {
            "audit" => EventDestination::Audit,
            "alert" => EventDestination::Alert,
            _ => return None,
        };
        let mut next = || parts.next().map(str::to_owned);
        Some(Self {
            destination,
            tenant: next()?,
            class_id: next()?,
            key: next()?,
        })
    }

    /// Writes an event, in the transaction of what it tells.
    pub(super) fn append(&self, news: News<'_>) -> [Write; 5] {
        let (log, state) = (keys::outbox(&self.key), keys::outbox_state(&self.key));
        let event = Stored {
            event_id: Uuid::new_v4().to_string(),
            kind: news.kind.to_owned(),
            created: news.created,
            subject: news.subject,
            data: news.data,
        };
        let expire = |key| Write::Expire { key, after: KEPT };
        [
            Write::Append {
                key: log.clone(),
                entries: vec![record::encode(&event)],
            },
            Write::Trim {
                key: log.clone(),
                keep: STREAM_MAX,
            },
            Write::Put {
                key: state.clone(),
                fields: vec![field("mark", Bytes::from(event.event_id))],
            },
            expire(log),
            expire(state),
        ]
    }

    /// Notes that nothing up to this position needs delivery any more; what comes next is tried anew.
    fn advance(&self, position: i64) -> [Write; 2] {
        let state = keys::outbox_state(&self.key);
        [
            Write::Put {
                key: state.clone(),
                fields: vec![field("cursor", decimal(position))],
            },
            Write::Unset {
                key: state,
                fields: vec!["attempts".into(), "first".into()],
            },
        ]
    }

    /// Removes what was delivered.
    fn clear(&self) -> Write {
        Write::Trim {
            key: keys::outbox(&self.key),
            keep: 0,
        }
    }

    /// Takes back what was not delivered. Without a cursor the gap is not taken for a loss.
    pub(super) fn forget(&self) -> [Write; 2] {
        let cursor = Write::Unset {
            key: keys::outbox_state(&self.key),
            fields: vec!["cursor".into()],
        };
        [self.clear(), cursor]
    }
}

fn name(destination: EventDestination) -> &'static str {
    match destination {
        EventDestination::Alert => "alert",
        EventDestination::Audit | EventDestination::Unspecified => "audit",
    }
}

fn unknown_stream() -> SessionError {
    SessionError::LeaseLost
}
