//! The database file with all that the store keeps, and how many starts and batches it has seen.

use std::path::Path;

use redb::{ReadTransaction, WriteTransaction};
use turnwise_embedded_file::{Cause, Damage, Done, EmbeddedFile, Fault, Lock, Purpose};

use super::{
    rescue::rescue,
    rows::{EXPIRIES, ROWS},
    sealed::{BATCHES, STARTS, counter, counters, definition, set_counter},
};
use crate::{OpenError, StoreError};

/// What the file is.
const STUDENTS: Purpose = Purpose {
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
    transaction.open_table(definition(ROWS))?;
    transaction.open_table(definition(EXPIRIES))?;
    let mut counters = transaction.open_table(counters())?;
    let start = counter(&counters, STARTS)?.map_err(own_damage)? + 1;
    set_counter(&mut counters, STARTS, start)?;
    Ok(Done::Commit(start))
}
