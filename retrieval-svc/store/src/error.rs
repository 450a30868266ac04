//! Why a store cannot be opened.

use std::{io, path::PathBuf};

/// Why a store cannot be opened. What the file says is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or the file cannot be made.
    #[error("cannot create {}; name a place that this user may write to", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process has the store open.
    #[error("{} is in use by another process; stop that process or name another file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file is cut off, damaged, or no store at all.
    #[error(
        "{} cannot be read as a store of sources: {problem}; restore it from a backup, or move it away and upload the sources again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file was written by a newer version.
    #[error(
        "{} has format {found}, and this version reads formats up to {known}; run the newer version, or restore a backup from before it",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u64,
        /// The newest format that this version reads.
        known: u64,
    },
    /// The file cannot be opened or written.
    #[error("cannot open {}; check the disk, its room and who may write there", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<redb::Error>,
    },
}
