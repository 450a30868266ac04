//! Tables of rows under checksums. A row says for itself whether it is what was written under its key; and a sum over all
//! rows says whether any is missing, or is one of an earlier state of the file.

use redb::{ReadableTable, StorageError, Table, TableDefinition, TableError, WriteTransaction};
use turnwise_embedded_file::{Bytes, Damage, HEAD, seal, unseal};

use super::rows::{number, ordered};

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

/// A number of the store itself; 0 before it was first set.
pub(super) fn counter(
    table: &impl ReadableTable<Bytes, Bytes>,
    name: &[u8],
) -> Result<Result<i64, Damage>, StorageError> {
    let Some(stored) = table.get(name)? else {
        return Ok(Ok(0));
    };
    let value = open(COUNTERS, name, stored.value());
    Ok(value.and_then(|value| number(value).ok_or(Damage)))
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

/// A table that is written.
pub(super) struct SealedTable<'txn> {
    name: &'static str,
    table: Table<'txn, Bytes, Bytes>,
    change: i64,
}

impl<'txn> SealedTable<'txn> {
    /// Opens a table; it is made if it is not there.
    pub(super) fn open(
        transaction: &'txn WriteTransaction,
        name: &'static str,
    ) -> Result<Self, TableError> {
        Ok(Self {
            name,
            table: transaction.open_table(definition(name))?,
            change: 0,
        })
    }

    /// The rows, for reading.
    pub(super) fn rows(&self) -> &Table<'txn, Bytes, Bytes> {
        &self.table
    }

    /// By how much the sum over all rows has changed.
    pub(super) fn change(&self) -> i64 {
        self.change
    }

    /// Writes a row.
    pub(super) fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StorageError> {
        let stored = sealed(self.name, key, value);
        self.add(share(self.name, key, &stored));
        let before = self.table.insert(key, stored.as_slice())?;
        let before = before.map_or(0, |before| share(self.name, key, before.value()));
        self.add(before.wrapping_neg());
        Ok(())
    }

    /// Removes a row, if it is there.
    pub(super) fn remove(&mut self, key: &[u8]) -> Result<(), StorageError> {
        let before = self.table.remove(key)?;
        let before = before.map_or(0, |before| share(self.name, key, before.value()));
        self.add(before.wrapping_neg());
        Ok(())
    }

    /// Removes all rows from one to before another: many times quicker than one row after another where there are many;
    /// some 150 ms for 100,000.
    pub(super) fn remove_range(&mut self, from: &[u8], to: &[u8]) -> Result<(), StorageError> {
        let mut removed = 0_i64;
        self.table.retain_in(from..to, |key, stored| {
            removed = removed.wrapping_add(share(self.name, key, stored));
            false
        })?;
        self.add(removed.wrapping_neg());
        Ok(())
    }

    /// Removes at most `limit` rows from one to before another, and answers their keys.
    pub(super) fn remove_some(
        &mut self,
        from: &[u8],
        to: &[u8],
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StorageError> {
        let mut keys = Vec::new();
        let mut removed = 0_i64;
        for row in self
            .table
            .extract_from_if(from..to, |_, _| true)?
            .take(limit)
        {
            let (key, stored) = row?;
            removed = removed.wrapping_add(share(self.name, key.value(), stored.value()));
            keys.push(key.value().to_vec());
        }
        self.add(removed.wrapping_neg());
        Ok(keys)
    }

    fn add(&mut self, share: i64) {
        self.change = self.change.wrapping_add(share);
    }
}
