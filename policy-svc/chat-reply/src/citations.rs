//! References to the numbered sources of a prompt: `[1]`, `[1, 2]`, `[1-3]`, `[Source 1]`. Brackets in formulas and in code are left alone.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// A reference with its blanks before, and its numbers.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let one = r"(?:(?:sources?|quellen?|ref\.?|no\.?|nr\.?)\s*)?\d+";
    Regex::new(&format!(
        r"(?i)[ \u{{a0}}]?\[\s*({one}(?:\s*[,;–—-]\s*{one})*)\s*\]"
    ))
    .ok()
});
/// The most steps of a range of sources.
const MOST_OF_A_RANGE: i32 = 20;
/// Words before brackets that are an interval or a list of numbers.
const MATHEMATICAL: [&str; 13] = [
    "arr",
    "interval",
    "intervall",
    "intervals",
    "range",
    "bereich",
    "list",
    "liste",
    "array",
    "vector",
    "vektor",
    "in",
    "on",
];

struct Reference {
    /// With the blank before it.
    range: Range<usize>,
    numbers: Vec<i32>,
}

fn references(text: &str) -> Vec<Reference> {
    let Some(pattern) = &*REFERENCE else {
        return Vec::new();
    };
    let spared = formulas(text);
    let mut found = Vec::new();
    for captures in pattern.captures_iter(text) {
        let (Some(all), Some(numbers)) = (captures.get(0), captures.get(1)) else {
            continue;
        };
        let numbers = numbers_of(numbers.as_str());
        // `a[9]` is a place in a list.
        let is_glued = all.as_str().starts_with('[') && is_name(&text[..all.start()]);
        let is_formula = spared
            .iter()
            .any(|spared| spared.contains(&all.start()) || spared.contains(&(all.end() - 1)));
        if is_formula
            || is_glued
            || (numbers.len() > 1 && is_mathematical(&text[..all.start()], &text[all.end()..]))
        {
            continue;
        }
        found.push(Reference {
            range: all.range(),
            numbers,
        });
    }
    found
}

/// Whether a text ends with what looks like a variable's name rather than a word.
fn is_name(before: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = before.rsplit(|c: char| !is_part(c)).next();
    word.is_some_and(|word| {
        let length = word.chars().count();
        let looks = length <= 2 || word.contains(|c: char| c == '_' || c.is_ascii_digit());
        length > 0 && (looks || MATHEMATICAL.contains(&word.to_lowercase().as_str()))
    })
}

/// The numbers of a reference; of a range its ends and what is between them. One that is no source's, however long, is 0.
fn numbers_of(written: &str) -> Vec<i32> {
    let number = |text: &str| {
        let digits = text
            .trim()
            .trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.parse().unwrap_or(0)
    };
    let parts = written.split([',', ';']);
    parts
        .flat_map(|part| match part.split_once(['-', '–', '—']) {
            Some((from, to)) => {
                let (from, to) = (number(from), number(to));
                match (1..=MOST_OF_A_RANGE).contains(&(to - from)) {
                    true => (from..=to).collect(),
                    false => vec![from, to],
                }
            }
            None => vec![number(part)],
        })
        .collect()
}

/// Whether what stands around brackets with several numbers makes them an interval or a list.
fn is_mathematical(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let operator = |c: char| "=∈∉∪∩\\+-*/(<>≤≥^|×·,".contains(c);
    let word = before
        .rsplit(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
        .to_lowercase();
    before.ends_with(operator)
        || after
            .trim_start()
            .starts_with(['∪', '∩', '=', '+', '*', '×'])
        || MATHEMATICAL.contains(&word.as_str())
}

/// Where formulas and code stand: between dollars, `\(` and `\)`, `\[` and `\]`, backticks.
pub(crate) fn formulas(text: &str) -> Vec<Range<usize>> {
    const MARKS: [(&str, &str); 7] = [
        ("```", "```"),
        ("~~~", "~~~"),
        ("`", "`"),
        ("$$", "$$"),
        ("$", "$"),
        ("\\(", "\\)"),
        ("\\[", "\\]"),
    ];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let mark = MARKS.iter().find(|(open, _)| rest.starts_with(open));
        let Some((open, close)) = mark else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let inner = at + open.len();
        // One dollar alone is money.
        let Some(length) = text[inner..].find(close) else {
            at = inner;
            continue;
        };
        let end = inner + length + close.len();
        found.push(at..end);
        at = end;
    }
    found
}

/// A text without references to what is no source, and whether one was removed.
pub(crate) fn without_unknown(text: &str, source_count: i32) -> (String, bool) {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    let mut removed = false;
    for reference in references(text) {
        let numbers: Vec<String> = reference
            .numbers
            .iter()
            .filter(|number| (1..=source_count).contains(*number))
            .map(i32::to_string)
            .collect();
        if numbers.len() == reference.numbers.len() {
            continue;
        }
        removed = true;
        kept.push_str(&text[at..reference.range.start]);
        if !numbers.is_empty() {
            let blank = text[reference.range.clone()].find('[').unwrap_or(0);
            kept.push_str(&text[reference.range.start..reference.range.start + blank]);
            kept.push('[');
            kept.push_str(&numbers.join(", "));
            kept.push(']');
        }
        at = reference.range.end;
    }
    kept.push_str(&text[at..]);
    (kept, removed)
}

/// The sources that a text refers to, in its order, each once.
pub(crate) fn cited(text: &str, source_count: i32) -> Vec<i32> {
    let mut cited = Vec::new();
    for number in references(text)
        .into_iter()
        .flat_map(|reference| reference.numbers)
    {
        if (1..=source_count).contains(&number) && !cited.contains(&number) {
            cited.push(number);
        }
    }
    cited
}
