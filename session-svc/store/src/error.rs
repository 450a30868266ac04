//! What can go wrong with a store, while it runs and when it is opened.

use std::{io, path::PathBuf};

use crate::Key;

/// Why a transaction was not answered. It may have been done or not, as a whole, unless its variant says otherwise; the
/// store's own words are in the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store does not answer, or cannot write.
    #[error("the store does not answer")]
    Unavailable,
    /// The store answers too slowly.
    #[error("the store does not answer in time")]
    TimedOut,
    /// The store has no room: the disk or Redis' memory is full. Nothing was written.
    #[error("the store is full")]
    Full,
    /// The store's files or its Redis server take no writes now. Nothing was written.
    #[error("the store takes no writes")]
    ReadOnly,
    /// Redis refused the password or the user. Nothing was written.
    #[error("the store refused the password")]
    Refused,
    /// The write is in place but too few replicas have said so: it may be lost in a failover.
    #[error("too few replicas have the write yet")]
    NotReplicated,
    /// Something is stored that this version cannot read.
    #[error("something in the store cannot be read")]
    Corrupted,
    /// What is stored under a name is not what was written, and the transaction needs it. Nothing was written.
    #[error("what is stored under `{}` is not what was written", key.as_str())]
    Damaged {
        /// The name.
        key: Key,
    },
}

/// Why a store cannot be opened. The messages never hold a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Redis cannot be opened.
    #[error(transparent)]
    Redis(#[from] turnwise_redis::OpenError),
    /// The file of the embedded store cannot be opened.
    #[error(transparent)]
    File(#[from] turnwise_embedded_file::OpenError),
    /// This start cannot be written into the file of the embedded store.
    #[error("cannot write to {}; check the disk and its room", path.display())]
    CountStart {
        /// The file.
        path: PathBuf,
        /// Why.
        source: StoreError,
    },
    /// Not all rows of the file of the embedded store are those that were written.
    #[error(
        "{} cannot be gone through: rows are missing, or are not those of the last commit; restore it from a backup",
        path.display()
    )]
    GoThrough {
        /// The file.
        path: PathBuf,
        /// Why.
        source: StoreError,
    },
    /// The thread that writes to the embedded store cannot be started.
    #[error(
        "cannot start the thread that writes to the store; raise the limit of threads of this user"
    )]
    StartWriter {
        /// Why.
        source: io::Error,
    },
}
