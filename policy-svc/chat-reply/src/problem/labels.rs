//! A text without what stands beside a problem on a sheet: labels, the name of the unknown, brackets around all of it.

use std::sync::LazyLock;

use regex::Regex;

/// What is replaced, and by what. A new line keeps apart what stood apart.
const REPLACED: [(&str, &str); 12] = [
    // `f(x) = 15`, `f(4)`
    (r"\b[fghpsv]\([xt]\)", "y"),
    (
        r"\b[fghp]\((-?\d+(?:[.,]\d+)?)\)(?:\s*=\s*\?|\s*[?.,]|\s*$)",
        "\nx = $1\n",
    ),
    // A dash between values is a minus.
    (r"(\w)\s*[—―]\s*([\w(])", "$1-$2"),
    // `Aufgabe 3b)`, `page 12`, `Q3`
    (
        r"(?i)(?:(?:^|[\s,;(])(?:aufgaben?|aufg|exercises?|ex|übung|nr|no|number|nummer|q|questions?|frage|task|page|p|pg|seite|s|problem|teil|part|kapitel|chapter|ch|class|klasse|blatt|sheet)\.?|#)\s*(?:\d{1,4}(?:\.\d{1,3})?\s?[a-h]?|[a-h])(?:\s*[).:]+|\s*-\s|\s+|$)",
        "\n",
    ),
    // `50% of x`
    (
        r"(?i)(\d+(?:[.,]\d+)?)\s*(?:%|percent|prozent)\s*(?:of|von)\s+([a-z])\b",
        "$1/100*$2",
    ),
    // `(b)`, `2c)`, `iv)`
    (
        r"(?im)(^\s*\(?|[\s,;]\()(?:\d{1,3}(?:\.\d{1,3})?\s?[a-z]?|[a-z]|[ivx]{2,4})\)",
        "\n",
    ),
    // `b: `, `b - `, `7. `
    (
        r"(?im)^\s*(?:\d{0,3}[a-z]\s*[:.]|[a-z]\s+-\s|\d{1,3}[a-z]?[:.]\s)",
        "\n",
    ),
    // `3b 5x = 10`
    (r"(?im)^\s*\d{1,3}[a-h]\s+(\S)", "\n$1"),
    // `find x 5x = 10`
    (r"(?im)(^|[^\W\d]{2,}\s+)[a-z]\s+([\d(])", "$1\n$2"),
    // `5x = 10 x = ?`, `5x = 10 x?`
    (
        r"(?m)([\d)])\s+([A-Za-z]\s*(?:[=?]|$|\s[^\W\d]{2,}))",
        "$1\n$2",
    ),
    // `2x + 7 =` and the rest on the next line.
    (r"([=+*/])[ \t]*\n\s*([\w(])", "$1 $2"),
    (r"([\w)])[ \t]*\n\s*(=)", "$1 $2"),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = REPLACED
        .iter()
        .map(|(pattern, by)| Some((Regex::new(pattern).ok()?, *by)));
    // The tests rule out that a pattern is none.
    compiled.flatten().collect()
});

/// The text with its problems alone. It may take away what belongs to one: it is read beside the text and not instead.
pub(super) fn without_labels(text: &str) -> String {
    let bare = PATTERNS
        .iter()
        .fold(text.to_owned(), |text, (pattern, by)| {
            // One label may stand behind another.
            let once = pattern.replace_all(&text, *by);
            pattern.replace_all(&once, *by).into_owned()
        });
    without_brackets(&bare)
}

static MIXED: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
    let mixed = Regex::new(r"\b(\d+) (\d+)/(\d+)\b").ok()?;
    let factor = Regex::new(r"(^|[^\d./^)a-z])(\d+/\d+)([a-z])").ok()?;
    Some([mixed, factor])
});

/// A formula with each mixed number as a sum and each fraction before a letter as a factor, as the grader reads them.
pub(super) fn mixed_in_brackets(formula: &str) -> String {
    let Some([mixed, factor]) = &*MIXED else {
        return formula.to_owned();
    };
    let summed = mixed.replace_all(formula, "($1+$2/$3)");
    factor.replace_all(&summed, "$1($2)*$3").into_owned()
}

/// Brackets around an equation or around words become new lines.
fn without_brackets(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut open: Vec<(usize, bool)> = Vec::new();
    for at in 0..chars.len() {
        match chars[at] {
            '(' | '[' | '{' => open.push((at, false)),
            ')' | ']' | '}' => {
                if let Some((start, true)) = open.pop() {
                    chars[start] = '\n';
                    chars[at] = '\n';
                }
            }
            '=' | '<' | '>' | '≤' | '≥' | '∈' => mark(&mut open),
            ' ' if word_before(&chars[..at]) => mark(&mut open),
            _ => {}
        }
    }
    chars.into_iter().collect()
}

fn mark(open: &mut [(usize, bool)]) {
    if let Some((_, splits)) = open.last_mut() {
        *splits = true;
    }
}

/// Whether the text ends with a word of two letters and more behind a space.
fn word_before(text: &[char]) -> bool {
    let letters = text.iter().rev().take_while(|c| c.is_alphabetic()).count();
    letters > 1 && text.iter().rev().nth(letters) == Some(&' ')
}
