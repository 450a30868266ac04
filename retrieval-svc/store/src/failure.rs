//! Why a transaction did not go through.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use turnwise_retrieval_index::sources::SourceError;

/// A transaction that was not committed, or not for certain.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The database says why.
    Storage(Box<redb::Error>),
    /// The file was closed after an earlier failure and could not be opened again.
    Closed(String),
    /// The database panicked, as it does where its pages make no sense.
    Panicked,
    /// The request itself is at fault; the file is well.
    Refused(SourceError),
}

impl Failure {
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
            Self::Closed(_) | Self::Refused(_) => false,
        }
    }

    /// Tells the operator, unless the request itself is at fault.
    pub(crate) fn log(&self, purpose: &'static str) {
        if !matches!(self, Self::Refused(_)) {
            let problem = self.problem();
            tracing::error!(
                purpose,
                problem,
                "a file of retrieval-svc cannot be read or written; check the disk and its room"
            );
        }
    }

    /// What happened, for people.
    pub(crate) fn problem(&self) -> String {
        match self {
            Self::Storage(error) => match error.as_ref() {
                redb::Error::Io(error) => of_io(error),
                error => error.to_string(),
            },
            Self::Closed(problem) => problem.clone(),
            Self::Panicked => "its pages make no sense; restore it from a backup".to_owned(),
            Self::Refused(error) => error.to_string(),
        }
    }
}

impl From<Failure> for SourceError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            failure => Self::Unavailable(failure.problem()),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Refused(error)
    }
}

fn of_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            format!("the disk is full ({error})")
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            format!("the disk takes no writes ({error})")
        }
        _ => error.to_string(),
    }
}

macro_rules! from_storage {
    ($($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Storage(Box::new(error.into()))
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
pub(crate) fn guarded<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Panicked))
}
