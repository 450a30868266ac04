//! What happens to uploaded sources in one transaction.
//!
//! Chunks lie under the name of their source and the number of their upload. A commit moves no chunk: it names another
//! upload as the committed one, and drops all others.

mod reading;
mod rescue;
mod writing;

use redb::{ReadableTable, StorageError, TableDefinition};
use serde::{Deserialize, Serialize};
use turnwise_embedded_file::{Bytes, Damage};
use turnwise_retrieval_index::sources::{SourceHead, SourceKey, UploadedChunk};

pub(crate) use self::{reading::Reading, rescue::rescue, writing::Writing};
use crate::{
    Failure,
    name::{self, Name},
    record,
};

/// The committed upload of each source.
const COMMITTED: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("committed");
/// The upload of each source that is going on.
const STAGED: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("staged");
/// Chunks by source, upload and place.
const CHUNKS: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("chunks");
/// The ids of the chunks of uploads that are going on, by source.
const IDS: TableDefinition<'_, Bytes, ()> = TableDefinition::new("ids");
/// The number of the last upload.
const LAST: TableDefinition<'_, (), u64> = TableDefinition::new("last");

/// An upload that is complete.
#[derive(Debug, Serialize, Deserialize)]
struct Committed {
    upload: u64,
    head: SourceHead,
    at_ms: u64,
}

/// An upload that is going on.
#[derive(Debug, Serialize, Deserialize)]
struct Staged {
    upload: u64,
    head: SourceHead,
    kept: u32,
}

fn source_name(key: &SourceKey) -> Name {
    Name::new(&[&key.tenant, &key.course, &key.source])
}

fn source_key(row: &[u8]) -> Option<SourceKey> {
    let [tenant, course, source] = name::parts(row)?;
    Some(SourceKey {
        tenant,
        course,
        source,
    })
}

/// What follows a source's name in the key of a chunk.
fn place(upload: u64, place: u32) -> [u8; 12] {
    let mut tail = [0; 12];
    let (first, second) = tail.split_at_mut(8);
    first.copy_from_slice(&upload.to_be_bytes());
    second.copy_from_slice(&place.to_be_bytes());
    tail
}

fn read<T: for<'d> Deserialize<'d>>(
    table: &impl ReadableTable<Bytes, Bytes>,
    name: &Name,
) -> Result<Option<Result<T, Damage>>, StorageError> {
    let found = table.get(name.start())?;
    Ok(found.map(|sealed| record::decode(name.start(), sealed.value())))
}

/// Hands out the chunks of an upload, in order; damage if one of so many is missing or cannot be read.
fn walk(
    chunks: &impl ReadableTable<Bytes, Bytes>,
    name: &Name,
    upload: u64,
    count: u32,
    mut each: impl FnMut(UploadedChunk),
) -> Result<Result<(), Damage>, Failure> {
    let (from, to) = (
        name.row(&place(upload, 0)),
        name.row(&place(upload, u32::MAX)),
    );
    let mut next = 0;
    for row in chunks.range(from.as_slice()..=to.as_slice())? {
        let (row, sealed) = match row {
            Err(StorageError::Corrupted(_)) => return Ok(Err(Damage)),
            row => row?,
        };
        if next == count || name.tail(row.value()) != place(upload, next) {
            return Ok(Err(Damage));
        }
        match record::decode(row.value(), sealed.value()) {
            Ok(chunk) => each(chunk),
            Err(Damage) => return Ok(Err(Damage)),
        }
        next += 1;
    }
    Ok(if next == count { Ok(()) } else { Err(Damage) })
}

fn is_readable(
    chunks: &impl ReadableTable<Bytes, Bytes>,
    name: &Name,
    upload: u64,
    count: u32,
) -> Result<bool, Failure> {
    Ok(walk(chunks, name, upload, count, |_| ())?.is_ok())
}
