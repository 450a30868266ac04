//! Records as bytes: one byte of schema version, the CRC-32 of that byte and the body in four bytes (big-endian), then
//! the body. Version 1 is the message itself, version 2 the message [compressed](crate::compression); a record is written
//! as whichever is shorter. Version 3 is an answer of which a part stands elsewhere, as a record within the record. A
//! later version keeps this form, so that a damaged record is not taken for one of it. The embedded store has a checksum
//! over every row as well; in Redis this one stands alone.
//!
//! A message of a newer version may have fields that this one does not know, without a version of its own. Whoever only
//! looks at it does without them ([`look`]); whoever may write it again, or delete it for what an archive has of it, is
//! refused ([`decode`]): the fields would be lost.

use std::borrow::Cow;

use bytes::Bytes;
use prost::Message;

use crate::{
    compression::{self, Unreadable},
    error::SessionError,
};

/// The newest version that this service reads and writes.
pub const SCHEMA_VERSION: u8 = IN_PART;

const PLAIN: u8 = 1;
const COMPRESSED: u8 = 2;
const IN_PART: u8 = 3;

const HEAD: usize = 5;

/// The bytes of a record.
pub fn encode(message: &impl Message) -> Bytes {
    stamp(&message.encode_to_vec())
}

/// The whole record in these bytes, for whoever may write it again; `what` names it in errors. One with fields that this
/// version does not know is of a newer one: what is encoded again would be shorter.
pub fn decode<M: Message + Default>(what: &'static str, bytes: &[u8]) -> Result<M, SessionError> {
    let (message, length): (M, _) = look_sized(what, bytes)?;
    match message.encoded_len() == length {
        true => Ok(message),
        false => Err(newer(what)),
    }
}

/// What this version knows of the record in these bytes, for whoever only looks at it.
pub fn look<M: Message + Default>(what: &'static str, bytes: &[u8]) -> Result<M, SessionError> {
    look_sized(what, bytes).map(|(message, _)| message)
}

/// The same, and how many bytes the whole message has.
pub(crate) fn look_sized<M: Message + Default>(
    what: &'static str,
    bytes: &[u8],
) -> Result<(M, usize), SessionError> {
    let body = body(what, bytes)?;
    let message = M::decode(&*body).map_err(|_| SessionError::RecordCorrupted { record: what })?;
    Ok((message, body.len()))
}

/// What is said of a record that came with a later schema.
pub(crate) fn newer(record: &'static str) -> SessionError {
    SessionError::SchemaTooNew {
        record,
        version: SCHEMA_VERSION + 1,
    }
}

/// Opaque bytes as a record.
pub fn stamp(body: &[u8]) -> Bytes {
    match compression::compress_behind(HEAD, body) {
        Some(record) => headed(COMPRESSED, record),
        None => sealed(PLAIN, body),
    }
}

/// Opaque bytes of which a part stands elsewhere as a record.
pub(crate) fn stamp_part(body: &[u8]) -> Bytes {
    sealed(IN_PART, &stamp(body))
}

/// The record within one of which a part stands elsewhere; none if it is none of those.
pub(crate) fn part(bytes: &Bytes) -> Option<Bytes> {
    match opened(bytes)? {
        (IN_PART, record) => Some(bytes.slice_ref(record)),
        _ => None,
    }
}

/// The opaque bytes of a record.
pub fn unstamp(what: &'static str, bytes: &Bytes) -> Result<Bytes, SessionError> {
    Ok(match body(what, bytes)? {
        Cow::Borrowed(body) => bytes.slice_ref(body),
        Cow::Owned(body) => body.into(),
    })
}

fn sealed(version: u8, body: &[u8]) -> Bytes {
    headed(version, [&[0; HEAD][..], body].concat())
}

/// Fills the head of a record in, before its body.
fn headed(version: u8, mut record: Vec<u8>) -> Bytes {
    let (head, body) = record.split_at_mut(HEAD);
    head[0] = version;
    head[1..].copy_from_slice(&checksum(version, body));
    record.into()
}

fn checksum(version: u8, body: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[version]);
    hasher.update(body);
    hasher.finalize().to_be_bytes()
}

/// Version and body of a record that is what was written.
fn opened(bytes: &[u8]) -> Option<(u8, &[u8])> {
    match bytes {
        [version, a, b, c, d, body @ ..] if checksum(*version, body) == [*a, *b, *c, *d] => {
            Some((*version, body))
        }
        _ => None,
    }
}

fn body<'a>(what: &'static str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, SessionError> {
    let damaged = SessionError::RecordCorrupted { record: what };
    let Some((version, body)) = opened(bytes) else {
        return Err(damaged);
    };
    let newer = SessionError::SchemaTooNew {
        record: what,
        version,
    };
    match version {
        0 | IN_PART => Err(damaged),
        PLAIN => Ok(Cow::Borrowed(body)),
        COMPRESSED => match compression::decompress(body) {
            Ok(body) => Ok(Cow::Owned(body)),
            Err(Unreadable::Damaged) => Err(damaged),
            Err(Unreadable::UnknownDictionary) => Err(newer),
        },
        _ => Err(newer),
    }
}
