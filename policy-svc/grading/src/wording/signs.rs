//! From words to signs: a clause as the formula that it stands for.

use super::{
    atoms::{Atom, text},
    clauses::{run, trim},
    frame::{without_lead, without_tail},
    known::Known,
    numerals,
    phrases::{Meaning, meaning},
};
use crate::answer::phrase;

/// A clause with its words as signs; nothing if one is not understood.
pub(super) fn said(clause: &[Atom], known: &Known) -> Option<Vec<Atom>> {
    let led = without_lead(clause, known);
    // `Answer - 9` may be 9 or -9.
    if let ([dash, number, ..], Some(before)) =
        (led, clause.get((clause.len() - led.len()).wrapping_sub(1)))
        && dash.is('-')
        && number.is_spaced()
        && before
            .word()
            .is_some_and(|word| meaning(&[word], |meaning| meaning == Meaning::Lead).is_some())
    {
        return None;
    }
    let mut clause = without_tail(led, known).to_vec();
    trim(&mut clause);
    if phrase(&text(&clause)).is_some() {
        return Some(clause);
    }
    let mut said: Vec<Atom> = Vec::new();
    let mut at = 0;
    while let Some(atom) = clause.get(at) {
        let Some(word) = atom.word() else {
            said.push(match colon(&clause, at) {
                Some(sign) => Atom::sign(sign),
                None => atom.clone(),
            });
            at += 1;
            continue;
        };
        let words = run(clause.get(at..).unwrap_or_default());
        let between_numbers = matches!(word, "x" | "X")
            && said.last().is_some_and(|last| last.number().is_some())
            && clause
                .get(at + 1)
                .is_some_and(|next| next.number().is_some())
            && clause.get(at + 2).is_none_or(|next| next.word().is_none());
        if between_numbers {
            said.push(Atom::sign('*'));
            at += 1;
        } else if is_repeating(word, said.last()) {
            said.push(Atom::sign('\u{305}'));
            at += 1;
        } else if let Some((number, length)) = hyphened(clause.get(at..).unwrap_or_default())
            .or_else(|| numerals::number(&words))
            .filter(|_| word != "null" || known.is_german)
        {
            said.push(Atom::of_number(number));
            at += length;
        } else if let Some(parts) = numerals::part(word)
            && said.last().is_some_and(|last| last.number().is_some())
        {
            said.push(Atom::sign('/'));
            said.push(Atom::of_number(parts));
            at += 1;
        } else if let Some((Meaning::Sign(sign), length)) =
            meaning(&words, |meaning| matches!(meaning, Meaning::Sign(_)))
        {
            said.extend(Atom::signs(sign));
            at += length;
        } else if word == "r"
            && said
                .last()
                .is_some_and(|last| last.is('∈') || last.as_str() == "\\in")
        {
            said.push(Atom::sign('ℝ'));
            at += 1;
        } else if is_or(word, &said, clause.get(at + 1..).unwrap_or_default()) {
            said.extend(Atom::signs(" or "));
            at += 1;
        } else if known.is_formula(word) || known.is_unit(atom) {
            said.push(known.in_own_case(atom));
            at += 1;
        } else {
            return None;
        }
    }
    if said
        .last()
        .is_some_and(|last| matches!(last.word(), Some("or" | "and")))
    {
        return None;
    }
    match said.as_slice() {
        // `x2` for twice x.
        [letter, number]
            if letter.letter().is_some()
                && number.number().is_some()
                && !number.is_spaced()
                && !known.has_powers =>
        {
            said.insert(1, Atom::sign('*'));
            Some(said)
        }
        _ => Some(listed(indexed(said))),
    }
}

/// `x = 3 y = 2`: another variable's value begins where a letter stands apart.
fn listed(mut said: Vec<Atom>) -> Vec<Atom> {
    let begins = |said: &[Atom], at: usize| {
        matches!(said.get(at - 1..at + 2), Some([before, name, equal])
            if before.number().is_some()
                && name.letter().is_some()
                && name.is_spaced()
                && equal.is('='))
            && said
                .get(..at)
                .is_some_and(|before| before.iter().any(|atom| atom.is('=')))
    };
    for at in (1..said.len()).rev() {
        if begins(&said, at) {
            said.insert(at, Atom::sign(','));
        }
    }
    said
}

/// What a colon stands for: `x: 9`, and a division in an equation, `42 : 6 = 7`.
fn colon(clause: &[Atom], at: usize) -> Option<char> {
    if !clause.get(at)?.is(':') {
        return None;
    }
    if at == 1 && clause.first()?.letter().is_some() {
        return Some('=');
    }
    let before = clause.get(at.checked_sub(1)?)?;
    let divides = before.number().is_some() || before.letter().is_some() || before.is(')');
    (divides && clause.iter().any(|atom| atom.is('='))).then_some('/')
}

/// `twenty-five`, and how many pieces it takes.
fn hyphened(rest: &[Atom]) -> Option<(usize, usize)> {
    let [tens, dash, ones, ..] = rest else {
        return None;
    };
    let words = [tens.word()?, ones.word()?];
    let (number, length) = numerals::number(&words)?;
    (length == 2 && dash.is('-') && !dash.is_spaced() && !ones.is_spaced()).then_some((number, 3))
}

/// `0.6 repeating`, where it is plain which digits repeat.
fn is_repeating(word: &str, before: Option<&Atom>) -> bool {
    let places = before
        .and_then(Atom::number)
        .and_then(|number| number.split(['.', ',']).nth(1))
        .unwrap_or_default();
    let first = places.chars().next();
    matches!(word, "repeating" | "recurring" | "periodisch" | "periode")
        && first.is_some()
        && places.chars().all(|digit| Some(digit) == first)
}

/// `x = 2 v x = 3`
fn is_or(word: &str, before: &[Atom], after: &[Atom]) -> bool {
    matches!(word, "v" | "V")
        && before.iter().any(|atom| atom.is('='))
        && matches!(after, [name, equal, ..] if name.word().is_some() && equal.is('='))
}

/// `x1 = 3, x2 = -3`: where two are counted, the digits count solutions.
fn indexed(mut said: Vec<Atom>) -> Vec<Atom> {
    let index = |said: &[Atom], at: usize| -> Option<(String, String)> {
        match said.get(at..at + 3)? {
            [name, number, equal]
                if name.letter().is_some() && !number.is_spaced() && equal.is('=') =>
            {
                Some((name.word()?.to_owned(), number.number()?.to_owned()))
            }
            _ => None,
        }
    };
    let found: Vec<usize> = (0..said.len())
        .filter(|at| index(&said, *at).is_some_and(|(_, number)| number.len() == 1))
        .collect();
    let named: Vec<_> = found.iter().filter_map(|at| index(&said, *at)).collect();
    let several = named.len() > 1
        && named
            .iter()
            .all(|(name, _)| Some(name) == named.first().map(|(first, _)| first));
    if several {
        for at in found.into_iter().rev() {
            said.insert(at + 1, Atom::sign('_'));
        }
    }
    said
}
