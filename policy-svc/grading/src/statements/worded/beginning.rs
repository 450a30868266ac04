//! Where a statement in words may begin: a quick look, which spares the reader most of a text.

use super::{
    EQUALITIES, lower,
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
