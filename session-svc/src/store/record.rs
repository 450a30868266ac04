//! Records as bytes: one byte of schema version, then the message. A newer reader reads an older record.

use bytes::Bytes;
use prost::Message;

use crate::error::SessionError;

/// The version that this service writes; it reads this one and all before.
pub const SCHEMA_VERSION: u8 = 1;

/// The bytes of a record.
pub fn encode(message: &impl Message) -> Vec<u8> {
    stamp(&message.encode_to_vec())
}

/// The record in these bytes; `what` names it in errors.
pub fn decode<M: Message + Default>(what: &'static str, bytes: &[u8]) -> Result<M, SessionError> {
    M::decode(unstamp(what, bytes)?).map_err(|_| SessionError::RecordCorrupted { record: what })
}

/// Opaque bytes with the schema version before them.
pub fn stamp(body: &[u8]) -> Vec<u8> {
    [&[SCHEMA_VERSION], body].concat()
}

/// The bytes behind a schema version that this service reads.
pub fn unstamp<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8], SessionError> {
    match bytes.split_first() {
        Some((1..=SCHEMA_VERSION, body)) => Ok(body),
        Some((&version, _)) if version > SCHEMA_VERSION => Err(SessionError::SchemaTooNew {
            record: what,
            version,
        }),
        _ => Err(SessionError::RecordCorrupted { record: what }),
    }
}

/// [`unstamp`] for bytes that are kept.
pub fn unstamp_owned(what: &'static str, bytes: Vec<u8>) -> Result<Bytes, SessionError> {
    unstamp(what, &bytes)?;
    Ok(Bytes::from(bytes).slice(1..))
}
