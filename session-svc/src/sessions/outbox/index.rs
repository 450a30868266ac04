//! The index of streams: when each is looked at next, and since when its oldest event waits. A stream stays in it for ten
//! minutes after its last event: one that was entered may get its event in the next moment.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_proto::session::v1::EventDestination;
use turnwise_session_store::{Check, Outcome, Partition, Read, Transaction, Write};
use uuid::Uuid;

use super::{KEPT, Stream, name};
use crate::{
    error::SessionError,
    sessions::{
        END, Sessions,
        fields::{Fields, decimal, number},
        keys, millis,
        threads::field,
    },
};

/// How soon a stream is looked at again that was found empty.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How long after its last event an empty stream leaves the index.
const IDLE: Duration = Duration::from_secs(600);
/// The most streams that are counted.
const COUNTED: usize = 1000;

/// What waits to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Streams with undelivered events, at most 1,000.
    pub streams: usize,
    /// When the oldest undelivered event was written.
    pub oldest: Option<Timestamp>,
}

pub(super) fn partition() -> Partition {
    Partition::system("outbox")
}

impl Sessions {
    /// Enters a stream, before an event is written to it.
    pub(in crate::sessions) async fn announce(&self, stream: &Stream) -> Result<(), SessionError> {
        let now = self.now_millis();
        let (key, id) = (keys::stream(&stream.id()), stream.id());
        // Two entries of one millisecond are two.
        let mark = Bytes::from(format!("{now}.{}", Uuid::new_v4()));
        let entered = |since: bool| {
            let mut fields = vec![field("touched", mark.clone())];
            fields.extend(since.then(|| field("since", decimal(now))));
            let mut writes = vec![
                Write::Put {
                    key: key.clone(),
                    fields,
                },
                Write::Expire {
                    key: key.clone(),
                    after: KEPT,
                },
            ];
            let destination = name(stream.destination);
            let rankings = [keys::outbox_due, keys::outbox_waiting];
            for ranking in rankings.iter().filter(|_| since) {
                writes.push(Write::Rank {
                    key: ranking(destination),
                    member: id.clone(),
                    score: now,
                });
                // Streams that nobody has asked for in all this time.
                writes.push(Write::UnrankUpTo {
                    key: ranking(destination),
                    score: now.saturating_sub(millis(KEPT)),
                });
            }
            writes
        };
        let transaction = Transaction {
            checks: vec![Check::FieldIs {
                key: key.clone(),
                field: "since",
                value: None,
                tell: vec!["since"],
            }],
            writes: entered(true),
            reads: Vec::new(),
        };
        let Outcome::Refused(refused) = self.transact(&partition(), transaction).await? else {
            return Ok(());
        };
        // Events wait in it already, so it is ranked; long ago, though, if nobody delivers.
        let since = Fields::of(refused.told).number("outgoing_event")?;
        let long_ago = since < now.saturating_sub(millis(KEPT / 2));
        self.write(&partition(), entered(long_ago)).await.map(drop)
    }

    /// The streams whose time has come, those first that wait longest, with what [`Self::touched`] tells of them.
    pub(super) async fn due_streams(
        &self,
        destination: EventDestination,
        limit: usize,
    ) -> Result<Vec<(String, Option<Bytes>)>, SessionError> {
        let wanted = vec![Read::Lowest {
            key: keys::outbox_due(name(destination)),
            from: 0,
            to: self.now_millis(),
            limit,
        }];
        let due = self.read(&partition(), wanted).await?.members()?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = due.iter().map(|(id, _)| touched(id)).collect();
        let mut reads = self.read(&partition(), wanted).await?;
        due.into_iter()
            .map(|(id, _)| Ok((id, reads.fields()?.take())))
            .collect()
    }

    /// When a stream was entered last, as it is stored.
    pub(super) async fn touched(&self, stream: &Stream) -> Result<Option<Bytes>, SessionError> {
        let mut reads = self.read(&partition(), vec![touched(&stream.id())]).await?;
        Ok(reads.fields()?.take())
    }

    /// Lets a stream be looked at so long from now.
    pub(super) async fn look_after(
        &self,
        stream: &Stream,
        wait: Duration,
    ) -> Result<(), SessionError> {
        let writes = vec![self.ranked(stream, wait)];
        self.write(&partition(), writes).await.map(drop)
    }

    fn ranked(&self, stream: &Stream, wait: Duration) -> Write {
        Write::Rank {
            key: keys::outbox_due(name(stream.destination)),
            member: stream.id(),
            score: self.now_millis().saturating_add(millis(wait)).min(END),
        }
    }

    /// Notes that a stream's oldest undelivered event is of this time, and when it is handed out.
    pub(super) async fn waits(
        &self,
        stream: &Stream,
        since: i64,
        wait: Duration,
    ) -> Result<(), SessionError> {
        let key = keys::stream(&stream.id());
        let writes = vec![
            Write::Put {
                key: key.clone(),
                fields: vec![field("since", decimal(since))],
            },
            Write::Expire { key, after: KEPT },
            Write::Rank {
                key: keys::outbox_waiting(name(stream.destination)),
                member: stream.id(),
                score: since,
            },
            self.ranked(stream, wait),
        ];
        self.write(&partition(), writes).await.map(drop)
    }

    /// Notes that a stream is empty. `touched` was read before its log was: if it was entered since, nothing changes but
    /// that it is looked at again.
    pub(super) async fn is_empty(
        &self,
        stream: &Stream,
        touched: Option<Bytes>,
    ) -> Result<(), SessionError> {
        let id = stream.id();
        let destination = name(stream.destination);
        let millis = |bytes: &[u8]| {
            let end = bytes.iter().position(|byte| *byte == b'.');
            number("outgoing_event", &bytes[..end.unwrap_or(bytes.len())])
        };
        let at = touched.as_deref().map_or(Ok(0), millis)?;
        let age = self.now_millis().saturating_sub(at).max(0).unsigned_abs();
        let age = Duration::from_millis(age);
        let unranked = |ranking| Write::Unrank {
            key: ranking,
            members: vec![id.clone()],
        };
        let mut writes = vec![unranked(keys::outbox_waiting(destination))];
        let key = keys::stream(&id);
        if age < IDLE {
            writes.push(Write::Unset {
                key: key.clone(),
                fields: vec!["since".into()],
            });
            writes.push(self.ranked(stream, age.max(LOOK_AGAIN)));
        } else {
            writes.push(Write::Remove { key: key.clone() });
            writes.push(unranked(keys::outbox_due(destination)));
        }
        let transaction = Transaction {
            checks: vec![Check::FieldIs {
                key,
                field: "touched",
                value: touched,
                tell: Vec::new(),
            }],
            writes,
            reads: Vec::new(),
        };
        match self.transact(&partition(), transaction).await? {
            Outcome::Applied(_) => Ok(()),
            Outcome::Refused(_) => self.look_after(stream, Duration::ZERO).await,
        }
    }

    /// Takes a name out of the index that is none of a stream.
    pub(super) async fn unlist(
        &self,
        destination: EventDestination,
        id: String,
    ) -> Result<(), SessionError> {
        let rankings = [keys::outbox_due, keys::outbox_waiting];
        let writes = rankings.map(|ranking| Write::Unrank {
            key: ranking(name(destination)),
            members: vec![id.clone()],
        });
        self.write(&partition(), writes.into()).await.map(drop)
    }

    /// How much waits to be delivered.
    pub async fn backlog(&self, destination: EventDestination) -> Result<Backlog, SessionError> {
        let wanted = vec![Read::Lowest {
            key: keys::outbox_waiting(name(destination)),
            from: 0,
            to: END,
            limit: COUNTED,
        }];
        let waiting = self.read(&partition(), wanted).await?.members()?;
        let oldest = waiting.first().map(|(_, since)| *since);
        Ok(Backlog {
            streams: waiting.len(),
            oldest: oldest.and_then(|since| Timestamp::from_millisecond(since).ok()),
        })
    }
}

fn touched(id: &str) -> Read {
    Read::Fields {
        key: keys::stream(id),
        fields: vec!["touched".into()],
    }
}
