//! What is wrong with a pack: where, what, and how to put it right.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// One fault of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackFault {
    /// The file, or the folder if no file is to blame.
    pub file: PathBuf,
    /// The line, counted from 1, where there is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl PackFault {
    /// `file:line`, or the file alone.
    #[must_use]
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file.display()),
            None => self.file.display().to_string(),
        }
    }
}

impl fmt::Display for PackFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place(), self.message, self.remedy)
    }
}

impl std::error::Error for PackFault {}

/// The faults, one a line.
pub(crate) fn lines(faults: &[PackFault]) -> String {
    let lines: Vec<_> = faults.iter().map(|fault| format!("  {fault}")).collect();
    lines.join("\n")
}

/// The faults found so far: loading goes on after a fault, so that one run shows them all.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: Vec<PackFault>,
    /// What does not keep a pack from being served.
    warnings: Vec<PackFault>,
}

impl Faults {
    /// Notes a fault.
    pub(crate) fn add(
        &mut self,
        file: &Path,
        line: impl Into<Option<usize>>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.found.push(PackFault {
            file: file.to_path_buf(),
            line: line.into(),
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    /// Notes something to look at.
    pub(crate) fn warn(&mut self, warning: PackFault) {
        self.warnings.push(warning);
    }

    /// Takes what there is to look at out, in the order in which it was found.
    pub(crate) fn take_warnings(&mut self) -> Vec<PackFault> {
        self.warnings.dedup();
        std::mem::take(&mut self.warnings)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The faults by file, line and text, each once.
    pub(crate) fn into_sorted(mut self) -> Vec<PackFault> {
        self.found.sort_by(|a, b| {
            (&a.file, a.line, &a.message, &a.remedy).cmp(&(&b.file, b.line, &b.message, &b.remedy))
        });
        self.found.dedup();
        self.found
    }
}

/// Where one file's faults go.
pub(crate) struct Sink<'a> {
    file: &'a Path,
    faults: &'a mut Faults,
}

impl<'a> Sink<'a> {
    /// A sink for the faults of `file`.
    pub(crate) fn new(file: &'a Path, faults: &'a mut Faults) -> Self {
        Self { file, faults }
    }

    /// Notes a fault of this file.
    pub(crate) fn add(
        &mut self,
        line: impl Into<Option<usize>>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.faults.add(self.file, line, message, remedy);
    }

    /// Notes something to look at in this file.
    pub(crate) fn warn(
        &mut self,
        line: usize,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.faults.warn(PackFault {
            file: self.file.to_path_buf(),
            line: Some(line),
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    /// How many faults there are, to see whether some reading added to them.
    pub(crate) fn count(&self) -> usize {
        self.faults.found.len()
    }
}
