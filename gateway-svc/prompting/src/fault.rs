//! What is wrong with a prompt sheet, and why a prompt could not be made.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// One fault of one sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetFault {
    /// The sheet's file; of a built-in one its name.
    pub file: PathBuf,
    /// The line, counted from 1, where there is one.
    pub line: Option<usize>,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl fmt::Display for SheetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file.display(), self.message),
            None => write!(f, "{}: {}", self.file.display(), self.message),
        }
    }
}

/// Why a set of sheets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// The folder or a file in it cannot be read.
    #[error("{path} cannot be read; check that it is there and may be read")]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Some sheets are broken: all their faults, by file and line.
    #[error("prompt sheets have faults; correct them:{}", lines(.0))]
    Faulty(Vec<SheetFault>),
    /// The template engine refuses how this crate sets it up.
    #[error("the template engine cannot be set up; report this as a bug")]
    Engine(#[source] minijinja::Error),
}

fn lines(faults: &[SheetFault]) -> String {
    faults.iter().map(|fault| format!("\n  {fault}")).collect()
}

/// Why a prompt could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The locale is no language tag.
    #[error("`{0}` is not a language tag; give one such as `en` or `de-CH`")]
    Locale(String),
    /// A sheet failed in a part that was not tried when it was loaded.
    #[error("{0}; correct the sheet")]
    Sheet(SheetFault),
    /// Data could not be written as JSON.
    #[error("the data of a prompt cannot be written as JSON")]
    Json(#[source] serde_json::Error),
}

pub(crate) fn fault(file: &Path, line: Option<usize>, message: String) -> SheetFault {
    SheetFault {
        file: file.to_owned(),
        line,
        message,
    }
}

/// What the template engine says, as a fault of this sheet.
pub(crate) fn engine_fault(file: &Path, error: &minijinja::Error) -> SheetFault {
    let message = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    fault(file, error.line(), message)
}
