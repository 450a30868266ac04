//! How a record stands in the file: a version, a checksum over its key and itself, and its bytes.

use serde::{Serialize, de::DeserializeOwned};

/// The version of every record that is written.
const VERSION: u8 = 1;
/// How many bytes stand before the record's own: the version, and the checksum as a little-endian number.
pub(crate) const HEAD: usize = 1 + size_of::<u32>();

/// A record that is not what was written under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage;

/// CRC-32 (ISO-HDLC) over version, key and bytes: a record under another key's name is damaged, too.
fn checksum(version: u8, key: &[u8], bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[version]);
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(bytes);
    hasher.finalize()
}

/// Bytes as they stand under a key.
pub(crate) fn seal(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(HEAD + bytes.len());
    sealed.push(VERSION);
    sealed.extend_from_slice(&checksum(VERSION, key, bytes).to_le_bytes());
    sealed.extend_from_slice(bytes);
    sealed
}

/// The bytes that were sealed under this key.
pub(crate) fn open<'s>(key: &[u8], sealed: &'s [u8]) -> Result<&'s [u8], Damage> {
    match sealed {
        [VERSION, a, b, c, d, bytes @ ..]
            if u32::from_le_bytes([*a, *b, *c, *d]) == checksum(VERSION, key, bytes) =>
        {
            Ok(bytes)
        }
        _ => Err(Damage),
    }
}

/// A value as it stands under a key.
pub(crate) fn encode(key: &[u8], value: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    Ok(seal(key, &postcard::to_stdvec(value)?))
}

/// The value that was encoded under this key.
pub(crate) fn decode<T: DeserializeOwned>(key: &[u8], sealed: &[u8]) -> Result<T, Damage> {
    match postcard::take_from_bytes(open(key, sealed)?) {
        Ok((value, [])) => Ok(value),
        _ => Err(Damage),
    }
}
