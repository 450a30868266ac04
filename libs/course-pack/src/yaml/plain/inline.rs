//! What stands on one line: keys, texts with and without quotes, lists and maps in brackets.

use std::borrow::Cow;

use crate::yaml::{Entry, MAX_DEPTH, Node, Value, is_null};

/// Keys of one map. More are no pack's.
pub(super) const MAX_KEYS: usize = 64;

/// What follows the dash of a list's item.
pub(super) fn item_of(text: &str) -> Option<&str> {
    let item = text.strip_prefix("- ")?.trim_start_matches(' ');
    (!item.starts_with('#')).then_some(item)
}

/// A plain key and what follows its colon.
pub(super) fn key_of(text: &str) -> Option<(&str, &str)> {
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
pub(super) fn bare(text: &str) -> Option<(&str, bool)> {
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
pub(super) fn in_marks(text: &str, line: usize, depth: usize) -> Option<(Value<'_>, &str)> {
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
pub(super) fn is_blank_or_comment(rest: &str) -> bool {
    let bare = rest.trim_start_matches(' ');
    bare.is_empty() || (bare.starts_with('#') && rest.starts_with(' '))
}
