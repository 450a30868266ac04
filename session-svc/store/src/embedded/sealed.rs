//! Tables of rows under checksums. A row says for itself whether it is what was written under its key; and a sum over all
//! rows says whether any is missing, or is one of an earlier state of the file.

use std::mem;

use redb::{
    ReadTransaction, ReadableTable, StorageError, Table, TableDefinition, TableError,
    WriteTransaction,
};
use turnwise_embedded_file::{Bytes, Damage, Failure, HEAD, copy, seal, unseal};

use super::rows::{EXPIRIES, ROWS, number, ordered};

/// The tables of rows; the store's own numbers are in one more.
pub(super) const TABLES: [&str; 2] = [ROWS, EXPIRIES];

/// A table of bytes, as the database knows it.
pub(super) type Definition = TableDefinition<'static, Bytes, Bytes>;

/// Numbers of the store itself.
const COUNTERS: &str = "counters";
/// The counter of the starts of this store.
pub(super) const STARTS: &[u8] = b"starts";
/// The counter of the batches that were committed.
pub(super) const BATCHES: &[u8] = b"batches";
/// The sum over all rows of the other tables.
pub(super) const SUM: &[u8] = b"sum";

/// The counter of the bytes that all rows of the other tables take.
pub(super) const LIVE: &[u8] = b"live";

/// What a row takes besides its key and its value: where they end in their page, and its part of what leads there.
const ROW: usize = 16;

/// The definition of a table.
pub(super) const fn definition(table: &'static str) -> Definition {
    TableDefinition::new(table)
}

/// The table of the store's own numbers.
pub(super) const fn counters() -> Definition {
    definition(COUNTERS)
}

/// The value of a row.
pub(super) fn open<'v>(table: &str, key: &[u8], stored: &'v [u8]) -> Result<&'v [u8], Damage> {
    unseal(&[table.as_bytes(), key], stored)
}

/// A value as it stands in a row.
pub(super) fn sealed(table: &str, key: &[u8], value: &[u8]) -> Vec<u8> {
    seal(&[table.as_bytes(), key], value)
}

/// What a row adds to the sum: of its table, its key and its checksum, so that a damaged value leaves the sum as it is.
pub(super) fn share(table: &str, key: &[u8], stored: &[u8]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(table.as_bytes());
    hasher.update(key);
    hasher.update(stored.get(..HEAD).unwrap_or(stored));
    hasher.finalize().into()
}

/// What a row adds to the bytes that all take.
pub(super) fn weight(key: &[u8], stored: &[u8]) -> i64 {
    i64::try_from(key.len() + stored.len() + ROW).unwrap_or(i64::MAX)
}

/// A number of the store itself; 0 before it was first set.
pub(super) fn counter(
    table: &impl ReadableTable<Bytes, Bytes>,
    name: &[u8],
) -> Result<Result<i64, Damage>, StorageError> {
    let Some(stored) = table.get(name)? else {
        return Ok(Ok(0));
    };
    Ok(counted(name, stored.value()).ok_or(Damage))
}

/// How long such a number is in a row.
pub(super) const COUNTER: usize = HEAD + size_of::<i64>();

/// The number of this name that stands here, if one does.
pub(super) fn counted(name: &[u8], stored: &[u8]) -> Option<i64> {
    open(COUNTERS, name, stored).ok().and_then(number)
}

/// Sets a number of the store itself.
pub(super) fn set_counter(
    table: &mut Table<'_, Bytes, Bytes>,
    name: &[u8],
    value: i64,
) -> Result<(), StorageError> {
    let stored = sealed(COUNTERS, name, &ordered(value));
    table.insert(name, stored.as_slice())?;
    Ok(())
}

/// Copies the store's own numbers.
pub(super) fn copy_counters<R>(
    from: &ReadTransaction,
    to: &WriteTransaction,
) -> Result<(), Failure<R>> {
    copy(from, to, counters())
}

/// What writing did to a table as a whole.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// By how much the sum over all rows has changed.
    pub(super) sum: i64,
    /// By how much the bytes that they take have.
    pub(super) live: i64,
    /// The keys of rows that were written or removed, if somebody wants to know.
    pub(super) keys: Option<Vec<Vec<u8>>>,
}

impl Change {
    fn came(&mut self, name: &str, key: &[u8], stored: &[u8]) {
        self.sum = self.sum.wrapping_add(share(name, key, stored));
        self.live += weight(key, stored);
    }

    fn went(&mut self, name: &str, key: &[u8], stored: &[u8]) {
        self.sum = self.sum.wrapping_sub(share(name, key, stored));
        self.live -= weight(key, stored);
        self.touched(key);
    }

    fn touched(&mut self, key: &[u8]) {
        if let Some(keys) = &mut self.keys {
            keys.push(key.to_vec());
        }
    }
}

/// A table that is written.
pub(super) struct SealedTable<'txn> {
    name: &'static str,
    table: Table<'txn, Bytes, Bytes>,
    change: Change,
}

impl<'txn> SealedTable<'txn> {
    /// Opens a table; it is made if it is not there. `tell`: the keys of the rows that change are wanted.
    pub(super) fn open(
        transaction: &'txn WriteTransaction,
        name: &'static str,
        tell: bool,
    ) -> Result<Self, TableError> {
        Ok(Self {
            name,
            table: transaction.open_table(definition(name))?,
            change: Change {
                keys: tell.then(Vec::new),
                ..Change::default()
            },
        })
    }

    /// The rows, for reading.
    pub(super) fn rows(&self) -> &Table<'txn, Bytes, Bytes> {
        &self.table
    }

    /// What has changed since this was asked last.
    pub(super) fn take_change(&mut self) -> Change {
        mem::take(&mut self.change)
    }

    /// Writes a row.
    pub(super) fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StorageError> {
        let stored = sealed(self.name, key, value);
        let before = self.table.insert(key, stored.as_slice())?;
        match before {
            Some(before) => self.change.went(self.name, key, before.value()),
            None => self.change.touched(key),
        }
        self.change.came(self.name, key, &stored);
        Ok(())
    }

    /// Removes a row, if it is there.
    pub(super) fn remove(&mut self, key: &[u8]) -> Result<(), StorageError> {
        if let Some(before) = self.table.remove(key)? {
            self.change.went(self.name, key, before.value());
        }
        Ok(())
    }

    /// Removes all rows from one to before another: many times quicker than one row after another where there are many;
    /// some 150 ms for 100,000.
    pub(super) fn remove_range(&mut self, from: &[u8], to: &[u8]) -> Result<(), StorageError> {
        let (name, change) = (self.name, &mut self.change);
        self.table.retain_in(from..to, |key, stored| {
            change.went(name, key, stored);
            false
        })
    }

    /// Removes at most `limit` rows from one to before another, and answers their keys.
    pub(super) fn remove_some(
        &mut self,
        from: &[u8],
        to: &[u8],
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StorageError> {
        let mut keys = Vec::new();
        for row in self
            .table
            .extract_from_if(from..to, |_, _| true)?
            .take(limit)
        {
            let (key, stored) = row?;
            self.change.went(self.name, key.value(), stored.value());
            keys.push(key.value().to_vec());
        }
        Ok(keys)
    }
}
