//! Handing events out: each stream under a lease, so that one process delivers it at a time. Every stream that a pass looks
//! at moves back in the index, so that none stands before the others for ever.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    classes::v1::{AlertKind, Escalation, SafeguardingAlert},
    session::v1::{ClaimedStream, EventDestination, OutgoingEvent},
};
use turnwise_session_store::{Check, Outcome, Read, Refused, Transaction, Write};

use super::{LEASE, Stored, Stream};
use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions,
        fields::{Fields, Reads},
        json::json,
        keys,
    },
};

/// When a stream is tried again that cannot be read.
const UNREADABLE: Duration = Duration::from_secs(60);
/// The kind of an event that tells that an alert was raised.
pub(in crate::sessions) const RAISED: [&str; 2] = ["safeguarding-alert", "escalation-raised"];
/// What the subject of an escalation begins with where it is told.
const ESCALATION: &str = "escalation/";
/// What an alert's subject begins with.
pub(in crate::sessions) const ALERT: &str = "alert/";

/// Claimed streams, and how long the claims last.
#[derive(Debug, Clone)]
pub struct Claims {
    /// Those that waited longest.
    pub streams: Vec<ClaimedStream>,
    /// How long the claims last.
    pub lease_ttl: Duration,
}

/// How far the delivery of a stream is.
#[derive(Default)]
struct State {
    cursor: i64,
    attempts: i64,
    first: i64,
}

impl State {
    fn read(stream: &Stream) -> Read {
        Read::Fields {
            key: keys::outbox_state(&stream.key),
            fields: vec!["cursor".into(), "attempts".into(), "first".into()],
        }
    }

    fn decode(mut fields: Fields) -> Result<Self, SessionError> {
        let mut number = || fields.number("outgoing_event");
        Ok(Self {
            cursor: number()?,
            attempts: number()?,
            first: number()?,
        })
    }
}

impl Sessions {
    /// Hands out streams for a receiver whose time has come, with their first events.
    pub async fn claim_streams(
        &self,
        destination: EventDestination,
        limit: usize,
        events: usize,
    ) -> Result<Claims, SessionError> {
        let mut claims = Claims {
            streams: Vec::new(),
            lease_ttl: LEASE,
        };
        for (id, touched) in self.due_streams(destination, limit).await? {
            let Some(stream) = Stream::parse(&id) else {
                self.unlist(destination, id).await?;
                continue;
            };
            match self.claim_stream(&stream, touched, events).await {
                Ok(claimed) => claims.streams.extend(claimed),
                Err(error @ SessionError::Store(_)) => return Err(error),
                // One that cannot be read must not keep the others from being delivered.
                Err(error) => {
                    tracing::error!(%error, stream = id, "a stream of webhook events cannot be read; tried again later");
                    self.look_after(&stream, UNREADABLE).await?;
                }
            }
        }
        Ok(claims)
    }

    async fn claim_stream(
        &self,
        stream: &Stream,
        touched: Option<Bytes>,
        events: usize,
    ) -> Result<Option<ClaimedStream>, SessionError> {
        let partition = stream.partition();
        let lease = keys::outbox_lease(&stream.key);
        let transaction = Transaction {
            checks: vec![Check::LeaseFree {
                key: lease.clone(),
                or_of: Bytes::new(),
            }],
            writes: vec![Write::TakeLease {
                key: lease.clone(),
                ttl: LEASE,
                holder: Bytes::new(),
            }],
            reads: vec![State::read(stream)],
        };
        let applied = match self.transact(&partition, transaction).await? {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(Refused {
                lease_remainder, ..
            }) => {
                let wait = lease_remainder.unwrap_or(LEASE);
                self.look_after(stream, wait.max(Duration::from_secs(1)))
                    .await?;
                return Ok(None);
            }
        };
        let token = applied.token.ok_or(SessionError::Unavailable)?;
        let mut state = State::decode(Reads::new(applied.found).fields()?)?;
        let wanted = vec![Read::LogAfter {
            key: keys::outbox(&stream.key),
            after: state.cursor,
            limit: events,
        }];
        let entries = self.read(&partition, wanted).await?.entries()?;
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            self.let_go(stream, token, 0).await?;
            self.is_empty(stream, touched).await?;
            return Ok(None);
        };
        let (first, last) = (first.0, last.0);
        let dropped = match state.cursor {
            0 => 0,
            cursor => first - cursor - 1,
        };
        if dropped > 0 {
            self.dropped(stream, dropped).await?;
            self.inner.metrics.dropped(dropped);
            let writes = stream.advance(first - 1).into();
            self.under_claim(stream, token, writes, Vec::new()).await?;
            state = State::default();
        }
        let events = self.outgoing(stream, entries).await?;
        if events.is_empty() {
            // What they told is gone.
            self.let_go(stream, token, last).await?;
            self.look_after(stream, Duration::ZERO).await?;
            return Ok(None);
        }
        self.look_after(stream, LEASE).await?;
        Ok(Some(ClaimedStream {
            stream_id: stream.id(),
            fencing_token: token,
            events,
            attempts: i32::try_from(state.attempts).unwrap_or(i32::MAX),
            first_attempt_time: (state.attempts > 0)
                .then(|| Timestamp::from_millisecond(state.first).ok())
                .flatten()
                .map(time::to_proto),
        }))
    }

    /// Gives a claim back; what stands up to `position` is done with.
    async fn let_go(&self, stream: &Stream, token: i64, position: i64) -> Result<(), SessionError> {
        let mut writes = vec![Write::ReleaseLease {
            key: keys::outbox_lease(&stream.key),
        }];
        if position > 0 {
            writes.extend(stream.advance(position));
        }
        self.under_claim(stream, token, writes, Vec::new())
            .await
            .map(drop)
    }

    /// Changes a stream's state while it is claimed.
    pub(super) async fn under_claim(
        &self,
        stream: &Stream,
        token: i64,
        writes: Vec<Write>,
        reads: Vec<Read>,
    ) -> Result<Reads, SessionError> {
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: keys::outbox_lease(&stream.key),
                token,
            }],
            writes,
            reads,
        };
        match self.transact(&stream.partition(), transaction).await? {
            Outcome::Applied(applied) => Ok(Reads::new(applied.found)),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }

    /// Events as they are sent, without those whose subject is gone or that cannot be read.
    async fn outgoing(
        &self,
        stream: &Stream,
        entries: Vec<(i64, Bytes)>,
    ) -> Result<Vec<OutgoingEvent>, SessionError> {
        let mut found = Vec::with_capacity(entries.len());
        for (position, bytes) in entries {
            match record::look::<Stored>("outgoing_event", &bytes) {
                Ok(event) => found.push((position, event)),
                // A process of that version will send it.
                Err(error @ SessionError::SchemaTooNew { .. }) => return Err(error),
                Err(error) => {
                    tracing::error!(%error, position, "a webhook event cannot be read; it is not sent");
                }
            }
        }
        let alerts: Vec<_> = found
            .iter()
            .filter_map(|(_, event)| event.subject.strip_prefix(ALERT))
            .map(|alert_id| Read::Fields {
                key: keys::alert(alert_id),
                fields: vec!["alert".into()],
            })
            .collect();
        let mut alerts = match alerts.is_empty() {
            true => Reads::new(Vec::new()),
            false => self.read(&stream.partition(), alerts).await?,
        };
        let mut events = Vec::with_capacity(found.len());
        for (position, event) in found {
            let data = match event.subject.starts_with(ALERT) {
                true => match alerts.fields()?.take() {
                    Some(alert) => told(&event.kind, record::look("alert", &alert)?)?,
                    None => continue,
                },
                false => event.data,
            };
            events.push(OutgoingEvent {
                position,
                event_id: event.event_id,
                kind: event.kind.clone(),
                create_time: Timestamp::from_millisecond(event.created)
                    .ok()
                    .map(time::to_proto),
                tenant: stream.tenant.clone(),
                subject: match event.kind.starts_with("escalation") {
                    true => event.subject.replacen(ALERT, ESCALATION, 1),
                    false => event.subject,
                },
                partition_key: stream.key.clone(),
                data,
            });
        }
        Ok(events)
    }
}

/// What an event tells of an alert. That it was raised is told as it was then, whatever has happened since, so that every
/// attempt sends the same.
fn told(kind: &str, alert: SafeguardingAlert) -> Result<String, SessionError> {
    let alert = match RAISED.contains(&kind) {
        true => SafeguardingAlert {
            acknowledged_by: String::new(),
            acknowledge_time: None,
            ..alert
        },
        false => alert,
    };
    let told = match alert.kind() {
        AlertKind::Handoff => json("turnwise.classes.v1.Escalation", &Escalation::from(alert)),
        _ => json("turnwise.classes.v1.SafeguardingAlert", &alert),
    };
    Ok(told?.to_string())
}
