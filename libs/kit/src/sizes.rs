//! How large a message may be, in bytes, once it is decompressed. tonic reads 4 MiB where nothing is said, on both sides of a
//! call. Every server says it, and every client of one service in another, so that one side reads what the other may send.

/// Health and reflection, which anybody may ask: no more than their small requests need.
pub(crate) const OPEN_MESSAGE: usize = 4 << 10;

/// What a caller of the public port sends and is sent. Clients in any language read this much without being told to; pages
/// of lists end before.
pub const PUBLIC_MESSAGE: usize = 4 << 20;

/// What services send each other, who trust each other with more: whatever came in at the public port with what is added to
/// it, the beginning of a turn with 50 messages of 32,000 characters, a hundred pieces of deferred work. What may be larger
/// is read in pieces.
pub const INTERNAL_MESSAGE: usize = 16 << 20;
