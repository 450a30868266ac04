//! How a database file is made and opened, and what tells whether it is one of ours.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadTransaction, ReadableDatabase,
    TableDefinition, TableError, WriteTransaction, backends::InMemoryBackend,
};

use crate::{
    OpenError,
    failure::{Failure, guarded},
    file::Bytes,
};

/// What the file is, and its format.
const FORMAT: TableDefinition<'_, Bytes, u64> = TableDefinition::new("format");

/// What a file is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose {
    /// Its name, which stands in the file.
    pub(crate) name: &'static str,
    /// The format that is written, and the newest that is read.
    pub(crate) format: u64,
    /// How much of the file the database keeps in memory at most.
    pub(crate) cache_bytes: usize,
    /// What brings the rows of a damaged file into a new one; an error if it cannot reach them all.
    pub(crate) rescue: fn(&ReadTransaction, &WriteTransaction) -> Result<(), Failure>,
}

/// Makes sure that no other process has the store open, for as long as the answer lives.
pub(crate) fn lock(path: &Path) -> Result<File, OpenError> {
    make_folder(path).map_err(|source| create(path, source))?;
    let lock = beside(path, "lock");
    let file = create_private(&lock).map_err(|source| create(&lock, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(create(&lock, source)),
    }
}

/// Opens a file, made with its folder if it is not there; it appears under its name only once it is whole. Whoever calls
/// this holds the [`lock`].
pub(crate) fn open_or_make(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    if !path.try_exists().map_err(|source| create(path, source))? {
        make(path, purpose).map_err(|failed| failed.into_open_error(path, purpose))?;
    }
    open(path, purpose)
}

/// Opens a file that is there, and makes sure that it is one of ours. Where it is damaged and all of its rows can be
/// reached nevertheless, a new file with them takes its place.
pub(crate) fn open(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    let opened = open_whole(path, purpose);
    if let Err(damage @ OpenError::Damaged { .. }) = &opened
        && let Ok(Ok(kept)) = guarded(|| Ok(mend(path, purpose)))
    {
        tracing::error!(
            %damage,
            kept = %kept.display(),
            "the rows of a damaged file of retrieval-svc were brought into a new one; check the disk, and upload again \
             what is listed as damaged"
        );
        return open_whole(path, purpose);
    }
    opened
}

/// Opens a file in which every page is as it was written. Pages are looked at now because the database trusts what they
/// say of its own room, and ends the process where that makes no sense.
fn open_whole(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    let open = || {
        let database = builder(purpose)
            .set_check_integrity_on_open(true)
            .open(path)?;
        check(&database, purpose)?;
        Ok(database)
    };
    guarded(|| Ok(open()))
        .unwrap_or_else(|panicked| Err(panicked.into()))
        .map_err(|failed: NotOpened| failed.into_open_error(path, purpose))
}

/// Brings the rows of a damaged file into a new one, which takes its place. Where the damaged one is kept.
fn mend(path: &Path, purpose: Purpose) -> Result<PathBuf, NotOpened> {
    // In this mode what the file says of its own room is not read.
    let damaged = builder(purpose)
        .set_concurrency_mode(ConcurrencyMode::SingleWriter)
        .open_read_only(path)?;
    check(&damaged, purpose)?;
    let rows = damaged.begin_read().map_err(Failure::from)?;
    let new = new_file(path, purpose, |transaction| {
        (purpose.rescue)(&rows, transaction)
    })?;
    let kept = beside(path, "damaged");
    match fs::remove_file(&kept) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(NotOpened::Create(error));
        }
        _ => {}
    }
    fs::hard_link(path, &kept).map_err(NotOpened::Create)?;
    put_in_place(&new, path)?;
    Ok(kept)
}

/// A database in memory.
pub(crate) fn in_memory(purpose: Purpose) -> Result<Database, OpenError> {
    let make = || {
        let database = builder(purpose).create_with_backend(InMemoryBackend::new())?;
        mark(&database, purpose, |_| Ok(()))?;
        Ok(database)
    };
    make().map_err(|failed: NotOpened| {
        failed.into_open_error(Path::new("the store in memory"), purpose)
    })
}

/// The name of a file that goes with this one.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Why a database was not opened.
enum NotOpened {
    Failure(Failure),
    Locked,
    Damaged(String),
    Newer(u64),
    Create(io::Error),
}

impl NotOpened {
    fn into_open_error(self, path: &Path, purpose: Purpose) -> OpenError {
        let path = path.to_owned();
        match self {
            Self::Locked => OpenError::InUse { path },
            Self::Damaged(problem) => OpenError::Damaged { path, problem },
            Self::Newer(found) => OpenError::Newer {
                path,
                found,
                known: purpose.format,
            },
            Self::Create(source) => OpenError::Create { path, source },
            Self::Failure(Failure::Storage(source)) => match *source {
                redb::Error::Corrupted(problem) => OpenError::Damaged { path, problem },
                // Reads beyond the end, and headers that are none.
                redb::Error::Io(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
                    ) =>
                {
                    OpenError::Damaged {
                        path,
                        problem: error.to_string(),
                    }
                }
                source => OpenError::Open {
                    path,
                    source: Box::new(source),
                },
            },
            Self::Failure(failure) => OpenError::Damaged {
                path,
                problem: failure.problem(),
            },
        }
    }
}

impl From<DatabaseError> for NotOpened {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
                Self::Locked
            }
            DatabaseError::UpgradeRequired(_) | DatabaseError::RepairAborted => {
                Self::Damaged(error.to_string())
            }
            error => Self::Failure(error.into()),
        }
    }
}

impl From<Failure> for NotOpened {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Makes a file elsewhere and moves it to its place.
fn make(path: &Path, purpose: Purpose) -> Result<(), NotOpened> {
    make_folder(path).map_err(NotOpened::Create)?;
    let new = new_file(path, purpose, |_| Ok(()))?;
    put_in_place(&new, path)
}

/// Makes a file beside the one of this name.
fn new_file(
    path: &Path,
    purpose: Purpose,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), Failure>,
) -> Result<PathBuf, NotOpened> {
    let new = beside(path, "new");
    let file = create_private(&new).map_err(NotOpened::Create)?;
    // A process that was killed while it made it may have left something.
    file.set_len(0).map_err(NotOpened::Create)?;
    drop(file);
    let database = builder(purpose).create(&new)?;
    mark(&database, purpose, fill)?;
    database.close()?;
    Ok(new)
}

fn put_in_place(new: &Path, path: &Path) -> Result<(), NotOpened> {
    fs::rename(new, path)
        .and_then(|()| sync_folder(path))
        .map_err(NotOpened::Create)
}

/// Writes down what the file is, and its first rows.
fn mark(
    database: &Database,
    purpose: Purpose,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let transaction = database.begin_write()?;
    transaction
        .open_table(FORMAT)?
        .insert(purpose.name.as_bytes(), purpose.format)?;
    fill(&transaction)?;
    transaction.commit()?;
    Ok(())
}

fn check(database: &impl ReadableDatabase, purpose: Purpose) -> Result<(), NotOpened> {
    let foreign = || NotOpened::Damaged("it is a database of something else".to_owned());
    let transaction = database.begin_read().map_err(Failure::from)?;
    let format = match transaction.open_table(FORMAT) {
        Ok(table) => table
            .get_owned(purpose.name.as_bytes())
            .map_err(Failure::from)?
            .map(|format| format.value()),
        Err(TableError::Storage(error)) => return Err(Failure::from(error).into()),
        Err(_) => return Err(foreign()),
    };
    match format {
        None => Err(foreign()),
        Some(format) if format > purpose.format => Err(NotOpened::Newer(format)),
        Some(_) => Ok(()),
    }
}

fn builder(purpose: Purpose) -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(purpose.cache_bytes);
    builder
}

fn create(path: &Path, source: io::Error) -> OpenError {
    OpenError::Create {
        path: path.to_owned(),
        source,
    }
}

/// Makes the folder of a file, for this user alone, if it is not there.
fn make_folder(path: &Path) -> io::Result<()> {
    match folder(path) {
        Some(folder) => DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}

/// Makes a file, for this user alone, if it is not there.
fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

/// Brings a new name to disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path).unwrap_or(Path::new(".")))?.sync_all()
}

fn folder(path: &Path) -> Option<&Path> {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
}
