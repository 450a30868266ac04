//! The database file with all that the store keeps, and how many starts and batches it has seen.

use std::path::Path;

use redb::{ReadTransaction, ReadableTable, StorageError, WriteTransaction};
use turnwise_embedded_file::{
    Cause, Damage, Done, EmbeddedFile, Fault, Lock, Purpose, Replacement,
};

use super::{
    rescue::rescue,
    sealed::{BATCHES, LIVE, STARTS, TABLES, counter, counters, definition, set_counter, weight},
};
use crate::{OpenError, StoreError};

/// What the file is.
pub(super) const STUDENTS: Purpose = Purpose {
    name: "students",
    format: 1,
    cache_bytes: 256 * 1024 * 1024,
    content: "a store of students' records",
    remedy: "restore it from a backup, or move it away to begin with an empty store",
    rescue,
};

/// Why a transaction on the file did not go through.
pub(super) type Failure = turnwise_embedded_file::Failure<StoreError>;

/// The file.
pub(super) struct StoreFile {
    file: EmbeddedFile,
    start: i64,
    /// Dropped last.
    _lock: Lock,
}

impl StoreFile {
    /// Opens the file, made with its folder if it is not there, and counts this start on disk.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        let lock = Lock::take(path)?;
        let file = EmbeddedFile::open(path, STUDENTS, &lock)?;
        let start = file.write(true, count_start);
        Ok(Self {
            file,
            start: start.map_err(|failure| OpenError::CountStart {
                path: path.to_owned(),
                source: told(failure),
            })?,
            _lock: lock,
        })
    }

    /// The number of this start: none before it had the same.
    pub(super) fn start(&self) -> i64 {
        self.start
    }

    /// Looks at all that was committed.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.file.read(work)
    }

    /// Writes as one transaction; for the writer alone.
    pub(super) fn write<T>(
        &self,
        durable: bool,
        work: impl FnOnce(&WriteTransaction) -> Result<Done<T>, Failure>,
    ) -> Result<T, Failure> {
        self.file.write(durable, work)
    }

    /// Whether the file must be opened again after a failure.
    pub(super) fn is_broken(&self) -> bool {
        self.file.is_broken()
    }

    /// How many bytes the file takes of the disk, and how many its rows take. Nothing in memory.
    pub(super) fn sizes(&self) -> Result<(u64, u64), Failure> {
        let allocated = self.file.allocated().map_err(StorageError::Io)?;
        self.read(|transaction| {
            let live = counter(&transaction.open_table(counters())?, LIVE)?.map_err(own_damage)?;
            Ok((allocated.unwrap_or(0), u64::try_from(live).unwrap_or(0)))
        })
    }

    /// Begins a new file that is to take the place of this one; `None` in memory.
    pub(super) fn begin_replacement(&self) -> Result<Option<Replacement>, Failure> {
        self.file.begin_replacement()
    }

    /// Puts it there; for the writer alone.
    pub(super) fn replace(&self, new: Replacement) -> Result<(), Failure> {
        self.file.replace(new)
    }

    /// How many batches are in the file for certain; opens it again if a failure has made that necessary.
    pub(super) fn batches(&self) -> Result<i64, Failure> {
        self.file.reopen()?;
        self.read(|transaction| {
            let counters = transaction.open_table(counters())?;
            counter(&counters, BATCHES)?.map_err(own_damage)
        })
    }
}

/// What the caller of the store is told of a failure. The operator was told, unless it is damage of one row.
pub(super) fn told(failure: Failure) -> StoreError {
    match failure {
        Failure::Owner(error) => {
            tracing::error!(%error, "a row of the embedded store is damaged");
            error
        }
        Failure::File(fault) => of_fault(&fault),
    }
}

fn of_fault(fault: &Fault) -> StoreError {
    match fault.cause() {
        Cause::Full => StoreError::Full,
        Cause::ReadOnly => StoreError::ReadOnly,
        Cause::Damaged => StoreError::Corrupted,
        Cause::Unavailable => StoreError::Unavailable,
    }
}

/// One of the store's own numbers is not what was written.
pub(super) fn own_damage(Damage: Damage) -> Failure {
    Failure::Owner(StoreError::Corrupted)
}

/// Makes all tables and counts this start, on disk before anything else: no later start has the same number.
fn count_start(transaction: &WriteTransaction) -> Result<Done<i64>, Failure> {
    let mut live = 0;
    let mut counters = transaction.open_table(counters())?;
    let counted = counters.get(LIVE)?.is_some();
    for name in TABLES {
        let rows = transaction.open_table(definition(name))?;
        // Files of earlier versions lack the number.
        for row in rows.iter()?.take_while(|_| !counted) {
            let (key, stored) = row?;
            live += weight(key.value(), stored.value());
        }
    }
    if !counted {
        set_counter(&mut counters, LIVE, live)?;
    }
    let start = counter(&counters, STARTS)?.map_err(own_damage)? + 1;
    set_counter(&mut counters, STARTS, start)?;
    Ok(Done::Commit(start))
}
