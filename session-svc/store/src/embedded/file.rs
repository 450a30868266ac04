//! The database file: made, opened, and opened again after a failure.

use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use redb::{
    Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable,
    WriteTransaction,
};

use super::{
    failure::Failure,
    rows::{BATCHES, COUNTERS, EXPIRIES, ROWS, STARTS},
};
use crate::{OpenError, StoreError};

/// How much of the file is kept in memory at most.
const CACHE_BYTES: usize = 256 * 1024 * 1024;

/// The file. After an error of the disk the database refuses everything until it is opened again.
pub(super) struct StoreFile {
    path: PathBuf,
    database: RwLock<Result<Database, StoreError>>,
    start: i64,
}

impl StoreFile {
    /// Opens the file, made with its folder if it is not there, and counts this start on disk.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        create_private(path).map_err(|source| OpenError::Create {
            path: path.to_owned(),
            source,
        })?;
        let cannot_open = |source| OpenError::Open {
            path: path.to_owned(),
            source: Box::new(source),
        };
        let database = builder().create(path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => OpenError::InUse {
                path: path.to_owned(),
            },
            other => cannot_open(other.into()),
        })?;
        let start = count_start(&database).map_err(cannot_open)?;
        Ok(Self {
            path: path.to_owned(),
            database: RwLock::new(Ok(database)),
            start,
        })
    }

    /// The number of this start: none before it had the same.
    pub(super) fn start(&self) -> i64 {
        self.start
    }

    /// A view of all that was committed.
    pub(super) fn begin_read(&self) -> Result<ReadTransaction, Failure> {
        match &*self.database.read().unwrap_or_else(PoisonError::into_inner) {
            Ok(database) => Ok(database.begin_read()?),
            Err(closed) => Err(Failure::Closed(*closed)),
        }
    }

    /// Begins to write; for the writer alone.
    pub(super) fn begin_write(&self) -> Result<WriteTransaction, Failure> {
        match &*self.database.read().unwrap_or_else(PoisonError::into_inner) {
            Ok(database) => Ok(database.begin_write()?),
            Err(closed) => Err(Failure::Closed(*closed)),
        }
    }

    /// Whether the file could not be opened again after a failure.
    pub(super) fn is_closed(&self) -> bool {
        self.database
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_err()
    }

    /// Closes the file and opens it again, which takes back what was not committed; until then nobody can read or
    /// write. Answers how many batches were committed.
    pub(super) fn reopen(&self) -> Result<i64, Failure> {
        let mut slot = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *slot = Err(StoreError::Unavailable);
        drop(slot);
        let opened = builder()
            .open(&self.path)
            .map_err(Failure::from)
            .and_then(|database| {
                let batches = self.identify(&database)?;
                Ok((database, batches))
            });
        let mut slot = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        match opened {
            Ok((database, batches)) => {
                *slot = Ok(database);
                Ok(batches)
            }
            Err(failure) => {
                *slot = Err(failure.kind());
                Err(failure)
            }
        }
    }

    /// Makes sure that it is still the file that this process opened, and reads how many batches were committed.
    fn identify(&self, database: &Database) -> Result<i64, Failure> {
        let counters = database.begin_read()?.open_table(COUNTERS)?;
        let counter = |name| Ok::<_, Failure>(counters.get(name)?.map_or(0, |found| found.value()));
        if counter(STARTS)? != self.start {
            return Err(Failure::Damaged("the number of starts"));
        }
        counter(BATCHES)
    }
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// Makes the folder and the file, for this user alone, where they are not there.
fn create_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)?;
    Ok(())
}

/// Makes all tables and counts this start, on disk before anything else: no later start has the same number.
fn count_start(database: &Database) -> Result<i64, redb::Error> {
    let transaction = database.begin_write()?;
    transaction.open_table(ROWS)?;
    transaction.open_table(EXPIRIES)?;
    let start = {
        let mut counters = transaction.open_table(COUNTERS)?;
        let before = counters.get(STARTS)?.map_or(0, |found| found.value());
        counters.insert(STARTS, before + 1)?;
        before + 1
    };
    transaction.commit()?;
    Ok(start)
}
