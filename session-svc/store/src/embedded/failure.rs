//! Why an operation on the tables did not go through: the caller's fault, or the disk's.

use crate::error::SessionError;

/// A refused operation, or a store that cannot read or write.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing was written, and the caller is told why.
    Refused(SessionError),
    /// The transaction may be half done and must not be committed.
    Storage(Box<redb::Error>),
}

impl Failure {
    /// What the caller is told; the store's own words go to the log.
    pub(super) fn into_session_error(self) -> SessionError {
        match self {
            Self::Refused(error) => error,
            Self::Storage(error) => {
                tracing::error!(%error, "the embedded store cannot read or write; if this stays, check the disk and restart");
                SessionError::Unavailable
            }
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Refused(error)
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
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::SetDurabilityError,
    redb::CommitError
);
