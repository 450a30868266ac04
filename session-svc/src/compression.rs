//! Compression of what stands in records: zstd with a dictionary of what records have in common, trained by
//! `train-dictionary` in the tests' crate. What was compressed names its dictionary and cannot be read without it, so a
//! dictionary that was ever written with stays here for ever.

use std::{cell::RefCell, collections::HashMap, io::Cursor, sync::LazyLock};

use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::{
        compress_bound, get_dict_id_from_dict, get_dict_id_from_frame, get_frame_content_size,
    },
};

/// Every dictionary there ever was, oldest first; each holds its own id. The last one is written with.
pub const DICTIONARIES: &[&[u8]] = &[include_bytes!("../dictionaries/1.zdict")];

/// Of three to nine it is the cheapest, and the others save little more: docs/decisions/0041.
const LEVEL: i32 = 3;
/// What is shorter becomes no shorter.
const AT_LEAST: usize = 24;
/// The longest that is compressed, and so the longest that is made of what was: far above the bound of a call's message.
const AT_MOST: usize = 16 * 1024 * 1024;

static READERS: LazyLock<HashMap<u32, DecoderDictionary<'static>>> = LazyLock::new(|| {
    let reader = |bytes: &&[u8]| {
        let id = get_dict_id_from_dict(bytes)?;
        Some((id.get(), DecoderDictionary::try_copy(bytes).ok()?))
    };
    DICTIONARIES.iter().filter_map(reader).collect()
});

static WRITER: LazyLock<Option<EncoderDictionary<'static>>> =
    LazyLock::new(|| EncoderDictionary::try_copy(DICTIONARIES.last()?, LEVEL).ok());

thread_local! {
    // A context costs more to make than a record to compress.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(
        WRITER.as_ref().and_then(|writer| Compressor::with_prepared_dictionary(writer).ok()),
    );
    static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::default();
}

/// Why something cannot be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not what was compressed.
    Damaged,
    /// It was compressed with a dictionary that this version does not have.
    UnknownDictionary,
}

/// The same in fewer bytes; `None` if it would not become shorter.
pub fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    compress_behind(0, bytes)
}

/// The same, behind so many zeros.
pub(crate) fn compress_behind(head: usize, bytes: &[u8]) -> Option<Vec<u8>> {
    if !(AT_LEAST..=AT_MOST).contains(&bytes.len()) {
        return None;
    }
    let mut room = Cursor::new(Vec::with_capacity(head + compress_bound(bytes.len())));
    room.set_position(head as u64);
    let length = COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = compressor.as_mut()?;
        compressor.compress_to_buffer(bytes, &mut room).ok()
    })?;
    (length < bytes.len()).then(|| room.into_inner())
}

/// What [`compress`] was given.
pub fn decompress(compressed: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let id = get_dict_id_from_frame(compressed).ok_or(Unreadable::Damaged)?;
    let dictionary = READERS
        .get(&id.get())
        .ok_or(Unreadable::UnknownDictionary)?;
    let length = match get_frame_content_size(compressed) {
        Ok(Some(length)) => usize::try_from(length).unwrap_or(usize::MAX),
        _ => return Err(Unreadable::Damaged),
    };
    // Room is made for what the frame says of itself.
    if length > AT_MOST {
        return Err(Unreadable::Damaged);
    }
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        decompressor
            .set_prepared_dictionary(dictionary)
            .and_then(|()| decompressor.decompress(compressed, length))
            .map_err(|_| Unreadable::Damaged)
    })
}
