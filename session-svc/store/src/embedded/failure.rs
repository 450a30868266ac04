//! Why a transaction on the file did not go through.

use std::io;

use crate::StoreError;

/// The file cannot be read or written; what was begun must not be committed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The database says why.
    Storage(Box<redb::Error>),
    /// The file is closed after an earlier failure, and could not be opened again yet.
    Closed(StoreError),
    /// A row of the store's own is not what the store wrote.
    Damaged(&'static str),
}

impl Failure {
    /// What the caller is told. That nothing was written is for the caller to see to.
    pub(super) fn kind(&self) -> StoreError {
        match self {
            Self::Storage(error) => match error.as_ref() {
                redb::Error::Io(error) => of_io(error),
                redb::Error::Corrupted(_) => StoreError::Corrupted,
                _ => StoreError::Unavailable,
            },
            Self::Closed(kind) => *kind,
            Self::Damaged(_) => StoreError::Corrupted,
        }
    }

    /// The store's own words, for the operator.
    pub(super) fn log(&self) {
        match self {
            Self::Storage(error) => {
                tracing::error!(%error, "the embedded store cannot read or write; check the disk and its room");
            }
            Self::Closed(_) => {
                tracing::debug!("the embedded store is closed until it can be opened again");
            }
            Self::Damaged(what) => {
                tracing::error!(
                    what,
                    "the embedded store is damaged; restore it from a backup"
                );
            }
        }
    }
}

/// What an error of the disk stands for.
fn of_io(error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        _ => StoreError::Unavailable,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_disk_say_whether_it_is_full_or_takes_no_writes() {
        let kind = |kind: io::ErrorKind| {
            Failure::from(redb::StorageError::Io(io::Error::from(kind))).kind()
        };
        assert_eq!(kind(io::ErrorKind::StorageFull), StoreError::Full);
        assert_eq!(kind(io::ErrorKind::QuotaExceeded), StoreError::Full);
        assert_eq!(kind(io::ErrorKind::FileTooLarge), StoreError::Full);
        assert_eq!(
            kind(io::ErrorKind::ReadOnlyFilesystem),
            StoreError::ReadOnly
        );
        assert_eq!(kind(io::ErrorKind::PermissionDenied), StoreError::ReadOnly);
        assert_eq!(kind(io::ErrorKind::Other), StoreError::Unavailable);
    }
}
