//! Where formulas stand in a text, so that nothing is cut inside one.

use std::ops::Range;

/// A formula is no longer than this, in bytes; what is longer was not closed where it seems.
const MAX_FORMULA: usize = 4_000;
/// So many ends of environments are looked at for one beginning.
const MAX_ENDS: usize = 64;

/// The formulas of a text, in order and apart from each other: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`, `\begin{x}…\end{x}`.
///
/// A `$` opens only before a character that is no space, and closes only behind one and not before a digit, so that
/// prices are no formulas. Takes time in proportion to the text.
pub(crate) fn formulas(text: &str) -> Vec<Range<usize>> {
    let ends = Ends::of(text);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'(')) => next(&ends.round, at + 2).map(|end| end + 2),
            (b'\\', Some(b'[')) => next(&ends.square, at + 2).map(|end| end + 2),
            (b'\\', Some(b'b')) => environment(text, at, &ends.environments),
            // An escaped character opens nothing.
            (b'\\', Some(_)) => {
                at += 2;
                continue;
            }
            (b'$', Some(b'$')) => next(&ends.double, at + 2).map(|end| end + 2),
            (b'$', Some(c)) if !c.is_ascii_whitespace() => {
                next(&ends.single, at + 2).map(|end| end + 1)
            }
            _ => None,
        };
        match end.filter(|end| end - at <= MAX_FORMULA) {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += if bytes[at..].starts_with(b"$$") { 2 } else { 1 },
        }
    }
    found
}

/// The places where formulas may end.
#[derive(Default)]
struct Ends {
    single: Vec<usize>,
    double: Vec<usize>,
    round: Vec<usize>,
    square: Vec<usize>,
    environments: Vec<usize>,
}

impl Ends {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut ends = Self::default();
        let mut at = 0;
        while at < bytes.len() {
            match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b')')) => ends.round.push(at),
                (b'\\', Some(b']')) => ends.square.push(at),
                (b'\\', Some(b'e')) if bytes[at..].starts_with(b"\\end{") => {
                    ends.environments.push(at);
                }
                (b'$', after) => {
                    if after == Some(&b'$') {
                        ends.double.push(at);
                    }
                    let behind = at.checked_sub(1).map(|before| bytes[before]);
                    if behind.is_some_and(|b| !b.is_ascii_whitespace())
                        && !after.is_some_and(u8::is_ascii_digit)
                    {
                        ends.single.push(at);
                    }
                }
                _ => {}
            }
            // What follows a backslash is escaped.
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        ends
    }
}

fn next(ends: &[usize], from: usize) -> Option<usize> {
    ends.get(ends.partition_point(|end| *end < from)).copied()
}

/// The end of the environment that begins here.
fn environment(text: &str, at: usize, ends: &[usize]) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix("\\begin{")?;
    let name = rest.get(..rest.bytes().take(32).position(|b| b == b'}')?)?;
    let first = ends.partition_point(|end| *end < at);
    ends.iter().skip(first).take(MAX_ENDS).find_map(|end| {
        let close = text.get(*end..)?.strip_prefix("\\end{")?;
        let close = close.strip_prefix(name)?;
        close
            .starts_with('}')
            .then_some(end + "\\end{".len() + name.len() + 1)
    })
}

/// Whether a word is a sign of arithmetic or a relation, so that a line is not cut beside it.
pub(crate) fn is_operator(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| "=+-*/^<>≤≥≠≈±−×÷·∙⋅→⇒⇔∈∪∩∘|&%".contains(c))
}
