//! What can go wrong with a directory of archives, and what can be wrong with an archive.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why an archive was not written, read, changed or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file system refused.
    #[error("cannot {doing} `{path}`")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What it answered.
        #[source]
        source: io::Error,
    },
    /// A path that should be a directory is something else.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// Others may enter the directory, and its rights cannot be narrowed without harm to what else lies there.
    #[error(
        "`{path}` is open to other users and holds files that are no archives; name an empty directory, or make it private"
    )]
    OpenToOthers {
        /// The directory.
        path: PathBuf,
    },
    /// A name that this crate would not have given.
    #[error("`{name}` is not the name of an archive")]
    NotAName {
        /// The name.
        name: String,
    },
    /// Something that has an archive's name and is a link, a directory or a device, or lies elsewhere.
    #[error("`{path}` is not a regular file inside its directory")]
    NotInside {
        /// The path.
        path: PathBuf,
    },
    /// A class, or a time, of which no file name can be made.
    #[error("no archive can be named after the class `{class_id}` and this time")]
    NotNameable {
        /// The class.
        class_id: String,
    },
    /// A line above [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES).
    #[error("a line of {bytes} bytes is longer than the {limit} that an archive may hold")]
    LineTooLong {
        /// Its length.
        bytes: usize,
        /// The most that is allowed.
        limit: usize,
    },
    /// A value that cannot be written as JSON.
    #[error("a line of the archive cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    /// An earlier failure of this writer: its archive is given up.
    #[error("the archive was given up after an earlier failure")]
    GivenUp,
    /// Archives from which nobody can be erased for certain: they are not what was written. All others were done.
    #[error("{} cannot be read as written: {}", plural(names.len()), names.join(", "))]
    Damaged {
        /// The files' names.
        names: Vec<String>,
        /// How many records were erased all the same.
        erased: u64,
    },
}

fn plural(count: usize) -> String {
    match count {
        1 => "1 archive".to_owned(),
        n => format!("{n} archives"),
    }
}

impl ArchiveError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}

/// What is wrong with a line of an archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The first line is no header.
    #[error("this is not the header of an archive")]
    NotAHeader,
    /// A later program wrote it.
    #[error("version {version} is newer than this program reads")]
    VersionTooNew {
        /// The header's version.
        version: u32,
    },
    /// Not in the form that the writer gives its lines.
    #[error("the line is not in the form of an archive")]
    Malformed,
    /// The line is longer than any that was written.
    #[error("the line is longer than any that is written")]
    LineTooLong,
    /// Lines were removed, added or moved.
    #[error("record {expected} should stand here, not {found}")]
    OutOfOrder {
        /// The number that follows.
        expected: u64,
        /// The number that stands there.
        found: u64,
    },
    /// A body is not the one that was written.
    #[error("the body does not have its hash")]
    Body,
    /// The header, a hash or a number is not the one that was written.
    #[error("the line does not follow from those before it")]
    Chain,
    /// The last line counts more or fewer records than stand there.
    #[error("the last line counts {counted} records, and {found} stand there")]
    Count {
        /// What it counts.
        counted: u64,
        /// What stands there.
        found: u64,
    },
    /// The file ends before its last line does.
    #[error("the file is cut off")]
    CutOff,
    /// Something stands after the last line.
    #[error("something stands after the last line")]
    AfterTheEnd,
}
