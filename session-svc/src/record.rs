//! Records as bytes: one byte of schema version, the CRC-32 of that byte and the message in four bytes (big-endian), then
//! the message. A later version keeps this form, so that a damaged record is not taken for one of it. The embedded store has a checksum over every row as well; in Redis this one stands alone.

use bytes::Bytes;
use prost::Message;

use crate::error::SessionError;

/// The version that this service reads and writes.
pub const SCHEMA_VERSION: u8 = 1;

const HEAD: usize = 5;

/// The bytes of a record.
pub fn encode(message: &impl Message) -> Bytes {
    let mut bytes = Vec::with_capacity(HEAD + message.encoded_len());
    bytes.extend_from_slice(&[SCHEMA_VERSION, 0, 0, 0, 0]);
    message.encode_raw(&mut bytes);
    sealed(bytes)
}

/// The record in these bytes; `what` names it in errors.
pub fn decode<M: Message + Default>(what: &'static str, bytes: &[u8]) -> Result<M, SessionError> {
    M::decode(body(what, bytes)?).map_err(|_| SessionError::RecordCorrupted { record: what })
}

/// Opaque bytes as a record.
pub fn stamp(body: &[u8]) -> Bytes {
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend_from_slice(&[SCHEMA_VERSION, 0, 0, 0, 0]);
    bytes.extend_from_slice(body);
    sealed(bytes)
}

/// The opaque bytes of a record.
pub fn unstamp(what: &'static str, bytes: &Bytes) -> Result<Bytes, SessionError> {
    Ok(bytes.slice_ref(body(what, bytes)?))
}

fn sealed(mut bytes: Vec<u8>) -> Bytes {
    let sum = checksum(SCHEMA_VERSION, &bytes[HEAD..]);
    bytes[1..HEAD].copy_from_slice(&sum);
    bytes.into()
}

fn checksum(version: u8, body: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[version]);
    hasher.update(body);
    hasher.finalize().to_be_bytes()
}

fn body<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8], SessionError> {
    match bytes {
        [version, a, b, c, d, body @ ..]
            if *version >= SCHEMA_VERSION && checksum(*version, body) == [*a, *b, *c, *d] =>
        {
            if *version == SCHEMA_VERSION {
                Ok(body)
            } else {
                Err(SessionError::SchemaTooNew {
                    record: what,
                    version: *version,
                })
            }
        }
        _ => Err(SessionError::RecordCorrupted { record: what }),
    }
}
