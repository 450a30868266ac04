//! How large a bundle may be.

/// A bundle as it is stored and fetched, in bytes; it is in memory while it is unpacked.
pub const MAX_BUNDLE_BYTES: usize = 32 << 20;
/// The files in it, in bytes.
pub const MAX_UNPACKED_BYTES: u64 = 128 << 20;
/// What it says of itself, in bytes; it is read before its signature is looked at.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 10;
/// How many files are in it.
pub const MAX_FILES: usize = 20_000;
/// Two to this many bytes are in memory while it is decompressed.
pub(crate) const WINDOW_LOG: u32 = 25;
