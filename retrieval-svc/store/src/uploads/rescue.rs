//! Bringing the sources of a damaged file into a new one.

use std::path::Path;

use redb::{ReadTransaction, ReadableTable, StorageError, WriteTransaction};
use serde::de::DeserializeOwned;
use turnwise_embedded_file::{Bytes, Failure, copy};

use super::{
    CHUNKS, COMMITTED, Committed, IDS, LAST, STAGED, Staged, read, source_key, source_name,
};
use crate::record;

/// Copies every row; an error if one cannot be reached, or the record of an upload is not in its place.
pub(crate) fn rescue(
    from: &ReadTransaction,
    _: &Path,
    to: &WriteTransaction,
) -> Result<(), Failure> {
    copy(from, to, COMMITTED)?;
    copy(from, to, STAGED)?;
    copy(from, to, CHUNKS)?;
    copy(from, to, IDS)?;
    // Counted anew: nothing tells whether the number that stands there is right.
    let (committed, staged) = (to.open_table(COMMITTED)?, to.open_table(STAGED)?);
    let last = highest(&committed, |row: Committed| row.upload)?
        .max(highest(&staged, |row: Staged| row.upload)?);
    to.open_table(LAST)?.insert((), last)?;
    let mut checked = Vec::new();
    for row in to.open_table(CHUNKS)?.iter()? {
        let (key, _) = row?;
        let Some((upload, _place)) = key.value().split_last_chunk::<4>() else {
            return Err(missing());
        };
        if upload != checked {
            if !has_record(&committed, &staged, upload)? {
                return Err(missing());
            }
            checked = upload.to_vec();
        }
    }
    Ok(())
}

/// Whether the record of an upload is there, whose chunks are: else it stands under a damaged key, and a source that was
/// committed must not be served as one that never was.
fn has_record(
    committed: &impl ReadableTable<Bytes, Bytes>,
    staged: &impl ReadableTable<Bytes, Bytes>,
    upload: &[u8],
) -> Result<bool, StorageError> {
    let Some((name, number)) = upload.split_last_chunk::<8>() else {
        return Ok(false);
    };
    let Some(key) = source_key(name) else {
        return Ok(false);
    };
    let (name, number) = (source_name(&key), u64::from_be_bytes(*number));
    let is_committed = match read::<Committed>(committed, &name)? {
        Some(Ok(committed)) if committed.upload == number => return Ok(true),
        // Its source is listed as damaged.
        Some(Err(_)) => return Ok(true),
        other => other.is_some(),
    };
    Ok(match read::<Staged>(staged, &name)? {
        Some(Ok(staged)) => staged.upload == number,
        Some(Err(_)) => is_committed,
        None => false,
    })
}

fn missing() -> Failure {
    StorageError::Corrupted("the record of an upload is not in its place".to_owned()).into()
}

/// The highest of the numbers of the records that can be read; an error if a key is none of ours.
fn highest<T: DeserializeOwned>(
    table: &impl ReadableTable<Bytes, Bytes>,
    number: impl Fn(T) -> u64,
) -> Result<u64, Failure> {
    let mut highest = 0;
    for row in table.iter()? {
        let (key, sealed) = row?;
        if source_key(key.value()).is_none() {
            return Err(missing());
        }
        if let Ok(record) = record::decode(key.value(), sealed.value()) {
            highest = highest.max(number(record));
        }
    }
    Ok(highest)
}
