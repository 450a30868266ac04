//! YAML read into a tree that knows the line of every key and value.
//!
//! The tree is built from parser events rather than by serde, for two reasons: all faults of a file
//! come out in one run, not the first alone, and a plain scalar keeps its spelling (`answer: 1.50`
//! stays `1.50`).

use std::borrow::Cow;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle};

use crate::fault::Sink;

/// Deeper nesting than any pack has; keeps what walks the tree off the end of its stack.
const MAX_DEPTH: usize = 32;

/// A value and the line it starts on, counted from 1.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub(crate) line: usize,
    /// Whether it is a scalar without quotes, which may be meant as a number.
    pub(crate) plain: bool,
    pub(crate) value: Value<'t>,
}

/// What a node holds.
#[derive(Debug)]
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
#[derive(Debug)]
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
    let mut builder = Builder {
        offset: first_line.saturating_sub(1),
        frames: Vec::new(),
        root: None,
        documents: 0,
    };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                let line = builder.offset + span.start.line();
                if !builder.take(event, line, sink) {
                    return None;
                }
            }
            Err(error) => {
                sink.add(
                    builder.offset + error.marker().line(),
                    format!("this is not YAML: {}", error.info().replace('\n', " ")),
                    "check indentation, colons and quotes here and on the line above; put text \
                     that holds `: ` or ` #`, or starts with a sign, in single quotes",
                );
                return None;
            }
        }
    }
    Some(builder.root.unwrap_or(Node {
        line: first_line,
        plain: false,
        value: Value::Null,
    }))
}

/// An open list or map while its events come in.
enum Frame<'t> {
    List {
        line: usize,
        items: Vec<Node<'t>>,
    },
    Map {
        line: usize,
        entries: Vec<Entry<'t>>,
        key: Option<(Cow<'t, str>, usize)>,
    },
}

struct Builder<'t> {
    offset: usize,
    frames: Vec<Frame<'t>>,
    root: Option<Node<'t>>,
    documents: usize,
}

impl<'t> Builder<'t> {
    /// Takes one event; false ends the reading.
    fn take(&mut self, event: Event<'t>, line: usize, sink: &mut Sink<'_>) -> bool {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    sink.add(
                        line,
                        "a second YAML document starts here",
                        "keep one document in a file: remove this `---`",
                    );
                    return false;
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return self.refuse_reference(line, sink);
                }
                if self.wants_key() {
                    self.start_entry(text, line, sink);
                } else {
                    let plain = style == ScalarStyle::Plain;
                    let value = if plain && is_null(&text) {
                        Value::Null
                    } else {
                        Value::Scalar(text)
                    };
                    self.place(Node { line, plain, value });
                }
            }
            Event::SequenceStart(_, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return self.refuse_reference(line, sink);
                }
                return self.open(
                    Frame::List {
                        line,
                        items: Vec::new(),
                    },
                    line,
                    sink,
                );
            }
            Event::MappingStart(_, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return self.refuse_reference(line, sink);
                }
                let frame = Frame::Map {
                    line,
                    entries: Vec::new(),
                    key: None,
                };
                return self.open(frame, line, sink);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.frames.pop() {
                Some(Frame::List { line, items }) => self.place(Node {
                    line,
                    plain: false,
                    value: Value::List(items),
                }),
                Some(Frame::Map { line, entries, .. }) => self.place(Node {
                    line,
                    plain: false,
                    value: Value::Map(entries),
                }),
                None => {}
            },
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return self.refuse_reference(line, sink);
            }
            _ => {}
        }
        true
    }

    fn refuse_reference(&self, line: usize, sink: &mut Sink<'_>) -> bool {
        sink.add(
            line,
            "YAML anchors (`&name`), aliases (`*name`) and tags (`!name`) are not part of the format",
            "write the value out in full; put text that starts with `&`, `*` or `!` in single quotes",
        );
        false
    }

    fn wants_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Map { key: None, .. }))
    }

    fn open(&mut self, frame: Frame<'t>, line: usize, sink: &mut Sink<'_>) -> bool {
        if self.wants_key() {
            sink.add(
                line,
                "a list or a map stands where a key belongs",
                "make the key a plain word; put text that starts with `[` or `{` in single quotes",
            );
            return false;
        }
        if self.frames.len() >= MAX_DEPTH {
            sink.add(
                line,
                format!("more than {MAX_DEPTH} levels of nesting"),
                "no part of a pack nests that deep: check the indentation",
            );
            return false;
        }
        self.frames.push(frame);
        true
    }

    fn start_entry(&mut self, text: Cow<'t, str>, line: usize, sink: &mut Sink<'_>) {
        if let Some(Frame::Map { entries, key, .. }) = self.frames.last_mut() {
            // Maps of the format are small, so a scan is cheap; an absurd one is unknown keys
            // anyway and is not worth an index.
            if let Some(first) = entries.iter().take(64).find(|e| e.key == text) {
                sink.add(
                    line,
                    format!(
                        "the key `{text}` stands here a second time (first on line {})",
                        first.line
                    ),
                    "keep one of the two",
                );
            }
            *key = Some((text, line));
        }
    }

    /// Puts a finished node where it belongs; a repeated key's value is dropped.
    fn place(&mut self, node: Node<'t>) {
        match self.frames.last_mut() {
            None => self.root = Some(node),
            Some(Frame::List { items, .. }) => items.push(node),
            Some(Frame::Map { entries, key, .. }) => {
                if let Some((key, line)) = key.take()
                    && !entries.iter().take(64).any(|e| e.key == key)
                {
                    entries.push(Entry { key, line, node });
                }
            }
        }
    }
}

/// Whether an unquoted scalar stands for nothing.
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}
