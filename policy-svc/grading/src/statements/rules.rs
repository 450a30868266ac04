//! Whether words beside an equality make a rule of it, which is to hold for all numbers.

use super::{cues, denial, doubt::words};

/// So many words may stand between a word for a rule and the rule: `The formula is this:`.
const NEAR: usize = 2;

/// Whether the words before a statement announce it as a rule: `The formula (a + b)² = …`.
pub(super) fn is_named(before: &str) -> bool {
    let all: Vec<&str> = words(before).collect();
    let near = all.iter().rev().take(NEAR + 1);
    near.into_iter().any(|word| cues::NAMING.has(word)) && !denial::denies(before)
}

/// Whether the words of its sentence say that a statement holds for all numbers, and not only for all of some kind.
pub(super) fn is_for_all(before: &str, after: &str) -> bool {
    let says_all = |part: &str| {
        let lower = part.to_lowercase();
        cues::FOR_ALL.iter().any(|phrase| lower.contains(phrase))
    };
    // `It is true for all a and b that …`
    let leading = before.trim_end().trim_end_matches("that");
    let mut beside = words(leading).chain(words(after));
    (says_all(before) || says_all(after))
        && !beside.any(|word| cues::LIMITING.has(word))
        && !denial::denies(before)
        && !denial::denies(after)
}
