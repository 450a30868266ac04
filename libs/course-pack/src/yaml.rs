//! YAML read into a tree that knows the line of every key and value.
//!
//! The tree is built from parser events rather than by serde, for two reasons: all faults of a file
//! come out in one run, not the first alone, and a plain scalar keeps its spelling (`answer: 1.50`
//! stays `1.50`). Files as they usually are do not even need the parser: see `plain`.

mod full;
mod plain;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::borrow::Cow;

use crate::fault::Sink;

/// Deeper nesting than any pack has; keeps what walks the tree off the end of its stack.
const MAX_DEPTH: usize = 32;

/// A value and the line it starts on, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Node<'t> {
    pub(crate) line: usize,
    pub(crate) value: Value<'t>,
}

/// What a node holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Value<'t> {
    /// Text, a number or a word like `true`, as it is spelled.
    Scalar(Cow<'t, str>),
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// A list.
    List(Vec<Node<'t>>),
    /// Keys with values, in file order, each key once.
    Map(Vec<Entry<'t>>),
}

/// A key with its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) line: usize,
    pub(crate) node: Node<'t>,
}

impl Value<'_> {
    /// The value's kind, in a teacher's words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Scalar(_) => "text",
            Self::Null => "nothing",
            Self::List(_) => "a list",
            Self::Map(_) => "keys with values",
        }
    }
}

/// Reads one YAML document; `first_line` is the file's line on which `text` starts.
///
/// Bad YAML ends the file, so it gives `None` and one fault; duplicate keys and the like are noted
/// and reading goes on. An empty document is `Null`.
pub(crate) fn parse<'t>(text: &'t str, first_line: usize, sink: &mut Sink<'_>) -> Option<Node<'t>> {
    plain::parse(text, first_line).or_else(|| full::parse(text, first_line, sink))
}

/// Whether an unquoted scalar stands for nothing.
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}
