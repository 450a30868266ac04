//! What came of events that were handed out.

use std::time::Duration;

use turnwise_session_store::{Check, Read, Transaction, Write};

use super::{LEASE, Stored, Stream, unknown_stream};
use crate::{
    error::SessionError,
    record,
    sessions::{Sessions, fields::decimal, keys, threads::field},
};

/// What came of the events of a claimed stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Up to this position nothing needs delivery any more; 0: nothing new.
    pub delivered: i64,
    /// What came of the event after these, if it was sent.
    pub failure: Option<Failure>,
    /// The claim is given back.
    pub release: bool,
}

/// An attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What came of it.
    pub code: String,
    /// When the stream is handed out again.
    pub retry_after: Duration,
    /// The event is not sent again.
    pub give_up: bool,
    /// The event's position.
    pub position: i64,
}

impl Sessions {
    /// Notes what came of the events of a claimed stream.
    pub async fn settle_events(
        &self,
        stream_id: &str,
        token: i64,
        settlement: Settlement,
    ) -> Result<(), SessionError> {
        let stream = Stream::parse(stream_id).ok_or_else(unknown_stream)?;
        // Before the log is read: an event that comes meanwhile is not overlooked.
        let touched = self.touched(&stream).await?;
        let state = keys::outbox_state(&stream.key);
        let wanted = vec![
            Read::Fields {
                key: state.clone(),
                fields: vec!["cursor".into(), "attempts".into()],
            },
            Read::LogAfter {
                key: keys::outbox(&stream.key),
                after: settlement
                    .failure
                    .as_ref()
                    .map_or(0, |failed| failed.position - 1),
                limit: 1,
            },
        ];
        let mut reads = self.under_claim(&stream, token, Vec::new(), wanted).await?;
        let mut fields = reads.fields()?;
        let before = fields.number("outgoing_event")?;
        let attempts = fields.number("outgoing_event")?;
        let failed = reads.entries()?;

        let mut cursor = before.max(settlement.delivered);
        let given_up = settlement
            .failure
            .as_ref()
            .filter(|failure| failure.give_up);
        if let Some(failure) = given_up {
            // First the dead letter: cut off here, the event is tried once more, not lost.
            let event = failed
                .first()
                .filter(|(position, _)| *position == failure.position)
                .map(|(_, bytes)| record::look::<Stored>("outgoing_event", bytes))
                .transpose()?;
            if let Some(event) = event {
                let attempts = if cursor > before { 1 } else { attempts + 1 };
                self.bury(&stream, &event, attempts, &failure.code).await?;
            }
            cursor = cursor.max(failure.position);
        }
        let mut writes = Vec::new();
        if cursor > before {
            writes.extend(stream.advance(cursor));
        }
        let retried = settlement
            .failure
            .as_ref()
            .filter(|failure| !failure.give_up);
        if retried.is_some() {
            writes.push(Write::Add {
                key: state.clone(),
                fields: vec![("attempts".into(), 1)],
            });
            if attempts == 0 || cursor > before {
                writes.push(Write::Put {
                    key: state.clone(),
                    fields: vec![field("first", decimal(self.now_millis()))],
                });
            }
        }
        let lease = keys::outbox_lease(&stream.key);
        let release = settlement.release || settlement.failure.is_some();
        writes.push(match release {
            true => Write::ReleaseLease { key: lease },
            false => Write::RenewLease {
                key: lease,
                ttl: LEASE,
            },
        });
        let wanted = vec![
            Read::LogAfter {
                key: keys::outbox(&stream.key),
                after: cursor,
                limit: 1,
            },
            Read::Fields {
                key: state.clone(),
                fields: vec!["mark".into()],
            },
        ];
        let mut reads = self.under_claim(&stream, token, writes, wanted).await?;
        if !release {
            return self.look_after(&stream, LEASE).await;
        }
        let next = reads.entries()?;
        if let Some((_, next)) = next.first() {
            let since = record::look::<Stored>("outgoing_event", next)
                .map_or_else(|_| self.now_millis(), |event| event.created);
            let wait = retried.map_or(Duration::ZERO, |failure| failure.retry_after);
            return self.waits(&stream, since, wait).await;
        }
        let transaction = Transaction {
            // Nothing was written since the log was found to be done with.
            checks: vec![Check::FieldIs {
                key: state,
                field: "mark",
                value: reads.fields()?.take(),
                tell: Vec::new(),
            }],
            writes: vec![stream.clear()],
            reads: Vec::new(),
        };
        self.transact(&stream.partition(), transaction).await?;
        self.is_empty(&stream, touched).await
    }
}
