//! Markdown in what a model says, made plain: a client shows texts as they are.

use std::borrow::Cow;

/// Marks around words, the longer first.
const AROUND: [&str; 6] = ["**", "__", "~~", "`", "*", "_"];

/// The text without marks of Markdown: headings, quotations, bullets, rules, fences and the marks around words go, what they
/// mark stays. Signs of mathematics are left: in `2*x*3`, `a_1` and `2 ** 3` nothing is marked. A text that is nothing but
/// marks stays as it is.
#[must_use]
pub fn plain_text(text: &str) -> Cow<'_, str> {
    if !text.contains(['*', '_', '~', '`', '#', '>', '-', '|']) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text.split('\n').filter_map(plain_line).collect();
    let plain = lines.join("\n");
    if plain == text || plain.trim().is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(plain)
}

/// A line without marks; none for one that is nothing but a fence, a rule, or what stands below the head of a table.
fn plain_line(line: &str) -> Option<String> {
    let trimmed = line.trim();
    let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
    let is_rule = ['-', '*', '_'].into_iter().any(|mark| {
        trimmed.matches(mark).count() > 2 && trimmed.chars().all(|c| c == mark || c == ' ')
    });
    let is_table = trimmed.contains("--")
        && trimmed.contains('|')
        && trimmed.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    if is_fence || is_rule || is_table {
        return None;
    }
    let indent = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(indent);
    let mut plain = format!("{indent}{}", without_lead(rest));
    for mark in AROUND {
        if plain.contains(mark) {
            plain = without(&plain, mark);
        }
    }
    Some(plain)
}

/// A line without what makes it a heading or a quotation, and with a bullet where it is an item. `> 3` is an inequality, and
/// a dash may be a minus: it stays.
fn without_lead(line: &str) -> Cow<'_, str> {
    let heading = line.trim_start_matches('#');
    let level = line.len() - heading.len();
    if (1..=6).contains(&level) && heading.starts_with(' ') {
        return Cow::Borrowed(heading.trim_start());
    }
    let quoted = line.strip_prefix("> ").map(str::trim_start);
    if let Some(quoted) = quoted
        && quoted.starts_with(|c: char| c.is_alphabetic() || c == '*')
    {
        return Cow::Borrowed(quoted);
    }
    match line.strip_prefix("* ") {
        Some(item) if !item.trim().is_empty() => Cow::Owned(format!("• {item}")),
        _ => Cow::Borrowed(line),
    }
}

/// A line without the pairs of a mark.
fn without(line: &str, mark: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut from = 0;
    while let Some((open, close)) = pair(line, mark, from) {
        plain.push_str(&line[from..open]);
        plain.push_str(&line[open + mark.len()..close]);
        from = close + mark.len();
    }
    plain.push_str(&line[from..]);
    plain
}

/// Where the next pair of a mark opens and closes.
fn pair(line: &str, mark: &str, from: usize) -> Option<(usize, usize)> {
    let places = move |from: usize| {
        let rest = line.get(from..).unwrap_or_default();
        rest.match_indices(mark).map(move |(at, _)| from + at)
    };
    for open in places(from).filter(|at| opens(line, *at, mark)) {
        let inner = open + mark.len();
        let close = places(inner).find(|at| *at > inner && closes(line, *at, mark))?;
        // A sign alone may be one of mathematics, a word between two is marked.
        let is_word = || line[inner..close].contains(char::is_alphabetic);
        if mark.len() > 1 || mark == "`" || is_word() {
            return Some((open, close));
        }
    }
    None
}

fn opens(line: &str, at: usize, mark: &str) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + mark.len()..].chars().next();
    before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '\\' | '$') && !doubles(c, mark))
        && after.is_some_and(|c| !c.is_whitespace() && !doubles(c, mark))
}

fn closes(line: &str, at: usize, mark: &str) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + mark.len()..].chars().next();
    before.is_some_and(|c| !c.is_whitespace() && c != '\\' && !doubles(c, mark))
        && after.is_none_or(|c| !c.is_alphanumeric() && !doubles(c, mark))
}

/// Whether a character makes a mark of one sign a longer one.
fn doubles(c: char, mark: &str) -> bool {
    mark.len() == 1 && mark.starts_with(c)
}
