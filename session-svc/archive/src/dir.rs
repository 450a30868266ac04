//! The directory of the archives: private, and nothing outside of it is ever touched.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{error::ArchiveError, name::ArchiveName};

/// Rights of the directory: its owner's only.
const PRIVATE_DIR: u32 = 0o700;
/// Rights of each file: its owner's only.
pub(crate) const PRIVATE_FILE: u32 = 0o600;
/// Held shared by each writer, and alone by whoever changes or deletes archives.
const LOCK_FILE: &str = ".lock";

/// A directory of archives.
#[derive(Debug, Clone)]
pub struct ArchiveDir {
    root: PathBuf,
}

/// What lies in a directory.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) archives: Vec<ArchiveName>,
    pub(crate) partials: Vec<ArchiveName>,
    /// Names of archives that belong to links, directories or devices.
    pub(crate) refused: Vec<String>,
    pub(crate) others: Vec<String>,
}

/// A lock that ends when it is dropped, or with the process.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl ArchiveDir {
    /// Opens the directory and makes it, with the directories above it, if it is not there.
    ///
    /// One that is open to other users is made private, unless it holds files that are no archives: then it may be
    /// somebody's home or a shared directory, and is refused.
    ///
    /// # Errors
    /// [`ArchiveError::OpenToOthers`], [`ArchiveError::NotADirectory`], [`ArchiveError::Io`].
    pub fn open(root: &Path) -> Result<Self, ArchiveError> {
        DirBuilder::new()
            .recursive(true)
            .mode(PRIVATE_DIR)
            .create(root)
            .map_err(ArchiveError::io("create", root))?;
        let dir = Self::existing(root)?;
        let found = fs::metadata(&dir.root).map_err(ArchiveError::io("read", &dir.root))?;
        let mode = found.permissions().mode() & 0o777;
        if mode != PRIVATE_DIR {
            if mode & 0o077 != 0 && !dir.list()?.others.is_empty() {
                return Err(ArchiveError::OpenToOthers { path: dir.root });
            }
            fs::set_permissions(&dir.root, Permissions::from_mode(PRIVATE_DIR))
                .map_err(ArchiveError::io("make private", &dir.root))?;
        }
        Ok(dir)
    }

    /// The directory as it is, for reading.
    pub(crate) fn existing(root: &Path) -> Result<Self, ArchiveError> {
        let root = fs::canonicalize(root).map_err(ArchiveError::io("find", root))?;
        if !root.is_dir() {
            return Err(ArchiveError::NotADirectory { path: root });
        }
        Ok(Self { root })
    }

    /// The directory's canonical path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The names of all finished archives, in the order of their times.
    ///
    /// # Errors
    /// [`ArchiveError::Io`].
    pub fn names(&self) -> Result<Vec<String>, ArchiveError> {
        let archives = self.list()?.archives;
        Ok(archives
            .into_iter()
            .map(|name| name.as_str().to_owned())
            .collect())
    }

    pub(crate) fn list(&self) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        let failed = || ArchiveError::io("list", &self.root);
        for entry in fs::read_dir(&self.root).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == LOCK_FILE {
                continue;
            }
            let archive = ArchiveName::parse(&name);
            let partial = ArchiveName::parse_partial(&name);
            match (archive, partial) {
                (None, None) => listing.others.push(name),
                _ if !entry.file_type().map_err(failed())?.is_file() => listing.refused.push(name),
                (Some(archive), _) => listing.archives.push(archive),
                (None, Some(partial)) => listing.partials.push(partial),
            }
        }
        listing.archives.sort();
        listing.partials.sort();
        listing.refused.sort();
        listing.others.sort();
        Ok(listing)
    }

    /// Opens an archive for reading.
    pub(crate) fn open_archive(&self, name: &ArchiveName) -> Result<File, ArchiveError> {
        let path = self.inside(name.as_str())?;
        open_regular(&path)
    }

    /// Deletes a file of the directory.
    pub(crate) fn delete(&self, file_name: &str) -> Result<(), ArchiveError> {
        let path = self.inside(file_name)?;
        fs::remove_file(&path).map_err(ArchiveError::io("delete", &path))
    }

    /// Makes what was renamed or deleted outlast a power cut.
    pub(crate) fn sync(&self) -> Result<(), ArchiveError> {
        File::open(&self.root)
            .and_then(|dir| dir.sync_all())
            .map_err(ArchiveError::io("sync", &self.root))
    }

    /// Waits until nobody changes archives, and keeps it so.
    pub(crate) fn lock_shared(&self) -> Result<Lock, ArchiveError> {
        self.lock(File::lock_shared)
    }

    /// Waits until nobody writes or changes archives, and keeps it so. No unfinished file is anybody's then.
    pub(crate) fn lock_alone(&self) -> Result<Lock, ArchiveError> {
        self.lock(File::lock)
    }

    fn lock(&self, take: impl FnOnce(&File) -> io::Result<()>) -> Result<Lock, ArchiveError> {
        let path = self.root.join(LOCK_FILE);
        // Only a link that was there before could lead elsewhere; nobody else can put one into a private directory.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(ArchiveError::NotInside { path });
        }
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(PRIVATE_FILE)
            .open(&path)
            .map_err(ArchiveError::io("open", &path))?;
        take(&file).map_err(ArchiveError::io("lock", &path))?;
        Ok(Lock { _file: file })
    }

    /// The path of a regular file in the directory; neither it nor anything above it is a link.
    fn inside(&self, file_name: &str) -> Result<PathBuf, ArchiveError> {
        let path = self.root.join(file_name);
        let found = fs::symlink_metadata(&path).map_err(ArchiveError::io("find", &path))?;
        let canonical = fs::canonicalize(&path).map_err(ArchiveError::io("find", &path))?;
        if !found.is_file() || canonical != path || path.parent() != Some(&self.root) {
            return Err(ArchiveError::NotInside { path });
        }
        Ok(path)
    }
}

/// Opens a regular file for reading, and no link.
pub(crate) fn open_regular(path: &Path) -> Result<File, ArchiveError> {
    // Before opening: a pipe would wait for its other end.
    let before = fs::symlink_metadata(path).map_err(ArchiveError::io("find", path))?;
    let not_inside = || ArchiveError::NotInside {
        path: path.to_owned(),
    };
    if !before.is_file() {
        return Err(not_inside());
    }
    let file = File::open(path).map_err(ArchiveError::io("open", path))?;
    let opened = file.metadata().map_err(ArchiveError::io("read", path))?;
    // After: what was opened is what was looked at, whoever renamed what in between.
    if before.dev() != opened.dev() || before.ino() != opened.ino() {
        return Err(not_inside());
    }
    Ok(file)
}
