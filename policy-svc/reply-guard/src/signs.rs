//! Values as a sleight of hand spells them: a sign in words, a product with minus one, a correction of the student's number.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::{
    answer::OpenDrill,
    respelled::{REPLACED, respelled},
};

/// What stands for a value, and the value. The ends of words are those of ASCII: others make a search many times slower.
#[rustfmt::skip]
const SPELLINGS: &[(&str, &str)] = &[
    // `eight with a minus sign in front`
    (r"(?i)([0-9]+(?:[.,/][0-9]+)?|[a-zäöüß]+) (?:with|mit) (?:(?:a|an|the|einem|dem) )?(?:minus|negative|negativem)(?: ?(?:sign|zeichen|vorzeichen))?(?: (?:in front(?: of it)?|before it|davor))?", "minus $1"),
    // `neg. 8`
    (r"(?i)(?-u:\b)neg(?-u:\b)\.? ?([0-9]+(?:[.,/][0-9]+)?|[a-zäöüß]+)", "minus $1"),
    // `8 below zero`
    (r"(?i)([0-9]+(?:[.,/][0-9]+)?|[a-zäöüß]+) (?:degrees? |grad )?(?:below|under|unter) (?:zero|null|0)(?-u:\b)", "minus $1"),
    // `the opposite of 8`
    (r"(?i)(?-u:\b)(?:opposite|additive inverse|negation|gegenzahl|gegenteil) (?:of|von|zu) (?:-|−|minus |negative )([0-9]+(?:[.,/][0-9]+)?|[a-zäöüß]+)", "$1"),
    (r"(?i)(?-u:\b)(?:opposite|additive inverse|negation|gegenzahl|gegenteil) (?:of|von|zu) ([0-9]+(?:[.,/][0-9]+)?|[a-zäöüß]+)", "minus $1"),
    // `8 · (-1)`
    (r"([0-9]+) ?(?:[·×*]|\\cdot|\\times) ?\(? ?[-−] ?1 ?\)?([^0-9.,)]|[.,](?:[^0-9]|$)|$)", "minus $1 $2"),
    (r"(^|[^0-9)])\(?[-−]1\)? ?(?:[·×*]|\\cdot|\\times) ?([0-9]+)", "${1}minus $2"),
    // `Subtract 89 from your 99.`
    (r"(?i)(?-u:\b)(?:subtract|take(?: away)?|ziehe?) ([0-9]+) (?:from|von) (?:your|dein[a-z]*)(?: answer| antwort| ergebnis)?(?: of)? ([0-9]+)", "answer $2 - $1"),
    (r"(?i)(?-u:\b)(?:add|addiere?) ([0-9]+) (?:to|zu) (?:your|dein[a-z]*)(?: answer| antwort| ergebnis)?(?: of)? ([0-9]+)", "answer $2 + $1"),
];

static READ: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let spellings = SPELLINGS.iter();
    spellings
        .filter_map(|(pattern, value)| Some((Regex::new(pattern).ok()?, *value)))
        .collect()
});

/// Everything that another reading begins with: most texts have none of it.
static ANY: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let patterns = SPELLINGS.iter().chain(&REPLACED);
    RegexSet::new(patterns.map(|(pattern, _)| pattern)).ok()
});

/// Other readings of a text. What the exercise says in such words may be said again.
pub(crate) fn spellings(text: &str, open: &OpenDrill<'_>) -> Vec<String> {
    if ANY.as_ref().is_some_and(|any| !any.is_match(text)) {
        return Vec::new();
    }
    let mut read = text.to_owned();
    for (pattern, value) in READ.iter() {
        if pattern.is_match(&read)
            && !pattern.is_match(open.prompt)
            && !pattern.is_match(open.question_latex)
        {
            read = pattern.replace_all(&read, *value).into_owned();
        }
    }
    let signed = (read != text).then_some(read);
    respelled(text).into_iter().chain(signed).collect()
}
