//! The texts that were supplied for context requests. Each is a field of its own in a record of its own: a turn reads what
//! a thread waits for in one step, and twenty texts of the largest size, over several requests, fit into no message.

use std::borrow::Cow;

use turnwise_proto::session::v1::{ContextRequest, ContextSource};
use turnwise_session_store::{FieldName, Read, StudentKey, Write};

use super::{
    Sessions, context::no_request, interactions::request_field, keys, stored::StoredThread,
    threads::unknown,
};
use crate::{
    error::SessionError,
    pending::{self, PendingError},
    record,
};

const WHAT: &str = "context_payload";

/// Keeps what was supplied for a slot, in place of what was there.
pub(super) fn put(thread_id: &str, request_id: &str, slot: i32, content: &str) -> Write {
    Write::Put {
        key: keys::payloads(thread_id),
        fields: vec![(name(request_id, slot), record::stamp(content.as_bytes()))],
    }
}

fn name(request_id: &str, slot: i32) -> FieldName {
    Cow::Owned(format!("{request_id}:{slot}"))
}

fn text(bytes: &bytes::Bytes) -> Result<String, SessionError> {
    let text = record::unstamp(WHAT, bytes)?;
    String::from_utf8(text.into()).map_err(|_| SessionError::RecordCorrupted { record: WHAT })
}

impl Sessions {
    /// What was supplied for one slot of a context request, open or closed, and where it came from.
    pub async fn context_payload(
        &self,
        student: &StudentKey,
        thread_id: &str,
        request_id: &str,
        slot: i32,
    ) -> Result<(ContextSource, String), SessionError> {
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Read::Fields {
                key: keys::interactions(thread_id),
                fields: vec![request_field(request_id)],
            },
            Read::Fields {
                key: keys::payloads(thread_id),
                fields: vec![name(request_id, slot)],
            },
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        if StoredThread::decode(reads.fields()?)?.is_none() {
            return Err(unknown(thread_id));
        }
        let request = reads.fields()?.take();
        let request = request.ok_or_else(|| no_request(request_id))?;
        let request: ContextRequest = record::look("context_request", &request)?;
        let mut sources = request.sources.into_iter();
        let source = sources.find(|source| source.slot == slot);
        let source = source.ok_or(PendingError::Invalid {
            field: "slot",
            problem: "must be a slot for which something was supplied",
        })?;
        let content = reads.fields()?.take();
        let content = content.ok_or(SessionError::RecordCorrupted { record: WHAT })?;
        Ok((source, text(&content)?))
    }

    /// All that was supplied for a request, by slot, as far as it can be read. A slot is there in which something was
    /// supplied, whether the request itself can be read or not.
    pub(super) async fn payloads_of(
        &self,
        student: &StudentKey,
        thread_id: &str,
        request_id: &str,
    ) -> Result<Vec<(i32, Result<String, SessionError>)>, SessionError> {
        let slots = 0..pending::SLOTS_MAX;
        let wanted = vec![Read::Fields {
            key: keys::payloads(thread_id),
            fields: slots.clone().map(|slot| name(request_id, slot)).collect(),
        }];
        let mut found = self.read(&self.partition(student).await?, wanted).await?;
        let mut found = found.fields()?;
        Ok(slots
            .filter_map(|slot| Some((slot, text(&found.take()?))))
            .collect())
    }
}
