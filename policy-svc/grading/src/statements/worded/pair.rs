//! Two numbers that are said to be equal: `1/4 and 2/8 are equal fractions`, `0,5 und 1/2 sind gleich`.

use super::{
    AND, Reader,
    tokens::{Kind, Token},
};
use crate::statements::{
    cues::Words,
    scan::{Edge, Run},
};

/// What says so.
const EQUAL: &[&[&str]] = &[
    &["are", "equal"],
    &["are", "both", "equal"],
    &["are", "equivalent"],
    &["sind", "gleich", "groß"],
    &["sind", "gleich"],
    &["sind", "gleichwertig"],
    &["sind", "dasselbe"],
];

/// What both are; of anything else the numbers may be names: `Angles 3 and 4 are equal`.
static NUMBERS: Words =
    Words::new("fraction fractions number numbers value values brüche bruch zahl zahlen");

/// Words before them.
static BEFORE: Words = Words::new("so then that because since as both dass da weil denn also");

/// Words behind them that say nothing else of both.
static BEHIND: Words = Words::new("that which because since so and but as weil da denn und aber");

/// So many tokens two numbers and the word between them are: `3 and 4`, `-3 und -4`.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;

/// The statements of this kind.
pub(super) fn runs<'t>(tokens: &[Token<'t>]) -> Vec<Run<'t>> {
    let is_verb = |at: &usize| matches!(tokens.get(*at).map(|token| token.kind), Some(Kind::Word(word)) if matches!(word, "are" | "sind"));
    let verbs = (0..tokens.len()).filter(is_verb);
    verbs.filter_map(|at| statement(tokens, at)).collect()
}

/// The statement with its verb at a place.
fn statement<'t>(tokens: &[Token<'t>], at: usize) -> Option<Run<'t>> {
    let mut begins = LENGTHS.rev().filter_map(|length| at.checked_sub(length));
    let (begin, left, right) = begins.find_map(|begin| {
        let mut reader = Reader::new(tokens, begin);
        let left = reader.term()?;
        let joined = reader.takes_one(&AND);
        let right = joined.then(|| reader.term())??;
        (reader.at == at).then_some((begin, left, right))
    })?;
    let mut reader = Reader::new(tokens, at);
    EQUAL.iter().find(|words| reader.takes(words))?;
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let is_named = match begin.checked_sub(1).and_then(kind) {
        None => false,
        Some(Kind::Word(word)) if NUMBERS.has(word) => true,
        Some(Kind::Word(word)) if BEFORE.has(word) => false,
        // `1/2, 1/3 and 1/4 are equal`
        Some(Kind::Stop) => {
            let before = begin.checked_sub(2).and_then(kind);
            if matches!(before, Some(Kind::Number(_) | Kind::Fraction(..))) {
                return None;
            }
            false
        }
        Some(_) => return None,
    };
    let is_named = reader.takes_one(&NUMBERS) || is_named;
    let are_places = |side: &str| side.bytes().all(|byte| byte.is_ascii_digit());
    if !is_named && are_places(&left) && are_places(&right) {
        return None;
    }
    match reader.kind() {
        None | Some(Kind::Stop) => {}
        Some(Kind::Word(word)) if BEHIND.has(word) => {}
        Some(_) => return None,
    }
    let (first, last) = (tokens.get(begin)?, tokens.get(reader.at.checked_sub(1)?)?);
    Some(Run {
        range: first.range.start..last.range.end,
        formula: format!("{left} + 0 = {right} + 0"),
        before: Edge::Clean,
        after: Edge::Clean,
    })
}
