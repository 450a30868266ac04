//! Bringing the sources of a damaged file into a new one.

use std::path::Path;

use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use serde::de::DeserializeOwned;
use turnwise_embedded_file::{Bytes, Failure, copy};

use super::{CHUNKS, COMMITTED, Committed, IDS, LAST, STAGED, Staged};
use crate::record;

/// Copies every row; an error if one cannot be reached.
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
    let committed = highest(&to.open_table(COMMITTED)?, |row: Committed| row.upload)?;
    let staged = highest(&to.open_table(STAGED)?, |row: Staged| row.upload)?;
    to.open_table(LAST)?.insert((), committed.max(staged))?;
    Ok(())
}

/// The highest of the numbers of the records that can be read.
fn highest<T: DeserializeOwned>(
    table: &impl ReadableTable<Bytes, Bytes>,
    number: impl Fn(T) -> u64,
) -> Result<u64, Failure> {
    let mut highest = 0;
    for row in table.iter()? {
        let (key, sealed) = row?;
        if let Ok(record) = record::decode(key.value(), sealed.value()) {
            highest = highest.max(number(record));
        }
    }
    Ok(highest)
}
