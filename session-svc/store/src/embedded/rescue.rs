//! Bringing all rows of a damaged file into a new one. They are all if their sum is the one that was written last: then
//! none is missing, has another key or is out of date, and a damaged value spoils its own row alone. What was written last
//! is what has the highest number of a batch that stands anywhere in the file.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use redb::{ReadTransaction, ReadableTable, StorageError, Table, WriteTransaction};
use turnwise_embedded_file::{Bytes, Damage, Failure, copy};

use super::{
    rows::{
        ENTRY, EXPIRIES, EXPIRY, HEAD, Head, MEMBER, Name, RANKED, ROWS, number, ordered, ranked,
    },
    sealed::{BATCHES, COUNTER, SUM, counted, counter, counters, definition, open, sealed, share},
};

/// How much of a file is looked through at a time.
const CHUNK: u64 = 1024 * 1024;

/// Copies every row; an error if they are not those that were there.
pub(super) fn rescue(
    from: &ReadTransaction,
    file: &Path,
    to: &WriteTransaction,
) -> Result<(), Failure> {
    let (rows, damaged) = bring(from, to, ROWS)?;
    // Their values are empty: any damage of one changes the sum.
    let (expiries, _) = bring(from, to, EXPIRIES)?;
    copy(from, to, counters())?;
    let (counters, mut numbers) = (to.open_table(counters())?, Vec::new());
    for row in counters.iter()? {
        let (name, _) = row?;
        numbers.push(counter(&counters, name.value())?);
    }
    if numbers.contains(&Err(Damage)) {
        return Err(corrupted("a number of the store itself is damaged"));
    }
    if counter(&counters, SUM)? != Ok(rows.wrapping_add(expiries)) {
        return Err(corrupted(
            "rows are missing, or are not those of the last commit",
        ));
    }
    let latest = latest_batch(file).map_err(StorageError::Io)?;
    if counter(&counters, BATCHES)?.is_ok_and(|reached| reached < latest) {
        return Err(corrupted("the last commit cannot be reached"));
    }
    let mut rows = to.open_table(definition(ROWS))?;
    let expiries = to.open_table(definition(EXPIRIES))?;
    for key in damaged {
        let Some((name, kind, tail)) = Name::from_row(&key) else {
            return Err(corrupted("a row has no name"));
        };
        let restored = elsewhere(&rows, &expiries, &name, kind, tail)?
            .map(|value| sealed(ROWS, &key, &value))
            .filter(|stored| is_same(&rows, &key, stored));
        match restored {
            Some(stored) => {
                rows.insert(key.as_slice(), stored.as_slice())?;
            }
            None => tracing::error!(
                name = name.key().as_str(),
                "a value cannot be read: whoever asks for it is told RECORD_CORRUPTED"
            ),
        }
    }
    Ok(())
}

/// The highest number of a batch that stands anywhere in a file: pages that are no longer in use hold earlier ones.
fn latest_batch(file: &Path) -> io::Result<i64> {
    let (mut file, mut bytes, mut latest) = (File::open(file)?, Vec::new(), 0);
    while file.by_ref().take(CHUNK).read_to_end(&mut bytes)? > 0 {
        for stored in bytes.windows(COUNTER) {
            if let Some(number) = counted(BATCHES, stored) {
                latest = latest.max(number);
            }
        }
        // One that begins here ends in the next chunk.
        let rest = bytes.len().saturating_sub(COUNTER - 1);
        bytes.drain(..rest);
    }
    Ok(latest)
}

/// Copies a table as it is; answers the sum over its rows, and the keys of those whose values are damaged.
fn bring(
    from: &ReadTransaction,
    to: &WriteTransaction,
    table: &'static str,
) -> Result<(i64, Vec<Vec<u8>>), Failure> {
    let mut brought = to.open_table(definition(table))?;
    let (mut sum, mut damaged) = (0_i64, Vec::new());
    for row in from.open_table(definition(table))?.iter()? {
        let (key, stored) = row?;
        let (key, stored) = (key.value(), stored.value());
        sum = sum.wrapping_add(share(table, key, stored));
        if open(table, key, stored).is_err() {
            damaged.push(key.to_vec());
        }
        if brought.insert(key, stored)?.is_some() {
            return Err(corrupted("a row is there twice"));
        }
    }
    Ok((sum, damaged))
}

/// What a damaged value must have been, if other rows say it.
fn elsewhere(
    rows: &Table<'_, Bytes, Bytes>,
    expiries: &Table<'_, Bytes, Bytes>,
    name: &Name,
    kind: u8,
    tail: &[u8],
) -> Result<Option<Vec<u8>>, StorageError> {
    let of_kind = |kind| {
        let (from, to) = name.kind(kind);
        rows.range(from.as_slice()..to.as_slice())
    };
    match kind {
        EXPIRY => {
            for row in expiries.iter()? {
                if let Some((at, of)) = Name::from_expiry(row?.0.value())
                    && of == *name
                {
                    return Ok(Some(ordered(at).to_vec()));
                }
            }
        }
        MEMBER => {
            for row in of_kind(RANKED)? {
                if let Some((score, member)) = ranked(name.tail(row?.0.value()))
                    && member == tail
                {
                    return Ok(Some(ordered(score).to_vec()));
                }
            }
        }
        HEAD => {
            if let Some(row) = of_kind(ENTRY)?.next_back() {
                let last = number(name.tail(row?.0.value()));
                let head = last.map(|last| Head { last, there: true });
                return Ok(head.map(|head| head.to_bytes().to_vec()));
            }
        }
        _ => {}
    }
    Ok(None)
}

/// Whether a row has the checksum of the one that stands there.
fn is_same(rows: &Table<'_, Bytes, Bytes>, key: &[u8], stored: &[u8]) -> bool {
    let there = rows.get(key).ok().flatten();
    there.is_some_and(|there| share(ROWS, key, there.value()) == share(ROWS, key, stored))
}

fn corrupted(problem: &str) -> Failure {
    StorageError::Corrupted(problem.to_owned()).into()
}
