//! Reading files of one folder and of nowhere else.
//!
//! A file is first opened as a mere handle, which reads nothing and waits for nobody, whatever it is. Then the kernel is
//! asked where that handle really leads. Only then is it read, through the same handle: a link that is turned elsewhere
//! in the meantime changes nothing.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::{
        fd::{AsRawFd, RawFd},
        unix::fs::OpenOptionsExt,
    },
    path::{Component, Path, PathBuf},
};

use rustix::fs::OFlags;
use tracing::warn;

use super::{MAX_BYTES, ReferenceError};

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    /// It has more bytes than [`MAX_BYTES`].
    #[error("it has more than {MAX_BYTES} bytes; shorten it")]
    TooLarge,
    /// It is not UTF-8.
    #[error("it is not text; save it as UTF-8")]
    NotText,
    /// It leads out of the folder, or is no regular file.
    #[error("it must be a regular file, and lie in its folder; copy it there")]
    Refused,
    /// It cannot be read.
    #[error("it cannot be read ({0}); check its permissions")]
    Unreadable(io::ErrorKind),
}

impl FileError {
    /// The error of a call that asked for this.
    pub(super) fn about(self, name: &str) -> ReferenceError {
        let name = name.to_owned();
        match self {
            Self::TooLarge => ReferenceError::TooLarge(name),
            Self::NotText => ReferenceError::NotText(name),
            Self::Refused => ReferenceError::Refused(name),
            Self::Unreadable(_) => ReferenceError::Unreadable(name),
        }
    }
}

/// A folder with reference texts.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    /// As the settings name it. It may be a link that is turned to another folder, as volumes do, so it is opened anew for
    /// each reading.
    path: PathBuf,
}

impl Folder {
    /// A folder that is there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.is_dir() {
            Ok(Self {
                path: path.to_path_buf(),
            })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// The text of a file of the folder; `None`: it is not there, or empty.
    pub(super) fn read(&self, name: &str) -> Result<Option<String>, FileError> {
        self.checked(name)
            .and_then(|file| file.map_or(Ok(None), |file| text_of(&file)))
            .inspect_err(|error| {
                warn!(folder = %self.path.display(), file = name, %error, "a reference text cannot be used");
            })
    }

    /// A handle on a file that lies in the folder; `None`: it is not there.
    fn checked(&self, name: &str) -> Result<Option<File>, FileError> {
        if !is_inner_path(name) {
            return Err(FileError::Refused);
        }
        let root = handle(&self.path)?.ok_or(FileError::Unreadable(io::ErrorKind::NotFound))?;
        let Some(file) = handle(&in_kernel(root.as_raw_fd()).join(name))? else {
            return Ok(None);
        };
        let inside = place_of(&file)?.starts_with(place_of(&root)?);
        inside.then_some(Some(file)).ok_or(FileError::Refused)
    }
}

/// Whether it is a path that goes downwards only, from where it starts.
pub(super) fn is_inner_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// The text of a file that the settings name, wherever it is; `None`: it is not there, or empty.
pub(super) fn read_named(path: &Path) -> Result<Option<String>, FileError> {
    handle(path)
        .and_then(|file| file.map_or(Ok(None), |file| text_of(&file)))
        .inspect_err(|error| {
            warn!(file = %path.display(), %error, "the reference text of HELPER_REFERENCE_FILE cannot be used");
        })
}

/// Opens without the right to read, so that neither a pipe nor a device is touched.
fn handle(path: &Path) -> Result<Option<File>, FileError> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    match opened {
        Ok(handle) => Ok(Some(handle)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(unreadable(error)),
    }
}

/// The kernel's name for what a handle leads to.
fn in_kernel(fd: RawFd) -> PathBuf {
    Path::new("/proc/self/fd").join(OsStr::new(&fd.to_string()))
}

/// Where it lies now, without any link.
fn place_of(handle: &File) -> Result<PathBuf, FileError> {
    fs::read_link(in_kernel(handle.as_raw_fd())).map_err(unreadable)
}

/// The text behind a handle, without a byte order mark and white space around it.
fn text_of(handle: &File) -> Result<Option<String>, FileError> {
    if !handle.metadata().map_err(unreadable)?.is_file() {
        return Err(FileError::Refused);
    }
    let file = File::open(in_kernel(handle.as_raw_fd())).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(FileError::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|_| FileError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

fn unreadable(error: io::Error) -> FileError {
    FileError::Unreadable(error.kind())
}
