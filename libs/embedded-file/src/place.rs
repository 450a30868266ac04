//! Where a file is: its folder, the names beside it, and the lock that keeps other processes from it.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use crate::error::OpenError;

/// Keeps every other process from the file, and from those beside it, for as long as it lives. It is a file of its own
/// (the same name with `.lock`), because a damaged file is replaced by another one.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a file, whose folder is made if it is not there.
    ///
    /// # Errors
    ///
    /// Another process has it, or the folder or the file cannot be made.
    pub fn take(path: &Path) -> Result<Self, OpenError> {
        make_folder(path).map_err(|source| not_made(path, source))?;
        let lock = beside(path, "lock");
        let file = create_private(&lock).map_err(|source| not_made(&lock, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
                path: path.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(not_made(&lock, source)),
        }
    }
}

/// The name of a file that goes with this one.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

pub(crate) fn not_made(path: &Path, source: io::Error) -> OpenError {
    OpenError::Create {
        path: path.to_owned(),
        source,
    }
}

/// Makes the folder of a file, for this user alone, if it is not there.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    match folder(path) {
        Some(folder) => DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}

/// Makes a file, for this user alone, if it is not there.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

/// Brings a new name to disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path).unwrap_or(Path::new(".")))?.sync_all()
}

fn folder(path: &Path) -> Option<&Path> {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
}
