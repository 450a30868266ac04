//! Numbers as people write them, spelled as formulas.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

/// What is replaced, and by what. The ends of words are those of ASCII: others make a search many times slower.
pub(crate) const REPLACED: [(&str, &str); 4] = [
    // `1,500`, `1.500`, `1 500`
    (
        r"(?-u:\b)(\d{1,3})[.,\u{a0}\u{202f}](\d{3})(?-u:\b)",
        "$1$2",
    ),
    // `3 1/4`
    (r"(?-u:\b)(\d+) (\d+)/(\d+)(?-u:\b)", "($1+$2/$3)"),
    // `numerator 5, denominator 6`
    (
        r"(?i)(?-u:\b)(?:numerator|zähler)\W{0,3}(?:is |ist |of )?(\d+)\W{1,3}(?:and |und )?(?:the |der )?(?:denominator|nenner)\W{0,3}(?:is |ist |of )?(\d+)(?-u:\b)",
        "$1/$2",
    ),
    // `5 in the numerator and 6 in the denominator`
    (
        r"(?i)(?-u:\b)(\d+) (?:in the numerator|im zähler)\W{1,3}(?:and |und )?(\d+) (?:in the denominator|im nenner)",
        "$1/$2",
    ),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = REPLACED
        .iter()
        .map(|(pattern, by)| Some((Regex::new(pattern).ok()?, *by)));
    // The tests rule out that a pattern is none.
    compiled.flatten().collect()
});

/// A text with marks of thousands, mixed numbers and named parts of fractions as formulas have them; none if it has none of
/// these. It is read beside the text: what looks so may be something else.
#[must_use]
pub fn respelled(text: &str) -> Option<String> {
    let mut new = Cow::Borrowed(text);
    for (pattern, by) in PATTERNS.iter() {
        if let Cow::Owned(read) = pattern.replace_all(&new, *by) {
            new = Cow::Owned(read);
        }
    }
    (new != text).then(|| new.into_owned())
}
