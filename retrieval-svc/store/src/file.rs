//! A database file: read, written, and opened again after a failure.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, RwLock},
};

use redb::{Database, Durability, ReadTransaction, ReadableDatabase, WriteTransaction};

use crate::{
    OpenError,
    failure::{Failure, guarded},
    opening::{self, Purpose},
};

/// A table from bytes to bytes.
pub(crate) type Bytes = &'static [u8];

/// What a transaction comes to.
pub(crate) enum Done<R> {
    /// It is to be committed.
    Commit(R),
    /// It changed nothing.
    Nothing(R),
}

/// An open database file. After an error of the disk the database refuses everything until it is opened again.
#[derive(Debug)]
pub(crate) struct StoreFile {
    /// `None`: in memory.
    path: Option<PathBuf>,
    purpose: Purpose,
    slot: RwLock<Slot>,
    /// Held by whoever writes, or opens the file again.
    writing: Mutex<()>,
}

/// The database, or why it is closed.
#[derive(Debug)]
struct Slot {
    database: Result<Held, String>,
    /// How often it was opened.
    opened: u64,
}

/// A database that is closed when it is dropped, even one that panics over its pages.
#[derive(Debug)]
struct Held(Option<Database>);

impl Drop for Held {
    fn drop(&mut self) {
        let closed = guarded(|| match self.0.take() {
            Some(database) => Ok(database.close()?),
            None => Ok(()),
        });
        if let Err(failure) = closed {
            let problem = failure.problem();
            tracing::warn!(
                problem,
                "a file of retrieval-svc was not closed as it should be"
            );
        }
    }
}

impl StoreFile {
    /// Opens the file, made with its folder if it is not there.
    pub(crate) fn open(path: &Path, purpose: Purpose) -> Result<Self, OpenError> {
        let database = opening::open_or_make(path, purpose)?;
        Ok(Self::of(Some(path.to_owned()), purpose, database))
    }

    /// A database in memory.
    pub(crate) fn in_memory(purpose: Purpose) -> Result<Self, OpenError> {
        Ok(Self::of(None, purpose, opening::in_memory(purpose)?))
    }

    fn of(path: Option<PathBuf>, purpose: Purpose, database: Database) -> Self {
        Self {
            path,
            purpose,
            slot: RwLock::new(Slot {
                database: Ok(Held(Some(database))),
                opened: 0,
            }),
            writing: Mutex::new(()),
        }
    }

    /// Looks at all that was committed.
    pub(crate) fn read<R>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        if self.is_closed() {
            self.open_again(&self.lock())?;
        }
        let mut opened = 0;
        let result = self
            .begin(&mut opened, |database| Ok(database.begin_read()?))
            .and_then(|transaction| {
                let result = guarded(|| work(&transaction));
                guarded(|| Ok(transaction.close()?)).and(result)
            });
        if let Err(failure) = &result {
            failure.log(self.purpose.name);
            if failure.breaks_file() {
                self.reopen(opened, &self.lock());
            }
        }
        result
    }

    /// Writes as one transaction, one after another. `durable`: it is on disk when this returns; otherwise it is once a
    /// later durable one is.
    pub(crate) fn write<R>(
        &self,
        durable: bool,
        work: impl FnOnce(&WriteTransaction) -> Result<Done<R>, Failure>,
    ) -> Result<R, Failure> {
        let writing = self.lock();
        if self.is_closed() {
            self.open_again(&writing)?;
        }
        let mut opened = 0;
        let result = self
            .begin(&mut opened, |database| {
                let mut transaction = database.begin_write()?;
                if durable {
                    // A file that is damaged later is told from one whose last commit was broken off.
                    transaction.set_two_phase_commit(true);
                } else {
                    transaction.set_durability(Durability::None)?;
                }
                Ok(transaction)
            })
            .and_then(|transaction| match guarded(|| work(&transaction)) {
                Ok(Done::Commit(result)) => guarded(|| Ok(transaction.commit()?)).map(|()| result),
                Ok(Done::Nothing(result)) => guarded(|| Ok(transaction.abort()?)).map(|()| result),
                // Ended here and not while a panic is under way: a second one would end the process.
                Err(failure) => Err(guarded(|| Ok(transaction.abort()?))
                    .err()
                    .unwrap_or(failure)),
            });
        if let Err(failure) = &result {
            failure.log(self.purpose.name);
            if failure.breaks_file() {
                self.reopen(opened, &writing);
            }
        }
        result
    }

    fn begin<T>(
        &self,
        opened: &mut u64,
        begin: impl FnOnce(&Database) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let slot = self.slot.read().unwrap_or_else(PoisonError::into_inner);
        *opened = slot.opened;
        match &slot.database {
            Ok(Held(Some(database))) => guarded(|| begin(database)),
            Ok(Held(None)) => Err(Failure::Closed("it is closed".to_owned())),
            Err(problem) => Err(Failure::Closed(problem.clone())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.slot
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .database
            .is_err()
    }

    /// Opens the file again after a failure, unless somebody has since.
    fn reopen(&self, opened: u64, writing: &MutexGuard<'_, ()>) {
        let purpose = self.purpose.name;
        let current = self
            .slot
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .opened;
        if self.path.is_none() || current != opened {
            return;
        }
        match self.open_again(writing) {
            Ok(()) => tracing::warn!(
                purpose,
                "a file of retrieval-svc was opened again after a failure"
            ),
            Err(failure) => tracing::error!(
                purpose,
                problem = failure.problem(),
                "a file of retrieval-svc cannot be opened again; the next call tries it once more"
            ),
        }
    }

    /// Closes the file and opens it, which takes back what was not committed. Whoever wants to read waits meanwhile.
    fn open_again(&self, _writing: &MutexGuard<'_, ()>) -> Result<(), Failure> {
        let mut slot = self.slot.write().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = &self.path else {
            return Err(Failure::Closed("it was in memory".to_owned()));
        };
        slot.opened += 1;
        slot.database = Err("it is being opened".to_owned());
        match opening::open(path, self.purpose) {
            Ok(database) => {
                slot.database = Ok(Held(Some(database)));
                Ok(())
            }
            Err(error) => {
                let problem = error.to_string();
                slot.database = Err(problem.clone());
                Err(Failure::Closed(problem))
            }
        }
    }
}
