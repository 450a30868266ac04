//! What is wrong with a file, where, and what to do about it.

use std::fmt;

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{place}: {problem}; {remedy}", if .place.is_empty() { "" } else { ", " })]
pub struct ExtractError {
    /// The file's name, as it was given.
    pub file: String,
    /// Where in it: `line 12`, `page 3`; empty: all of it.
    pub place: String,
    /// The kind of problem.
    pub reason: Reason,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl ExtractError {
    /// A problem of the whole file.
    pub(crate) fn new(
        file: &str,
        reason: Reason,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            place: String::new(),
            reason,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// The same problem, at a place.
    pub(crate) fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The file, its text or its number of chunks or pages is over the bound, or reading it takes more memory than allowed.
    TooLarge,
    /// The file holds no text.
    Empty,
    /// The file is not UTF-8.
    NotText,
    /// The file is not the transcript that it is said to be.
    NotCaptions,
    /// The file is no PDF, or one that is damaged beyond reading.
    NotAPdf,
    /// The PDF cannot be opened without its password.
    Encrypted,
    /// Reading the PDF took too long.
    Timeout,
    /// The process that read the PDF died.
    Crashed,
    /// This program was built without reading PDFs.
    NotBuilt,
}

impl Reason {
    /// The reason as messages and the child process spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "TOO_LARGE",
            Self::Empty => "EMPTY",
            Self::NotText => "NOT_TEXT",
            Self::NotCaptions => "NOT_CAPTIONS",
            Self::NotAPdf => "NOT_A_PDF",
            Self::Encrypted => "ENCRYPTED",
            Self::Timeout => "TIMEOUT",
            Self::Crashed => "CRASHED",
            Self::NotBuilt => "NOT_BUILT",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
