//! Cutting parts out of a content without what identifies a person.

use std::ops::Range;

use turnwise_redaction::{Finding, Roster, find};

use super::Slice;

/// A content, and the places in it that must not be given out.
pub(super) struct Redacted<'a> {
    content: &'a str,
    /// In order, and apart from each other.
    findings: Vec<Finding>,
}

impl<'a> Redacted<'a> {
    /// Looks through the whole content. In JSON, a name may stand behind `\n` or be spelled with `\u0041`, so it is read
    /// with such escapes resolved.
    pub(super) fn new(content: &'a str, json: bool, roster: &Roster) -> Self {
        let findings = if json && content.contains('\\') {
            let plain = Unescaped::new(content);
            let found = find(&plain.text, roster).into_iter();
            found.map(|finding| plain.in_source(finding)).collect()
        } else {
            find(content, roster)
        };
        Self { content, findings }
    }

    /// The part in this range; its text has at most `limit` bytes.
    pub(super) fn slice(&self, key_path: &str, range: Range<usize>, limit: usize) -> Slice {
        let mut text = String::new();
        let mut redactions = 0;
        let mut end = range.start;
        let first = self
            .findings
            .partition_point(|finding| finding.range.end <= range.start);
        for finding in &self.findings[first..] {
            if finding.range.start >= range.end {
                break;
            }
            let before = end..finding.range.start.max(end);
            end = before.start + push_within(&mut text, &self.content[before.clone()], limit);
            let replacement = finding.kind.replacement();
            if end < before.end || text.len() + replacement.len() > limit {
                return self.cut(key_path, range, end, text, redactions);
            }
            text.push_str(replacement);
            redactions += 1;
            end = finding.range.end.min(range.end);
        }
        end += push_within(&mut text, &self.content[end..range.end], limit);
        self.cut(key_path, range, end, text, redactions)
    }

    fn cut(
        &self,
        key_path: &str,
        range: Range<usize>,
        end: usize,
        text: String,
        redactions: usize,
    ) -> Slice {
        Slice {
            key_path: key_path.to_owned(),
            text,
            start: range.start,
            end,
            truncated: end < range.end,
            redactions,
            suggested: false,
        }
    }
}

/// Adds as many whole characters as the limit leaves room for; gives their bytes.
fn push_within(text: &mut String, more: &str, limit: usize) -> usize {
    let fits = more.floor_char_boundary(limit.saturating_sub(text.len()));
    text.push_str(&more[..fits]);
    fits
}

/// A JSON text with its escapes resolved, and the way back.
struct Unescaped {
    text: String,
    /// For each escape the place behind it, here and in the source; between two, both run alike.
    steps: Vec<(usize, usize)>,
}

impl Unescaped {
    fn new(source: &str) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut steps = Vec::new();
        let mut at = 0;
        while let Some(next) = source[at..].find('\\') {
            text.push_str(&source[at..at + next]);
            at += next;
            let (c, length) = escape(&source[at..]);
            // Where the escape begins both run alike up to here, and behind it again.
            steps.push((text.len(), at));
            text.push(c);
            at += length;
            steps.push((text.len(), at));
        }
        text.push_str(&source[at..]);
        Self { text, steps }
    }

    fn in_source(&self, finding: Finding) -> Finding {
        Finding {
            range: self.place(finding.range.start)..self.place(finding.range.end),
            kind: finding.kind,
        }
    }

    /// The place in the source; of a place inside a resolved character, the escape's beginning.
    fn place(&self, at: usize) -> usize {
        let after = self.steps.partition_point(|(here, _)| *here <= at);
        match after.checked_sub(1).map(|n| self.steps[n]) {
            Some((here, there)) => there + (at - here),
            None => at,
        }
    }
}

/// The character that the escape at the beginning stands for, and the escape's bytes. What is no character becomes a
/// replacement character.
fn escape(source: &str) -> (char, usize) {
    let c = match source.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(source),
        Some(b) if b.is_ascii() => char::from(*b),
        _ => return ('\\', 1),
    };
    (c, 2)
}

fn unicode_escape(source: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = source.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else {
        return ('u', 2);
    };
    let pair = [first, unit(6).unwrap_or_default()];
    match char::decode_utf16(pair).next() {
        Some(Ok(c)) => (c, if c.len_utf16() == 2 { 12 } else { 6 }),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}
