//! Why a file cannot be opened.

use std::{io, path::PathBuf};

use crate::failure::{Cause, cause_of_io};

/// Why a file cannot be opened. What it says is left as it is.
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
    /// Another process has the file open.
    #[error("{} is in use by another process; stop that process or name another file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file is empty, cut off, damaged, or of something else.
    #[error("{} cannot be read as {content}: {problem}; {remedy}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        content: &'static str,
        /// What is wrong with it.
        problem: String,
        /// What can be done.
        remedy: &'static str,
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

impl OpenError {
    /// What it comes to for whoever wanted to read or write.
    pub(crate) fn cause(&self) -> Cause {
        match self {
            Self::Create { source, .. } => cause_of_io(source),
            Self::Open { source, .. } => match source.as_ref() {
                redb::Error::Io(error) => cause_of_io(error),
                _ => Cause::Unavailable,
            },
            Self::Damaged { .. } | Self::Newer { .. } => Cause::Damaged,
            Self::InUse { .. } => Cause::Unavailable,
        }
    }
}
