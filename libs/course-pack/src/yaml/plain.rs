//! YAML as packs usually have it, read in a small part of the time that the whole language takes.
//!
//! It knows maps and lists by indentation, texts (bare, in quotes, or a block below `|` or `>`), and lists and maps in
//! brackets on one line. Whatever it does not know, or is not sure of, and whatever is a fault, it leaves to the parser
//! of the whole language, so that there is one place that names faults. What it does read is the very same tree: the
//! tests below hold it to that.

mod inline;

use std::borrow::Cow;

use self::inline::{MAX_KEYS, bare, in_marks, is_blank_or_comment, item_of, key_of};
use super::{Entry, MAX_DEPTH, Node, Value, is_null};

/// Reads one document; `None` says nothing about it.
pub(super) fn parse(text: &str, first_line: usize) -> Option<Node<'_>> {
    if !is_ordinary(text) {
        return None;
    }
    let mut reader = Reader {
        rest: text,
        number: first_line.checked_sub(1)?,
        line: None,
    };
    reader.advance();
    if reader
        .line
        .is_some_and(|line| line.text == "---" && line.indent == 0)
    {
        reader.advance();
    }
    let root = reader.block(reader.line?, 0)?;
    reader.line.is_none().then_some(root)
}

/// Whether no character has a meaning of its own, but for the ends of lines.
fn is_ordinary(text: &str) -> bool {
    let bytes = text.as_bytes();
    let odd = |b: u8| (b < b' ' && b != b'\n') || b == 0x7f;
    // Without a way out of the inner loop, it looks at many bytes at a time.
    let has_odd = |part: &[u8]| part.iter().fold(false, |found, b| found | odd(*b));
    if bytes.chunks(4096).any(has_odd) {
        let ends_line = |n: usize| bytes[n] == b'\r' && bytes.get(n + 1) == Some(&b'\n');
        if (0..bytes.len()).any(|n| odd(bytes[n]) && !ends_line(n)) {
            return false;
        }
    }
    let odd = |c: char| match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' => true,
        c => c.is_control() && !c.is_ascii(),
    };
    text.is_ascii() || !text.chars().any(odd)
}

/// A line that holds more than white space and a comment.
#[derive(Clone, Copy)]
struct Line<'t> {
    number: usize,
    /// Spaces before its text.
    indent: usize,
    /// Without white space around it.
    text: &'t str,
}

struct Reader<'t> {
    /// What follows the current line.
    rest: &'t str,
    /// The number of the last line taken from the rest.
    number: usize,
    /// The current line; `None` at the end.
    line: Option<Line<'t>>,
}

impl<'t> Reader<'t> {
    /// Takes the next line as it stands, without its end.
    fn raw(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Moves on to the next line that holds something.
    fn advance(&mut self) {
        self.line = None;
        while let Some(raw) = self.raw() {
            let text = raw.trim_start_matches(' ');
            if !text.is_empty() && !text.starts_with('#') {
                self.line = Some(Line {
                    number: self.number,
                    indent: raw.len() - text.len(),
                    text: text.trim_end_matches(' '),
                });
                return;
            }
        }
    }

    /// The list or map that begins with this line.
    fn block(&mut self, first: Line<'t>, depth: usize) -> Option<Node<'t>> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let value = if item_of(first.text).is_some() {
            Value::List(self.list(first.indent, depth)?)
        } else {
            Value::Map(self.map(first, depth)?)
        };
        // What is indented between this block and the one around it belongs to neither.
        if self.line.is_some_and(|line| line.indent > first.indent) {
            return None;
        }
        Some(Node {
            line: first.number,
            value,
        })
    }

    fn list(&mut self, indent: usize, depth: usize) -> Option<Vec<Node<'t>>> {
        let mut items = Vec::new();
        while let Some(line) = self.line
            && line.indent == indent
            && let Some(text) = item_of(line.text)
        {
            let item = Line {
                indent: line.indent + line.text.len() - text.len(),
                text,
                ..line
            };
            if key_of(text).is_some() {
                items.push(self.block(item, depth + 1)?);
            } else {
                items.push(self.value(item, indent, depth)?);
            }
        }
        Some(items)
    }

    /// The map whose first line is this one, which need not be where a line begins.
    fn map(&mut self, first: Line<'t>, depth: usize) -> Option<Vec<Entry<'t>>> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let mut next = Some(first);
        while let Some(line) = next
            && line.indent == first.indent
            && item_of(line.text).is_none()
        {
            let (key, text) = key_of(line.text)?;
            if entries.len() >= MAX_KEYS || entries.iter().any(|e| e.key == key) {
                return None;
            }
            let node = if text.is_empty() {
                self.advance();
                let below = self.line?;
                let deeper = below.indent > line.indent;
                let list_beside = below.indent == line.indent && item_of(below.text).is_some();
                if !deeper && !list_beside {
                    return None;
                }
                self.block(below, depth + 1)?
            } else {
                self.value(Line { text, ..line }, line.indent, depth)?
            };
            entries.push(Entry {
                key: Cow::Borrowed(key),
                line: line.number,
                node,
            });
            next = self.line;
        }
        Some(entries)
    }

    /// The value that begins with this line's text, inside a block of this indentation; moves behind it.
    fn value(&mut self, line: Line<'t>, indent: usize, depth: usize) -> Option<Node<'t>> {
        let mut number = line.number;
        let value = match line.text.as_bytes().first()? {
            b'|' | b'>' => {
                number += 1;
                Value::Scalar(self.block_text(line.text, indent)?)
            }
            b'\'' | b'"' | b'[' | b'{' => match in_marks(line.text, line.number, depth + 1) {
                Some((value, rest)) if is_blank_or_comment(rest) => {
                    self.advance();
                    value
                }
                Some(_) => return None,
                None => Value::Scalar(self.quoted_lines(line, indent)?),
            },
            _ => Value::Scalar(self.bare_text(line, indent)?),
        };
        if self.line.is_some_and(|next| next.indent > indent) {
            return None;
        }
        Some(Node {
            line: number,
            value,
        })
    }

    /// A text without quotes, which may go on on deeper lines.
    fn bare_text(&mut self, line: Line<'t>, indent: usize) -> Option<Cow<'t, str>> {
        let (text, mut whole) = bare(line.text)?;
        let mut text = Cow::Borrowed(text);
        let mut number = line.number;
        self.advance();
        while whole
            && let Some(next) = self.line
            && next.indent > indent
            && next.number == number + 1
        {
            let (more, whole_line) = bare(next.text)?;
            let text = text.to_mut();
            text.push(' ');
            text.push_str(more);
            (number, whole) = (next.number, whole_line);
            self.advance();
        }
        (!is_null(&text)).then_some(text)
    }

    /// A text in quotes that do not close on its first line.
    fn quoted_lines(&mut self, first: Line<'t>, indent: usize) -> Option<Cow<'t, str>> {
        let quote = first
            .text
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"'))?;
        let mut text = first.text.to_owned();
        for number in first.number + 1.. {
            self.advance();
            let next = self.line?;
            // A line between that is blank, or looks like a comment, is part of the text.
            if next.number != number || next.indent <= indent {
                return None;
            }
            text.push(' ');
            text.push_str(next.text);
            if next.text.contains(quote)
                && let Some((Value::Scalar(whole), rest)) = in_marks(&text, number, 0)
            {
                if !is_blank_or_comment(rest) {
                    return None;
                }
                self.advance();
                return Some(Cow::Owned(whole.into_owned()));
            }
        }
        None
    }

    /// The lines below `|` or `>`, whose header this is.
    fn block_text(&mut self, header: &str, indent: usize) -> Option<Cow<'t, str>> {
        let folded = match header {
            "|" | "|-" => false,
            ">" | ">-" => true,
            _ => return None,
        };
        let mut text = String::new();
        let mut inner = None;
        let mut blank = 0;
        loop {
            let before = (self.rest, self.number);
            // Whether a text ends with its file is a question for the whole language.
            if !self.rest.is_empty() && !self.rest.contains('\n') {
                return None;
            }
            let Some(raw) = self.raw() else { break };
            let bare = raw.trim_start_matches(' ');
            let depth = raw.len() - bare.len();
            let inner = *inner.get_or_insert(depth);
            if bare.is_empty() {
                // White space alone may count as text, and what comes first sets the indentation.
                if text.is_empty() || depth > inner {
                    return None;
                }
                blank += 1;
                continue;
            }
            if depth < inner || inner <= indent {
                if bare.starts_with('#') {
                    return None;
                }
                (self.rest, self.number) = before;
                break;
            }
            if folded && depth > inner {
                return None;
            }
            if !text.is_empty() {
                match (folded, blank) {
                    (true, 0) => text.push(' '),
                    (true, _) => text.extend(std::iter::repeat_n('\n', blank)),
                    (false, _) => text.extend(std::iter::repeat_n('\n', blank + 1)),
                }
            }
            blank = 0;
            text.push_str(&raw[inner..]);
        }
        if text.is_empty() {
            return None;
        }
        if !header.ends_with('-') {
            text.push('\n');
        }
        self.advance();
        Some(Cow::Owned(text))
    }
}
