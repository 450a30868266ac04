//! YAML as packs usually have it, read in a small part of the time that the whole language takes.
//!
//! It knows maps and lists by indentation, texts (bare, in quotes, or a block below `|` or `>`), and lists and maps in
//! brackets on one line. Whatever it does not know, or is not sure of, and whatever is a fault, it leaves to the parser
//! of the whole language, so that there is one place that names faults. What it does read is the very same tree: the
//! tests below hold it to that.

use std::borrow::Cow;

use super::{Entry, MAX_DEPTH, Node, Value, is_null};

/// Keys of one map. More are no pack's.
const MAX_KEYS: usize = 64;

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
    let root = reader.block(reader.line?, 0)?;
    reader.line.is_none().then_some(root)
}

/// Whether no character has a meaning of its own, but for the ends of lines.
fn is_ordinary(text: &str) -> bool {
    let bytes = text.as_bytes();
    let odd = |b: &u8| (*b < b' ' && *b != b'\n') || *b == 0x7f;
    if bytes.iter().any(odd) {
        let ends_line = |n: usize| bytes[n] == b'\r' && bytes.get(n + 1) == Some(&b'\n');
        if (0..bytes.len()).any(|n| odd(&bytes[n]) && !ends_line(n)) {
            return false;
        }
    }
    let separator = |c: char| matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let control = |c: char| c.is_control() && !c.is_ascii();
    text.is_ascii()
        || !text
            .chars()
            .any(|c| control(c) || separator(c) || c >= '\u{fff0}')
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
            b'\'' | b'"' | b'[' | b'{' => {
                let (value, rest) = in_marks(line.text, line.number, depth + 1)?;
                if !is_blank_or_comment(rest) {
                    return None;
                }
                self.advance();
                value
            }
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

/// What follows the dash of a list's item.
fn item_of(text: &str) -> Option<&str> {
    let item = text.strip_prefix("- ")?.trim_start_matches(' ');
    (!item.starts_with('#')).then_some(item)
}

/// A plain key and what follows its colon.
fn key_of(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let end = bytes
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))?;
    if end == 0 || end > 100 || bytes[0] == b'-' || bytes[end] != b':' {
        return None;
    }
    let after = &text[end + 1..];
    if !(after.is_empty() || after.starts_with(' ')) {
        return None;
    }
    let after = after.trim_start_matches(' ');
    let after = if after.starts_with('#') { "" } else { after };
    Some((&text[..end], after))
}

/// A text without quotes, and whether it takes the whole line: no comment follows it.
fn bare(text: &str) -> Option<(&str, bool)> {
    if !may_begin(text) {
        return None;
    }
    let bytes = text.as_bytes();
    for (n, b) in bytes.iter().enumerate() {
        match b {
            b':' if matches!(bytes.get(n + 1), None | Some(b' ')) => return None,
            b'#' if bytes[n - 1] == b' ' => return Some((text[..n].trim_end_matches(' '), false)),
            _ => {}
        }
    }
    Some((text, true))
}

/// Whether a text without quotes may begin like this.
fn may_begin(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'\\' | b'(' | b'$'),
        [first, ..] => {
            first.is_ascii_alphanumeric() || *first >= 0x80 || b"\\($/.+=<^_".contains(first)
        }
        [] => false,
    }
}

/// A text in quotes, or a list or map in brackets; and what follows it.
fn in_marks(text: &str, line: usize, depth: usize) -> Option<(Value<'_>, &str)> {
    match text.as_bytes().first()? {
        b'\'' => single_quoted(&text[1..]).map(|(text, rest)| (Value::Scalar(text), rest)),
        b'"' => double_quoted(&text[1..]).map(|(text, rest)| (Value::Scalar(text), rest)),
        _ if depth >= MAX_DEPTH => None,
        b'[' => flow_list(&text[1..], line, depth),
        b'{' => flow_map(&text[1..], line, depth),
        _ => None,
    }
}

fn apostrophe(text: &str) -> Option<usize> {
    text.bytes().position(|b| b == b'\'')
}

fn single_quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = apostrophe(text)?;
    let (simple, rest) = (&text[..end], &text[end + 1..]);
    if !rest.starts_with('\'') {
        return Some((Cow::Borrowed(simple), rest));
    }
    let mut whole = simple.to_owned();
    let mut rest = rest;
    while let Some(more) = rest.strip_prefix('\'') {
        let end = apostrophe(more)?;
        whole.push('\'');
        whole.push_str(&more[..end]);
        rest = &more[end + 1..];
    }
    Some((Cow::Owned(whole), rest))
}

fn double_quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mark = |text: &str| text.bytes().position(|b| matches!(b, b'"' | b'\\'));
    let mut at = mark(text)?;
    if text.as_bytes()[at] == b'"' {
        return Some((Cow::Borrowed(&text[..at]), &text[at + 1..]));
    }
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        whole.push_str(&rest[..at]);
        if rest.as_bytes()[at] == b'"' {
            return Some((Cow::Owned(whole), &rest[at + 1..]));
        }
        whole.push(match rest.as_bytes().get(at + 1)? {
            b'\\' => '\\',
            b'"' => '"',
            b'/' => '/',
            b'n' => '\n',
            b't' => '\t',
            _ => return None,
        });
        rest = &rest[at + 2..];
        at = mark(rest)?;
    }
}

/// The list behind `[`, to its end on the same line.
fn flow_list(text: &str, line: usize, depth: usize) -> Option<(Value<'_>, &str)> {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    if let Some(rest) = rest.strip_prefix(']') {
        return Some((Value::List(items), rest));
    }
    loop {
        let (value, after) = flow_value(rest, line, depth)?;
        items.push(Node { line, value });
        let after = after.trim_start_matches(' ');
        if let Some(rest) = after.strip_prefix(']') {
            return Some((Value::List(items), rest));
        }
        rest = after.strip_prefix(',')?.trim_start_matches(' ');
    }
}

/// The map behind `{`, to its end on the same line.
fn flow_map(text: &str, line: usize, depth: usize) -> Option<(Value<'_>, &str)> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((Value::Map(entries), rest));
    }
    loop {
        let (key, value) = key_of(rest)?;
        if entries.len() >= MAX_KEYS || entries.iter().any(|e| e.key == key) {
            return None;
        }
        let (value, after) = flow_value(value, line, depth)?;
        entries.push(Entry {
            key: Cow::Borrowed(key),
            line,
            node: Node { line, value },
        });
        let after = after.trim_start_matches(' ');
        if let Some(rest) = after.strip_prefix('}') {
            return Some((Value::Map(entries), rest));
        }
        rest = after.strip_prefix(',')?.trim_start_matches(' ');
    }
}

/// A value within brackets, and what follows it.
fn flow_value(text: &str, line: usize, depth: usize) -> Option<(Value<'_>, &str)> {
    if text.starts_with(['\'', '"', '[', '{']) {
        return in_marks(text, line, depth + 1);
    }
    let ends = |b| matches!(b, b',' | b'[' | b']' | b'{' | b'}');
    let end = text.bytes().position(ends)?;
    let (text, rest) = text.split_at(end);
    let text = text.trim_end_matches(' ');
    let odd = text.bytes().any(|b| matches!(b, b':' | b'#'));
    let sound = may_begin(text) && !odd && !is_null(text);
    sound.then_some((Value::Scalar(Cow::Borrowed(text)), rest))
}

/// Whether nothing but white space and a comment follows.
fn is_blank_or_comment(rest: &str) -> bool {
    let bare = rest.trim_start_matches(' ');
    bare.is_empty() || (bare.starts_with('#') && rest.starts_with(' '))
}
