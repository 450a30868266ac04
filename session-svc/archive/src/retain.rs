//! Deleting archives past their time.

use jiff::Timestamp;

use crate::{dir::ArchiveDir, error::ArchiveError};

/// What retention deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retained {
    /// The names of the archives, oldest first.
    pub deleted: Vec<String>,
    /// How many files that nobody had finished.
    pub unfinished: u64,
    /// The names of links, directories and devices that are called like an archive; they were left alone.
    pub refused: Vec<String>,
}

impl ArchiveDir {
    /// Deletes the archives written before `older_than`, by the time in their headers, and files that nobody finished.
    /// An archive whose header cannot be read goes by the time in its name.
    ///
    /// Waits until no archive is being written: a caller that holds a [`Writer`](crate::Writer) would wait for itself.
    /// Nothing is touched but what has an archive's name, is a regular file and lies in the directory.
    ///
    /// # Errors
    /// [`ArchiveError::Io`]; some may be deleted by then.
    pub fn retain(&self, older_than: Timestamp) -> Result<Retained, ArchiveError> {
        let _lock = self.lock_alone()?;
        let unfinished = self.remove_unfinished()?;
        let listing = self.list()?;
        let mut done = Retained {
            deleted: Vec::new(),
            unfinished,
            refused: listing.refused,
        };
        for name in listing.archives {
            let written = match self.header(&name)? {
                Ok(header) => Some(header.create_time),
                Err(_) => name.time(),
            };
            if written.is_some_and(|time| time < older_than) {
                self.delete(name.as_str())?;
                done.deleted.push(name.as_str().to_owned());
            }
        }
        if !done.deleted.is_empty() {
            self.sync()?;
        }
        Ok(done)
    }
}
