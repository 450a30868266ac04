//! What the child tells its parent: one message a line, in JSON.

use serde::{Deserialize, Serialize};

use crate::Reason;

/// A message of the child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// A page that was read.
    Page(Page),
    /// A page that could not be read, from 1.
    Unreadable(u32),
    /// The document cannot be read.
    Failed(Failure),
    /// All pages were told.
    Done,
}

/// A page's lines, in the order in which the page draws them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Page {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its lines.
    pub(super) lines: Vec<Line>,
}

/// A line of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    /// The size of its first letter, in half points.
    pub(super) size: u32,
    /// The space above it is larger than between lines of a paragraph.
    pub(super) gap: bool,
    /// Its text.
    pub(super) text: String,
}

/// Why the document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failure {
    /// It is over the bound of bytes.
    TooManyBytes,
    /// It is over the bound of pages.
    TooManyPages,
    /// It is over the bound of text.
    TooMuchText,
    /// It is no PDF, or has no page that can be found.
    NotAPdf,
    /// It needs a password.
    Encrypted,
    /// The child could not limit itself, so it read nothing.
    NoLimits,
}

impl Failure {
    pub(super) fn reason(self) -> Reason {
        match self {
            Self::TooManyBytes | Self::TooManyPages | Self::TooMuchText => Reason::TooLarge,
            Self::NotAPdf => Reason::NotAPdf,
            Self::Encrypted => Reason::Encrypted,
            Self::NoLimits => Reason::Crashed,
        }
    }
}
