//! A new file that takes the place of one in use: filled in as many steps as its owner likes while the old one serves,
//! and put in its place in one. A process that is killed meanwhile leaves the one or the other, whole.

use std::{
    fs,
    path::{Path, PathBuf},
};

use redb::{Database, Durability, WriteTransaction};

use crate::{
    error::OpenError,
    failure::{Failure, guarded},
    opening::{self, Purpose},
    place::{not_made, sync_folder},
};

/// A new file beside the one in use. Dropped, it is removed.
#[derive(Debug)]
pub struct Replacement {
    new: Removed,
    purpose: Purpose,
    database: Database,
}

/// A file that is removed when this is dropped, if it is still there.
#[derive(Debug)]
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // The next start removes what could not be removed now.
        let _ = fs::remove_file(&self.0);
    }
}

impl Replacement {
    /// An empty file beside the one at `path`.
    pub(crate) fn begin(path: &Path, purpose: Purpose) -> Result<Self, OpenError> {
        let new = Removed(opening::make_beside(path, purpose)?);
        let database = opening::open_new(&new.0, purpose)?;
        Ok(Self {
            new,
            purpose,
            database,
        })
    }

    /// Writes into the new file as one transaction. `synced`: all that was written so far is on disk when this returns.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the work says why not. It can only be dropped then.
    pub fn write<R>(
        &self,
        synced: bool,
        work: impl FnOnce(&WriteTransaction) -> Result<(), Failure<R>>,
    ) -> Result<(), Failure<R>> {
        guarded(|| {
            let mut transaction = self.database.begin_write()?;
            if synced {
                transaction.set_two_phase_commit(true);
            } else {
                transaction.set_durability(Durability::None)?;
            }
            work(&transaction)?;
            Ok(transaction.commit()?)
        })
    }

    /// Puts the new file in the place of the one at `path`. The new one is open afterwards, the old one has no name.
    pub(crate) fn take_place(self, path: &Path) -> Result<Database, NotReplaced> {
        let Self {
            new,
            purpose,
            database,
        } = self;
        // Closed, it is as short as can be, and either of its last two commits has all of it.
        let closed: Result<(), Failure> = guarded(|| Ok(database.close()?));
        let database = closed
            .map_err(|failure| opening::failed(path, purpose, failure))
            .and_then(|()| opening::open_new(&new.0, purpose))
            .map_err(NotReplaced::Before)?;
        fs::rename(&new.0, path).map_err(|source| NotReplaced::Before(not_made(path, source)))?;
        // Until then a power cut may bring the old one back.
        sync_folder(path).map_err(|source| NotReplaced::After(not_made(path, source)))?;
        Ok(database)
    }
}

/// Why a file did not take the place of another one.
pub(crate) enum NotReplaced {
    /// The old one is where it was.
    Before(OpenError),
    /// The new one is there, but perhaps not for certain.
    After(OpenError),
}
