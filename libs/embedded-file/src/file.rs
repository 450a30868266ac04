//! A database file: read, written, and opened again after a failure.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::{Database, Durability, ReadTransaction, ReadableDatabase, WriteTransaction};

use crate::{
    error::OpenError,
    failure::{Failure, Fault, guarded},
    opening::{self, Purpose},
    place::Lock,
    replacement::{NotReplaced, Replacement},
};

/// What a transaction comes to.
pub enum Done<T> {
    /// It is to be committed.
    Commit(T),
    /// It changed nothing.
    Nothing(T),
}

/// An open database file. After an error of the disk the database refuses everything until it is opened again: the next
/// write does that, or [`reopen`](Self::reopen).
#[derive(Debug)]
pub struct EmbeddedFile {
    /// `None`: in memory.
    path: Option<PathBuf>,
    purpose: Purpose,
    database: RwLock<Result<Held, Shut>>,
    /// It must be opened again before it is used.
    broken: AtomicBool,
    /// Held by whoever writes, or opens the file again.
    writing: Mutex<()>,
}

/// Why a database is closed.
#[derive(Debug, Clone)]
struct Shut {
    cause: crate::Cause,
    problem: String,
}

/// A database that is closed when it is dropped, even one that panics over its pages.
#[derive(Debug)]
struct Held(Option<Database>);

impl Drop for Held {
    fn drop(&mut self) {
        let closed: Result<(), Failure> = guarded(|| match self.0.take() {
            Some(database) => Ok(database.close()?),
            None => Ok(()),
        });
        if let Err(Failure::File(fault)) = closed {
            let problem = fault.problem();
            tracing::warn!(problem, "an embedded file was not closed as it should be");
        }
    }
}

impl EmbeddedFile {
    /// Opens the file, made with its folder if it is not there. The lock is that of this file or of one beside it, and
    /// lives as long.
    ///
    /// # Errors
    ///
    /// The file cannot be made or opened, is damaged, of something else, or comes from a newer version.
    pub fn open(path: &Path, purpose: Purpose, _lock: &Lock) -> Result<Self, OpenError> {
        let database = opening::open_or_make(path, purpose)?;
        Ok(Self::of(Some(path.to_owned()), purpose, database))
    }

    /// A database in memory.
    ///
    /// # Errors
    ///
    /// The database cannot be made.
    pub fn in_memory(purpose: Purpose) -> Result<Self, OpenError> {
        Ok(Self::of(None, purpose, opening::in_memory(purpose)?))
    }

    fn of(path: Option<PathBuf>, purpose: Purpose, database: Database) -> Self {
        Self {
            path,
            purpose,
            database: RwLock::new(Ok(Held(Some(database)))),
            broken: AtomicBool::new(false),
            writing: Mutex::new(()),
        }
    }

    /// Looks at all that was committed, and waits for no writer.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the work says why not.
    pub fn read<T, R>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, Failure<R>>,
    ) -> Result<T, Failure<R>> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        // Held to the end: who closes the database waits for those who read.
        let result = begin(&slot, |database| Ok(database.begin_read()?)).and_then(|transaction| {
            let result = guarded(|| work(&transaction));
            guarded(|| Ok(transaction.close()?)).and(result)
        });
        drop(slot);
        self.look_at(&result);
        result
    }

    /// Writes as one transaction, one after another. `durable`: it is on disk when this returns; otherwise it is once a
    /// later durable one is.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the work says why not. Nothing is committed then, unless it was the commit that
    /// failed: after that only the file itself can tell, once it is opened again.
    pub fn write<T, R>(
        &self,
        durable: bool,
        work: impl FnOnce(&WriteTransaction) -> Result<Done<T>, Failure<R>>,
    ) -> Result<T, Failure<R>> {
        let writing = self.lock();
        self.open_if_broken(&writing)?;
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let begun = begin(&slot, |database| {
            let mut transaction = database.begin_write()?;
            if durable {
                // A file that is damaged later is told from one whose last commit was broken off.
                transaction.set_two_phase_commit(true);
            } else {
                transaction.set_durability(Durability::None)?;
            }
            Ok(transaction)
        });
        drop(slot);
        let result = begun.and_then(|transaction| match guarded(|| work(&transaction)) {
            Ok(Done::Commit(result)) => guarded(|| Ok(transaction.commit()?)).map(|()| result),
            Ok(Done::Nothing(result)) => guarded(|| Ok(transaction.abort()?)).map(|()| result),
            Err(failure) => {
                // Ended here and not while a panic is under way: a second one would end the process.
                let ended = guarded(|| Ok(transaction.abort()?));
                match failure {
                    Failure::Owner(_) => Err(ended.err().unwrap_or(failure)),
                    // The first failure says why; the others follow from it.
                    Failure::File(_) => Err(failure),
                }
            }
        });
        self.look_at(&result);
        result
    }

    /// Opens the file again if a failure has made that necessary; looks at every page then. Whoever wants to write waits
    /// meanwhile, and whoever wants to read is refused.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    pub fn reopen<R>(&self) -> Result<(), Failure<R>> {
        if self.is_broken() {
            self.open_if_broken(&self.lock())
        } else {
            Ok(())
        }
    }

    /// Whether the file must be opened again.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// How many bytes of the disk the file takes; `None` in memory. Room that was never written is not counted, though it
    /// is within the file's length.
    ///
    /// # Errors
    ///
    /// The file cannot be looked at.
    pub fn allocated(&self) -> io::Result<Option<u64>> {
        /// What the kernel counts in, whatever the disk's own blocks are.
        const BLOCK: u64 = 512;
        let metadata = self.path.as_ref().map(fs::metadata).transpose()?;
        Ok(metadata.map(|metadata| metadata.blocks() * BLOCK))
    }

    /// Begins a new file that is to take the place of this one; `None` in memory.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn begin_replacement<R>(&self) -> Result<Option<Replacement>, Failure<R>> {
        let begun = self
            .path
            .as_ref()
            .map(|path| Replacement::begin(path, self.purpose));
        begun.transpose().map_err(|error| closed(Shut::of(&error)))
    }

    /// Puts a new file in the place of this one. Whoever writes meanwhile loses it: that is for the owner to prevent. Who
    /// reads waits for a moment.
    ///
    /// # Errors
    ///
    /// It cannot be put there. This one goes on, or is closed until it can be opened again.
    pub fn replace<R>(&self, replacement: Replacement) -> Result<(), Failure<R>> {
        let _writing = self.lock();
        let Some(path) = &self.path else {
            return Ok(());
        };
        match replacement.take_place(path) {
            Ok(database) => {
                self.put(Ok(Held(Some(database))));
                Ok(())
            }
            Err(NotReplaced::Before(error)) => Err(closed(Shut::of(&error))),
            Err(NotReplaced::After(error)) => {
                let shut = Shut::of(&error);
                self.put(Err(shut.clone()));
                self.broken.store(true, Ordering::Release);
                Err(closed(shut))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the operator of a failure, and remembers one that breaks the file.
    fn look_at<T, R>(&self, result: &Result<T, Failure<R>>) {
        let Err(Failure::File(fault)) = result else {
            return;
        };
        let file = self.purpose.name;
        if matches!(fault, Fault::Closed { .. }) {
            tracing::debug!(
                file,
                "an embedded file is closed until it can be opened again"
            );
            return;
        }
        tracing::error!(
            file,
            problem = fault.problem(),
            "an embedded file cannot be read or written; check the disk and its room"
        );
        // In memory there is nothing to open again.
        if fault.breaks_file() && self.path.is_some() {
            self.broken.store(true, Ordering::Release);
        }
    }

    /// Closes a broken file and opens it, which takes back what was not committed.
    fn open_if_broken<R>(&self, _writing: &MutexGuard<'_, ()>) -> Result<(), Failure<R>> {
        let Some(path) = self.path.as_ref().filter(|_| self.is_broken()) else {
            return Ok(());
        };
        let file = self.purpose.name;
        self.put(Err(Shut::new("it is being opened")));
        match opening::open(path, self.purpose) {
            Ok(database) => {
                self.put(Ok(Held(Some(database))));
                self.broken.store(false, Ordering::Release);
                tracing::warn!(file, "an embedded file was opened again after a failure");
                Ok(())
            }
            Err(error) => {
                let shut = Shut::of(&error);
                self.put(Err(shut.clone()));
                tracing::error!(
                    file,
                    problem = shut.problem,
                    "an embedded file cannot be opened again; the next call tries it once more"
                );
                Err(closed(shut))
            }
        }
    }

    fn put(&self, database: Result<Held, Shut>) {
        let mut slot = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *slot, database);
        drop(slot);
        // Closed while nobody waits for it.
        drop(before);
    }
}

impl Shut {
    fn of(error: &OpenError) -> Self {
        Self {
            cause: error.cause(),
            problem: error.to_string(),
        }
    }

    fn new(problem: &str) -> Self {
        Self {
            cause: crate::Cause::Unavailable,
            problem: problem.to_owned(),
        }
    }
}

/// Begins a transaction on the database, if there is one.
fn begin<T, R>(
    slot: &Result<Held, Shut>,
    begin: impl FnOnce(&Database) -> Result<T, Failure<R>>,
) -> Result<T, Failure<R>> {
    match slot {
        Ok(Held(Some(database))) => guarded(|| begin(database)),
        Ok(Held(None)) => Err(closed(Shut::new("it is closed"))),
        Err(shut) => Err(closed(shut.clone())),
    }
}

fn closed<R>(shut: Shut) -> Failure<R> {
    Failure::File(Fault::Closed {
        cause: shut.cause,
        problem: shut.problem,
    })
}
