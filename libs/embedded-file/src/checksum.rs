//! How a value stands in a file: a version, a checksum over its name and itself, and its bytes.

/// The form of every value that is written.
const VERSION: u8 = 1;
/// How many bytes stand before the value's own: the version, and the checksum as a little-endian number.
pub const HEAD: usize = 1 + size_of::<u32>();

/// A value that is not what was written under its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage;

/// CRC-32 (ISO-HDLC) over version, name and bytes: a value under another name is damaged, too.
fn checksum(version: u8, name: &[&[u8]], bytes: &[u8]) -> u32 {
    let length: usize = name.iter().map(|part| part.len()).sum();
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[version]);
    hasher.update(&(length as u64).to_le_bytes());
    for part in name {
        hasher.update(part);
    }
    hasher.update(bytes);
    hasher.finalize()
}

/// Bytes as they stand under a name, which is given in parts.
pub fn seal(name: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(HEAD + bytes.len());
    sealed.push(VERSION);
    sealed.extend_from_slice(&checksum(VERSION, name, bytes).to_le_bytes());
    sealed.extend_from_slice(bytes);
    sealed
}

/// The bytes that were sealed under this name.
///
/// # Errors
///
/// They are not what was sealed, or were sealed under another name.
pub fn unseal<'s>(name: &[&[u8]], sealed: &'s [u8]) -> Result<&'s [u8], Damage> {
    match sealed {
        [VERSION, a, b, c, d, bytes @ ..]
            if u32::from_le_bytes([*a, *b, *c, *d]) == checksum(VERSION, name, bytes) =>
        {
            Ok(bytes)
        }
        _ => Err(Damage),
    }
}
