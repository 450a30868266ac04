//! Events that nobody took, in the tenant's partition: the last thousand of the last thirty days. They name an alert or a
//! class, never a student.

use std::time::Duration;

use turnwise_kit::time;
use turnwise_proto::{school::v1::DeadLetter, session::v1::EventDestination};
use turnwise_session_store::{Partition, Read, Write};

use super::{Stored, Stream};
use crate::{
    error::SessionError,
    record,
    sessions::{Sessions, keys, threads::stamp},
};

/// How long dead letters are kept.
const KEPT: Duration = Duration::from_secs(30 * 86_400);
/// The most of a tenant.
const MOST: usize = 1000;

/// A page of dead letters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeadLetterPage {
    /// Newest first.
    pub dead_letters: Vec<DeadLetter>,
    /// Where the next page goes on; none after the last.
    pub before: Option<i64>,
}

impl Sessions {
    /// Notes an event that is not sent any more.
    pub(super) async fn bury(
        &self,
        stream: &Stream,
        event: &Stored,
        attempts: i64,
        failure: &str,
    ) -> Result<(), SessionError> {
        let created = jiff::Timestamp::from_millisecond(event.created).ok();
        let letter = DeadLetter {
            event_id: event.event_id.clone(),
            kind: event.kind.clone(),
            create_time: created.map(time::to_proto),
            subject: event.subject.clone(),
            attempts: i32::try_from(attempts).unwrap_or(i32::MAX),
            failure: failure.to_owned(),
            dropped: 1,
            ..DeadLetter::default()
        };
        self.append_dead_letter(stream, letter).await
    }

    /// Notes that a stream grew longer than it may.
    pub(super) async fn dropped(&self, stream: &Stream, dropped: i64) -> Result<(), SessionError> {
        tracing::error!(dropped, "webhook events were dropped: a stream is too long");
        let letter = DeadLetter {
            kind: "events-dropped".to_owned(),
            create_time: Some(stamp(self)),
            failure: "stream_too_long".to_owned(),
            dropped,
            ..DeadLetter::default()
        };
        self.append_dead_letter(stream, letter).await
    }

    async fn append_dead_letter(
        &self,
        stream: &Stream,
        letter: DeadLetter,
    ) -> Result<(), SessionError> {
        let destination = match stream.destination {
            EventDestination::Alert => "ALERT_EVENT_URL",
            EventDestination::Audit | EventDestination::Unspecified => "AUDIT_EVENT_URL",
        };
        let letter = DeadLetter {
            destination: destination.to_owned(),
            give_up_time: Some(stamp(self)),
            ..letter
        };
        let key = keys::dead_letters();
        let writes = vec![
            Write::Append {
                key: key.clone(),
                entries: vec![record::encode(&letter)],
            },
            Write::Trim {
                key: key.clone(),
                keep: MOST,
            },
            Write::Expire { key, after: KEPT },
        ];
        let tenant = Partition::tenant(&stream.tenant);
        self.write(&tenant, writes).await.map(drop)
    }

    /// A page of a tenant's dead letters, newest first.
    pub async fn dead_letters(
        &self,
        tenant: &str,
        before: Option<i64>,
        limit: usize,
    ) -> Result<DeadLetterPage, SessionError> {
        let wanted = vec![Read::LogBefore {
            key: keys::dead_letters(),
            before: before.unwrap_or(i64::MAX),
            limit: limit + 1,
        }];
        let mut found = self
            .read(&Partition::tenant(tenant), wanted)
            .await?
            .entries()?;
        let oldest = self
            .now()
            .checked_sub(KEPT)
            .map_or(0, |time| time.as_second());
        let more = found.len() > limit;
        found.truncate(limit);
        let mut page = DeadLetterPage {
            before: found.last().map(|(id, _)| *id).filter(|_| more),
            ..DeadLetterPage::default()
        };
        for (_, bytes) in found {
            let letter: DeadLetter = record::look("dead_letter", &bytes)?;
            if letter
                .give_up_time
                .is_some_and(|time| time.seconds < oldest)
            {
                // So are all that follow.
                page.before = None;
                break;
            }
            page.dead_letters.push(letter);
        }
        Ok(page)
    }
}
