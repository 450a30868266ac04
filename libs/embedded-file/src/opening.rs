//! How a database file is made and opened, and what tells whether it is one of ours.

use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadTransaction, ReadableDatabase,
    TableDefinition, TableError, WriteTransaction, backends::InMemoryBackend,
};

use crate::{
    Bytes,
    error::OpenError,
    failure::{Cause, Failure, Fault, guarded},
    place::{beside, create_private, make_folder, not_made, sync_folder},
};

/// What the file is, and its format.
const FORMAT: TableDefinition<'_, Bytes, u64> = TableDefinition::new("format");

/// Where a file's header says in what state it is, and the flag there for one that was not closed.
const STATE: u64 = 9;
const NOT_CLOSED: u8 = 0b10;

/// What a file is for.
#[derive(Debug, Clone, Copy)]
pub struct Purpose {
    /// Its name, which stands in the file.
    pub name: &'static str,
    /// The format that is written, and the newest that is read.
    pub format: u64,
    /// How much of the file the database keeps in memory at most.
    pub cache_bytes: usize,
    /// What it holds, for people: `a store of …`.
    pub content: &'static str,
    /// What an operator can do if it is damaged.
    pub remedy: &'static str,
    /// What brings the rows of a damaged file into a new one.
    pub rescue: Rescue,
}

/// Brings all rows of a damaged file into a new one; an error if it cannot, or cannot know that these are all. It is given
/// the rows as they are reached, and the path of a copy of the file for what is not reached.
pub type Rescue = fn(&ReadTransaction, &Path, &WriteTransaction) -> Result<(), Failure>;

/// Opens a file, made with its folder if it is not there; it appears under its name only once it is whole. Whoever calls
/// this holds the lock.
pub(crate) fn open_or_make(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    if !path.try_exists().map_err(|source| not_made(path, source))? {
        make(path, purpose).map_err(|failed| failed.into_open_error(path, purpose))?;
    }
    open(path, purpose)
}

/// Opens a file that is there, and makes sure that it is one of ours. Where it is damaged and all of its rows can be
/// brought out nevertheless, a new file with them takes its place.
pub(crate) fn open(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    remove_leftovers(path);
    let damage = match open_whole(path, purpose) {
        Err(damage @ OpenError::Damaged { .. }) => damage,
        opened => {
            let database = opened?;
            // A file that took another's place just before the end of its process: the name must outlive a power cut.
            sync_folder(path).map_err(|source| not_made(path, source))?;
            return Ok(database);
        }
    };
    let mended = guarded(|| Ok(mend(path, purpose)))
        .unwrap_or_else(|panicked: Failure| Err(panicked.into()));
    remove_leftovers(path);
    match mended {
        Ok(kept) => {
            tracing::error!(
                %damage,
                kept = %kept.display(),
                "the rows of a damaged file were brought into a new one; check the disk"
            );
            open_whole(path, purpose)
        }
        Err(failed) => Err(not_mended(damage, &failed.into_open_error(path, purpose))),
    }
}

/// The damage of a file, with the reason why its rows cannot be brought into a new one.
fn not_mended(damage: OpenError, failed: &OpenError) -> OpenError {
    let OpenError::Damaged {
        path,
        content,
        problem,
        remedy,
    } = damage
    else {
        return damage;
    };
    let reason = match failed {
        OpenError::Damaged { problem, .. } => problem.clone(),
        OpenError::Create { source, .. } => source.to_string(),
        OpenError::Open { source, .. } => source.to_string(),
        OpenError::InUse { .. } | OpenError::Newer { .. } => failed.to_string(),
    };
    OpenError::Damaged {
        path,
        content,
        problem: format!(
            "{problem}; its rows cannot be brought into a new file beside it: {reason}"
        ),
        remedy: match failed.cause() {
            Cause::Full => "make room there for two more copies of it, and start again",
            Cause::ReadOnly => "let this user write there, and start again",
            Cause::Damaged | Cause::Unavailable => remedy,
        },
    }
}

/// Removes what was left by a rescue that failed or was killed: its rows may be erased later, and would still be there.
fn remove_leftovers(path: &Path) {
    for suffix in ["copy", "new"] {
        let left = beside(path, suffix);
        match fs::remove_file(&left) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let left = left.display();
                tracing::warn!(%error, %left, "what a rescue left cannot be removed; remove it");
            }
            _ => {}
        }
    }
}

/// Opens a file in which every page is as it was written. Pages are looked at now because the database trusts what they
/// say of its own room, and ends the process where that makes no sense.
fn open_whole(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    let open = || {
        if fs::metadata(path).map_err(NotOpened::Create)?.len() == 0 {
            let problem = "it is empty, and no file of ours ever is: its bytes are lost";
            return Err(NotOpened::Damaged(problem.to_owned()));
        }
        let database = builder(purpose)
            .set_check_integrity_on_open(true)
            .open(path)?;
        check(&database, purpose)?;
        Ok(database)
    };
    guarded(|| Ok(open()))
        .unwrap_or_else(|panicked: Failure| Err(panicked.into()))
        .map_err(|failed: NotOpened| failed.into_open_error(path, purpose))
}

/// Brings the rows of a damaged file into a new one, which takes its place. Where the damaged one is kept.
fn mend(path: &Path, purpose: Purpose) -> Result<PathBuf, NotOpened> {
    let copy = &beside(path, "copy");
    copy_as_closed(path, copy).map_err(NotOpened::Create)?;
    // In this mode what the file says of its own room is not read.
    let damaged = builder(purpose)
        .set_concurrency_mode(ConcurrencyMode::SingleWriter)
        .open_read_only(copy)?;
    check(&damaged, purpose)?;
    let rows = damaged.begin_read().map_err(Failure::from)?;
    let new = new_file(path, purpose, |transaction| {
        (purpose.rescue)(&rows, copy, transaction)
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

/// Copies a file so that the copy says it was closed: nothing is read from one that was not. What was committed in two
/// phases is whole without that, and what was not committed is reached from nowhere.
fn copy_as_closed(path: &Path, copy: &Path) -> io::Result<()> {
    fs::copy(path, copy)?;
    let file = OpenOptions::new().read(true).write(true).open(copy)?;
    let mut state = [0];
    file.read_exact_at(&mut state, STATE)?;
    file.write_all_at(&state.map(|state| state & !NOT_CLOSED), STATE)
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

/// Why a database was not opened.
enum NotOpened {
    Fault(Fault),
    Locked,
    Damaged(String),
    Newer(u64),
    Create(io::Error),
}

impl NotOpened {
    fn into_open_error(self, path: &Path, purpose: Purpose) -> OpenError {
        let path = path.to_owned();
        let problem = match self {
            Self::Locked => return OpenError::InUse { path },
            Self::Newer(found) => {
                return OpenError::Newer {
                    path,
                    found,
                    known: purpose.format,
                };
            }
            Self::Create(source) => return OpenError::Create { path, source },
            Self::Damaged(problem) => problem,
            Self::Fault(Fault::Storage(source)) => match *source {
                redb::Error::Corrupted(problem) => problem,
                // Reads beyond the end, and headers that are none.
                redb::Error::Io(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
                    ) =>
                {
                    error.to_string()
                }
                source => {
                    let source = Box::new(source);
                    return OpenError::Open { path, source };
                }
            },
            Self::Fault(fault) => fault.problem(),
        };
        OpenError::Damaged {
            path,
            content: purpose.content,
            problem,
            remedy: purpose.remedy,
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
            error => Failure::from(error).into(),
        }
    }
}

impl From<Failure> for NotOpened {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(fault) => Self::Fault(fault),
            Failure::Owner(never) => match never {},
        }
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
    // A process that was killed while it made its first file may have left something.
    file.set_len(0).map_err(NotOpened::Create)?;
    drop(file);
    let database = builder(purpose).create(&new)?;
    mark(&database, purpose, fill)?;
    database.close()?;
    Ok(new)
}

/// Makes an empty file beside the one at `path`; its path.
pub(crate) fn make_beside(path: &Path, purpose: Purpose) -> Result<PathBuf, OpenError> {
    guarded(|| Ok(new_file(path, purpose, |_| Ok(()))))
        .unwrap_or_else(|panicked: Failure| Err(panicked.into()))
        .map_err(|failed| failed.into_open_error(path, purpose))
}

/// Opens a file that this process has just written and closed: nobody need look at its pages.
pub(crate) fn open_new(path: &Path, purpose: Purpose) -> Result<Database, OpenError> {
    guarded(|| Ok(builder(purpose).open(path)?)).map_err(|failure| failed(path, purpose, failure))
}

/// A failure of the database as one of opening it.
pub(crate) fn failed(path: &Path, purpose: Purpose, failure: Failure) -> OpenError {
    NotOpened::from(failure).into_open_error(path, purpose)
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
