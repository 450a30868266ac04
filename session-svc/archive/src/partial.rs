//! A file that is not finished: it has a name of its own until all of it is on disk, and is removed if it never is.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use crate::{
    dir::{ArchiveDir, PRIVATE_FILE},
    error::ArchiveError,
    line::MAX_LINE_BYTES,
    name::ArchiveName,
};

/// An archive on its way.
#[derive(Debug)]
pub(crate) struct Partial {
    dir: ArchiveDir,
    name: ArchiveName,
    path: PathBuf,
    file: BufWriter<File>,
    published: bool,
}

impl Partial {
    /// Begins a file; nothing of this name may be there.
    pub(crate) fn create(dir: &ArchiveDir, name: &ArchiveName) -> Result<Self, ArchiveError> {
        let path = dir.root().join(name.partial());
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(PRIVATE_FILE)
            .open(&path)
            .map_err(ArchiveError::io("create", &path))?;
        Ok(Self {
            dir: dir.clone(),
            name: name.clone(),
            path,
            file: BufWriter::new(file),
            published: false,
        })
    }

    /// Appends a line.
    pub(crate) fn write_line(&mut self, line: &[u8]) -> Result<(), ArchiveError> {
        if line.len() >= MAX_LINE_BYTES {
            return Err(ArchiveError::LineTooLong {
                bytes: line.len(),
                limit: MAX_LINE_BYTES,
            });
        }
        self.file
            .write_all(line)
            .and_then(|()| self.file.write_all(b"\n"))
            .map_err(ArchiveError::io("write", &self.path))
    }

    /// Brings all of it to disk and gives it the archive's name, in one step, in place of a file that had it.
    pub(crate) fn publish(mut self) -> Result<(), ArchiveError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(ArchiveError::io("write", &self.path))?;
        let path = self.dir.root().join(self.name.as_str());
        fs::rename(&self.path, &path).map_err(ArchiveError::io("create", &path))?;
        self.published = true;
        self.dir.sync()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.published {
            // If this fails, too, the next erasure or retention removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
