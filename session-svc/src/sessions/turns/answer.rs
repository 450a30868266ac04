//! The answer of a turn as it is stored: without the messages that stand in the timeline, where these are the same bytes.
//! Both go at once: a reset takes the text of a thread and of its idempotency entries in one step.

use bytes::{Buf, Bytes};
use prost::Message;
use turnwise_proto::tutor::v1::TutorMessage;
use turnwise_session_store::{Partition, Read};

use crate::{
    error::SessionError,
    record,
    sessions::{Sessions, keys, threads::messages},
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
        let mut places = rest.windows(bytes.len().max(1));
        let place = places.position(|place| place == bytes)?;
        parts.push(rest.split_to(place));
        rest.advance(bytes.len());
    }
    parts.push(rest);
    Some(Parts { first, parts })
}

impl Sessions {
    /// The answer of such a record.
    pub(super) async fn whole_answer(
        &self,
        partition: &Partition,
        thread_id: &str,
        stored: &Bytes,
    ) -> Result<Bytes, SessionError> {
        let body = record::unstamp(WHAT, stored)?;
        if !record::is_in_part(stored) {
            return Ok(body);
        }
        let Parts { first, parts } =
            Parts::decode(body).map_err(|_| SessionError::RecordCorrupted { record: WHAT })?;
        let count = parts.len().saturating_sub(1);
        let wanted = vec![Read::LogAfter {
            key: keys::timeline(thread_id),
            after: first - 1,
            limit: count,
        }];
        let found = messages(self.read(partition, wanted).await?.entries()?)?;
        // Without gaps: a reset may have taken them since the entry was read.
        if found.len() < count || found.first().is_some_and(|message| message.id != first) {
            return Err(SessionError::TurnErased);
        }
        let mut answer = Vec::with_capacity(2 * stored.len());
        for (place, part) in parts.iter().enumerate() {
            answer.extend_from_slice(part);
            if let Some(message) = found.get(place) {
                answer.extend(message.encode_to_vec());
            }
        }
        Ok(answer.into())
    }
}
