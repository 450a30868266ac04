//! The answer of a turn as it is stored: without the messages that stand in the timeline, where these are the same bytes.
//! Both go at once: a reset takes the text of a thread and of its idempotency entries in one step.

use bytes::{Buf, Bytes};
use memchr::memmem;
use prost::Message;
use turnwise_proto::tutor::v1::TutorMessage;
use turnwise_session_store::{Partition, Read};

use crate::{
    error::SessionError,
    record,
    sessions::{Sessions, keys},
};

const WHAT: &str = "idempotency_entry";

/// An answer without its messages, which follow each other in the timeline.
#[derive(Clone, PartialEq, Message)]
struct Parts {
    /// The id of the first message.
    #[prost(int64, tag = "1")]
    first: i64,
    /// What stands before each message and after the last.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    parts: Vec<Bytes>,
    /// Of the whole answer: it is checked as each record is.
    #[prost(fixed32, tag = "3")]
    crc32: u32,
}

/// The record of an answer beside these messages of the timeline.
pub(super) fn stored(answer: &Bytes, messages: &[TutorMessage]) -> Bytes {
    match parts(answer, messages) {
        Some(parts) => record::stamp_part(&parts.encode_to_vec()),
        None => record::stamp(answer),
    }
}

/// None where it does not hold all of them in their order: its texts may differ by what was redacted.
fn parts(answer: &Bytes, messages: &[TutorMessage]) -> Option<Parts> {
    let first = messages.first()?.id;
    let mut rest = answer.clone();
    let mut parts = Vec::with_capacity(messages.len() + 1);
    for message in messages {
        let bytes = message.encode_to_vec();
        let place = memmem::find(&rest, &bytes)?;
        parts.push(rest.split_to(place));
        rest.advance(bytes.len());
    }
    parts.push(rest);
    Some(Parts {
        first,
        parts,
        crc32: crc32fast::hash(answer),
    })
}

impl Sessions {
    /// The answer of such a record. Its messages are taken as they are stored: another version may know more of their
    /// fields.
    pub(super) async fn whole_answer(
        &self,
        partition: &Partition,
        thread_id: &str,
        stored: &Bytes,
    ) -> Result<Bytes, SessionError> {
        let Some(part) = record::part(stored) else {
            return record::unstamp(WHAT, stored);
        };
        let damaged = SessionError::RecordCorrupted { record: WHAT };
        let Ok(Parts {
            first,
            parts,
            crc32,
        }) = Parts::decode(record::unstamp(WHAT, &part)?)
        else {
            return Err(damaged);
        };
        let count = parts.len().saturating_sub(1);
        let wanted = vec![Read::LogAfter {
            key: keys::timeline(thread_id),
            after: first - 1,
            limit: count,
        }];
        let found = self.read(partition, wanted).await?.entries()?;
        // Without gaps: a reset may have taken them since the entry was read.
        if found.len() < count || found.first().is_some_and(|(id, _)| *id != first) {
            return Err(SessionError::TurnErased);
        }
        let mut answer = Vec::with_capacity(2 * stored.len());
        for (place, part) in parts.iter().enumerate() {
            answer.extend_from_slice(part);
            if let Some((_, message)) = found.get(place) {
                answer.extend_from_slice(&record::unstamp("message", message)?);
            }
        }
        if crc32fast::hash(&answer) != crc32 {
            return Err(damaged);
        }
        Ok(answer.into())
    }
}
