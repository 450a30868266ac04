//! The words before and behind an answer that say nothing more.

use super::{
    atoms::{Atom, text},
    clauses::run,
    known::Known,
    phrases::{Meaning, meaning},
};
use crate::answer::phrase;

/// The clause without what only leads to it.
pub(super) fn without_lead<'a>(clause: &'a [Atom], known: &Known) -> &'a [Atom] {
    let mut rest = clause;
    // Words of the prompt may lead up to `is`: "the smaller share is 15".
    let mut named = false;
    let mut kept = clause;
    loop {
        if phrase(&text(rest)).is_some() {
            return rest;
        }
        if let [set, equal, open, ..] = rest
            && matches!(set.word(), Some("l" | "il" | "𝕃"))
            && equal.is('=')
            && [
                "{",
                "\\{",
                "∅",
                "ℝ",
                "\\mathbb",
                "\\emptyset",
                "\\varnothing",
            ]
            .contains(&open.as_str())
        {
            return rest.get(2..).unwrap_or_default();
        }
        let words = run(rest);
        let step = match meaning(&words, |meaning| {
            matches!(meaning, Meaning::Lead | Meaning::Sign("="))
        }) {
            // What is all there is leads to nothing, and letters of the exercise are no words.
            Some((_, 1)) if words.first().is_some_and(|word| known.is_formula(word)) => None,
            found => found,
        };
        let copula = rest
            .first()
            .is_some_and(|first| first.is(':') || first.is('=') || first.is('"'))
            || matches!(step, Some((Meaning::Sign(_), _)));
        let length = match step {
            Some((_, length)) => length,
            None if copula => 1,
            None if rest.first().is_some_and(|first| first.is(','))
                && rest.len() < clause.len() =>
            {
                1
            }
            None => match known.prompt_words(rest) {
                0 => return kept,
                length => {
                    named = true;
                    length
                }
            },
        };
        if rest.len() <= length {
            return kept;
        }
        rest = rest.get(length..).unwrap_or_default();
        named &= !copula;
        if !named {
            kept = rest;
        }
    }
}

/// The clause without what only ends it.
pub(super) fn without_tail<'a>(clause: &'a [Atom], known: &Known) -> &'a [Atom] {
    (1..clause.len())
        .find(|at| {
            let words = run(clause.get(*at..).unwrap_or_default());
            let mut rest = words.as_slice();
            if words.len() < clause.len() - at {
                return false;
            }
            // `15 is the smaller share`
            if let ["is" | "are" | "ist" | "sind", named @ ..] = rest
                && !named.is_empty()
                && named.iter().all(|word| known.is_lead(word))
            {
                return true;
            }
            while let Some((_, length)) = meaning(rest, |meaning| meaning == Meaning::Tail) {
                rest = rest.get(length..).unwrap_or_default();
            }
            rest.is_empty()
        })
        .and_then(|at| clause.get(..at))
        .unwrap_or(clause)
}
