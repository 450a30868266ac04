//! A thread as it is stored, and how it is read.

use std::borrow::Cow;

use prost_types::Timestamp;
use turnwise_proto::{
    session::v1::{GradedDrill, ThreadFocus, ThreadKind},
    tutor::v1::{SessionStatus, Thread},
};
use turnwise_session_store::{Key, Read};

use super::fields::{Fields, number};
use crate::{error::SessionError, record};

/// The fields of a thread's record that its readers need.
const FIELDS: [&str; 11] = [
    "record", "count", "updated", "locked", "kept", "kind", "status", "focus", "graded", "card",
    "exam",
];

/// A thread as it is stored.
#[derive(Debug, Clone)]
pub(super) struct StoredThread {
    pub(super) thread: Thread,
    pub(super) target_locked: bool,
    pub(super) kept_until: i64,
    pub(super) kind: ThreadKind,
    pub(super) status: SessionStatus,
    /// Where it stands; none before the first turn that says so.
    pub(super) focus: Option<ThreadFocus>,
    /// The latest drill that was graded in it.
    pub(super) graded: Option<GradedDrill>,
    /// The ids of the last message with a card and of the last with an exam question, 0 for none; none if that is not known.
    pub(super) cards: Option<[i64; 2]>,
}

impl StoredThread {
    /// Reads what [`decode`](Self::decode) needs.
    pub(super) fn read(key: &Key) -> Read {
        Read::Fields {
            key: key.clone(),
            fields: FIELDS.map(Cow::Borrowed).to_vec(),
        }
    }

    /// The thread in these fields; none if there is no such thread.
    pub(super) fn decode(fields: Fields) -> Result<Option<Self>, SessionError> {
        Self::of(fields, record::look)
    }

    /// The same, for whoever writes its record again or deletes it.
    pub(super) fn whole(fields: Fields) -> Result<Option<Self>, SessionError> {
        Self::of(fields, record::decode)
    }

    fn of(
        mut fields: Fields,
        read: fn(&'static str, &[u8]) -> Result<Thread, SessionError>,
    ) -> Result<Option<Self>, SessionError> {
        let Some(stored) = fields.take() else {
            return Ok(None);
        };
        let stored = read("thread", &stored)?;
        let count = fields.number("thread")?;
        let updated = fields
            .take()
            .ok_or(SessionError::RecordCorrupted { record: "thread" })?;
        let updated: Timestamp = record::look("thread", &updated)?;
        Ok(Some(Self {
            thread: Thread {
                message_count: count,
                update_time: Some(updated),
                ..stored
            },
            target_locked: fields.number("thread")? == 1,
            kept_until: fields.number("thread")?,
            kind: enumeration(fields.number("thread")?)?,
            status: match fields.number("thread")? {
                0 => SessionStatus::Active,
                status => enumeration(status)?,
            },
            focus: match fields.take() {
                Some(focus) => Some(record::look("thread", &focus)?),
                None => None,
            },
            graded: match fields.take() {
                Some(graded) => Some(record::look("thread", &graded)?),
                None => None,
            },
            cards: match fields.take() {
                Some(card) => Some([number("thread", &card)?, fields.number("thread")?]),
                None => None,
            },
        }))
    }
}

/// A value that is always set. One that this version does not know came with a later schema: it is never taken for another
/// value, and what a newer version wrote is not damaged.
pub(super) fn enumeration<E: TryFrom<i32>>(number: i64) -> Result<E, SessionError> {
    const THREAD: &str = "thread";
    match i32::try_from(number) {
        Ok(number @ 1..) => E::try_from(number).map_err(|_| record::newer(THREAD)),
        _ => Err(SessionError::RecordCorrupted { record: THREAD }),
    }
}
