//! Why a transaction did not go through.

use std::{
    convert::Infallible,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A transaction that was not committed, or not for certain.
#[derive(Debug)]
pub enum Failure<R = Infallible> {
    /// The file cannot be read or written.
    File(Fault),
    /// The owner of the file says why; the file is well.
    Owner(R),
}

/// What is wrong with a file.
#[derive(Debug)]
pub enum Fault {
    /// The database says it.
    Storage(Box<redb::Error>),
    /// It was closed after an earlier failure and could not be opened again.
    Closed {
        /// What that comes to.
        cause: Cause,
        /// Why it could not be opened, for people.
        problem: String,
    },
    /// The database panicked, as it does where its pages make no sense.
    Panicked,
}

/// What a fault comes to for whoever wanted to read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The disk is full.
    Full,
    /// The disk takes no writes.
    ReadOnly,
    /// The file is not what was written.
    Damaged,
    /// Anything else.
    Unavailable,
}

impl Fault {
    /// Whether the file must be opened again before it is used.
    pub(crate) fn breaks_file(&self) -> bool {
        match self {
            Self::Storage(error) => matches!(
                error.as_ref(),
                redb::Error::Io(_)
                    | redb::Error::PreviousIo
                    | redb::Error::DatabaseClosed
                    | redb::Error::LockPoisoned(_)
            ),
            Self::Panicked => true,
            Self::Closed { .. } => false,
        }
    }

    /// What it comes to.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Storage(error) => match error.as_ref() {
                redb::Error::Io(error) => cause_of_io(error),
                redb::Error::Corrupted(_) => Cause::Damaged,
                _ => Cause::Unavailable,
            },
            Self::Closed { cause, .. } => *cause,
            Self::Panicked => Cause::Damaged,
        }
    }

    /// What happened, for people.
    pub fn problem(&self) -> String {
        match self {
            Self::Storage(error) => match (error.as_ref(), self.cause()) {
                (redb::Error::Io(error), Cause::Full) => format!("the disk is full ({error})"),
                (redb::Error::Io(error), Cause::ReadOnly) => {
                    format!("the disk takes no writes ({error})")
                }
                (error, _) => error.to_string(),
            },
            Self::Closed { problem, .. } => problem.clone(),
            Self::Panicked => "its pages make no sense; restore it from a backup".to_owned(),
        }
    }
}

/// What an error of the disk comes to.
pub(crate) fn cause_of_io(error: &io::Error) -> Cause {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Cause::Full
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Cause::ReadOnly,
        _ => Cause::Unavailable,
    }
}

macro_rules! from_storage {
    ($($error:ty),+) => {
        $(impl<R> From<$error> for Failure<R> {
            fn from(error: $error) -> Self {
                Self::File(Fault::Storage(Box::new(error.into())))
            }
        })+
    };
}

from_storage!(
    redb::Error,
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::SetDurabilityError,
    redb::CommitError,
    redb::DatabaseError
);

/// Whatever the database does with pages that make no sense, the process lives on.
pub(crate) fn guarded<T, R>(work: impl FnOnce() -> Result<T, Failure<R>>) -> Result<T, Failure<R>> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::File(Fault::Panicked)))
}
