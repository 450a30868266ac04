//! Where a statement in words may begin: a quick look, which spares the reader most of a text.

use std::ops::Range;

use super::{
    AND, EQUALITIES, lower,
    tokens::{Kind, Token},
};

/// Whether a clause may hold a statement: a relation, and a word that the scanner for signs does not read.
pub(super) fn may_state(clause: &[Token<'_>]) -> bool {
    let mut relates = false;
    let mut is_worded = false;
    for token in clause {
        match token.kind {
            Kind::Sign("=") => relates = true,
            Kind::Word(word) => {
                let word = lower(word);
                let begins = |words: &[&str]| words.first().is_some_and(|first| *first == word);
                let is_relation = EQUALITIES.iter().any(|(words, _)| begins(words));
                relates |= is_relation;
                is_worded |=
                    is_relation || is_continuing(&word) || matches!(&*word, "double" | "twice");
            }
            _ => {}
        }
    }
    relates && is_worded
}

/// Whether a statement may begin at a place: a look at the next tokens.
pub(super) fn may_begin(tokens: &[Token<'_>], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    match kind(at) {
        Some(Kind::Number(_) | Kind::Fraction(..) | Kind::Minus | Kind::Open) => true,
        Some(Kind::Word(_)) => {
            matches!(kind(at + 2), Some(Kind::Word("of" | "von")))
                || match kind(at + 1) {
                    Some(Kind::Word(word)) => is_continuing(word),
                    Some(kind) => !matches!(kind, Kind::Stop | Kind::Other),
                    None => false,
                }
        }
        _ => false,
    }
}

/// Whether a number at a place has nothing but itself to be something else: the text begins with it, or it is what the statement
/// just before came to. Elsewhere something may say what it counts: `Question 7 is 12`, `in percent, 0.5 is 50`.
pub(super) fn is_about_a_number(
    tokens: &[Token<'_>],
    at: usize,
    found: Option<&Range<usize>>,
) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    if !matches!(kind(at), Some(Kind::Number(_))) {
        return false;
    }
    let goes_on = match at.checked_sub(1).and_then(kind) {
        None => return true,
        Some(Kind::Word(word)) => AND.has(word),
        Some(before) => before == Kind::Stop,
    };
    let is_result = |found: &Range<usize>| found.end + 1 == at && kind(found.end - 1) == kind(at);
    goes_on && found.is_some_and(is_result)
}

/// Whether a statement about a bare number ends where it seems to: `5 is $10`, `12 is 10 and two`, `3 is 6:8`, `6 is 3!` do not.
pub(super) fn is_all(text: &str, statement: &Range<usize>) -> bool {
    let own = text.get(statement.clone()).unwrap_or_default();
    let behind = text.get(statement.end..).unwrap_or_default();
    let behind = behind.trim_start_matches(['$', ' ']);
    let is_end = behind.is_empty() || behind.starts_with(['.', ',', ';', '\n']);
    is_end && !own.contains('%') && own.matches('$').count().is_multiple_of(2)
}

/// Whether a word stands behind the first one of a statement.
fn is_continuing(word: &str) -> bool {
    matches!(
        word,
        "plus"
            | "minus"
            | "times"
            | "multiplied"
            | "divided"
            | "to"
            | "squared"
            | "cubed"
            | "percent"
            | "of"
            | "between"
            | "zwischen"
            | "root"
            | "mal"
            | "multipliziert"
            | "geteilt"
            | "dividiert"
            | "durch"
            | "hoch"
            | "Prozent"
            | "von"
            | "aus"
    )
}
