//! Takes an answer's words apart: what is said around a formula goes, what stands for a sign becomes one, steps and reasons
//! are kept to be checked. A word that is not known here may say anything, such as `wrong`: then the answer is not read.

mod atoms;
mod known;
mod numerals;
mod phrases;

use self::{
    atoms::{Atom, atoms, text},
    known::Known,
    phrases::{Meaning, is_step, meaning},
};
use crate::{answer::phrase, grade::Drill};

/// Answers of more pieces are not read.
const MAX_ATOMS: usize = 600;

/// An answer with nothing but formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The answer proper.
    pub(crate) answer: String,
    /// The steps and reasons that were given with it.
    pub(crate) claims: Vec<String>,
}

/// How a clause hangs together with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    /// It is concluded from it, or the first.
    So,
    /// It is its reason.
    Because,
}

/// What an answer says; nothing where a word is not understood.
pub(crate) fn heard(drill: &Drill<'_>, answer: &str) -> Option<Heard> {
    let known = Known::of(drill);
    let mut atoms = without_exclamation(atoms(answer, MAX_ATOMS)?)?;
    // `(3|1)` is a point.
    let place = |sign: char| atoms.iter().position(|atom| atom.is(sign));
    if let (Some(open), Some(bar), Some(close)) = (place('('), place('|'), place(')'))
        && open < bar
        && bar < close
        && atoms.iter().filter(|atom| atom.is('|')).count() == 1
        && let Some(bar) = atoms.get_mut(bar)
    {
        *bar = Atom::sign(';');
    }
    let mut clauses = clauses(&atoms, &known);
    let proper = clauses.iter().rposition(|(join, _)| *join == Join::So)?;
    let (_, proper) = clauses.remove(proper);
    let answer = known.without_asked_unit(&said(&proper, &known)?);
    let mut claims = Vec::new();
    for (_, clause) in clauses {
        let words: Vec<&str> = clause.iter().filter_map(Atom::word).collect();
        if is_step(&words) {
            // A step is told with numbers of the exercise.
            let mut numbers = clause.iter().filter_map(Atom::number);
            if !numbers.all(|number| known.has_number(number)) {
                return None;
            }
        } else {
            claims.push(said(&clause, &known)?);
        }
    }
    Some(Heard {
        answer: text(&answer),
        claims: claims.iter().map(|claim| text(claim)).collect(),
    })
}

/// The atoms without marks of a sentence's end. A question is no answer, and `5!` may be a factorial.
fn without_exclamation(mut atoms: Vec<Atom>) -> Option<Vec<Atom>> {
    if atoms.iter().any(|atom| atom.is('?')) {
        return None;
    }
    let says_more = atoms
        .iter()
        .any(|atom| atom.is('=') || atom.word().is_some_and(|word| word.chars().count() > 1));
    while atoms.last().is_some_and(|last| last.is('!')) {
        if !says_more {
            return None;
        }
        atoms.pop();
    }
    Some(atoms)
}

/// Cuts an answer where it concludes or gives a reason.
fn clauses(atoms: &[Atom], known: &Known) -> Vec<(Join, Vec<Atom>)> {
    let mut found = Vec::new();
    let (atoms, remark) = without_remark(atoms, known);
    let mut join = Join::So;
    let mut own: Vec<Atom> = Vec::new();
    let mut at = 0;
    while let Some(atom) = atoms.get(at) {
        let cut = if atom.is('⇒') {
            Some((Join::So, 1))
        } else if atom.is('∵') {
            Some((Join::Because, 1))
        } else {
            cut_at(&atoms[at..], &own)
        };
        let Some((next, length)) = cut else {
            own.push(atom.clone());
            at += 1;
            continue;
        };
        found.push((join, std::mem::take(&mut own)));
        join = next;
        at += length;
    }
    found.push((join, own));
    if let Some(remark) = remark {
        found.push((Join::Because, remark));
    }
    for (_, clause) in &mut found {
        trim(clause);
    }
    // Only at the beginning may nothing stand before `so`.
    let dangles = found.last().is_some_and(|(_, clause)| clause.is_empty());
    found.retain(|(_, clause)| !clause.is_empty());
    if dangles {
        return Vec::new();
    }
    // What begins with its reason goes on with a comma.
    if let [(first @ Join::Because, _), rest @ ..] = found.as_mut_slice()
        && rest.iter().all(|(join, _)| *join == Join::Because)
    {
        *first = Join::So;
    }
    found
}

/// Whether words begin here that cut an answer, and how many.
fn cut_at(rest: &[Atom], before: &[Atom]) -> Option<(Join, usize)> {
    let words = run(rest);
    match meaning(&words, |meaning| {
        matches!(meaning, Meaning::So | Meaning::Because)
    }) {
        Some((Meaning::So, length)) => Some((Join::So, length)),
        // `I subtracted 6 from both sides`
        Some(_) if is_step(&before.iter().filter_map(Atom::word).collect::<Vec<_>>()) => None,
        Some((_, length)) => Some((Join::Because, length)),
        // `x = 5, I subtracted 7`
        None => (before.last().is_some_and(|last| last.is(',')) && is_step(&words))
            .then_some((Join::Because, 0)),
    }
}

/// A bracket at the end that holds words or an equation: what it says, and the rest.
fn without_remark<'a>(atoms: &'a [Atom], known: &Known) -> (&'a [Atom], Option<Vec<Atom>>) {
    let Some((last, before)) = atoms.split_last() else {
        return (atoms, None);
    };
    let open = before.iter().rposition(|atom| atom.is('('));
    let Some((open, inner)) = open.and_then(|open| Some((open, before.get(open + 1..)?))) else {
        return (atoms, None);
    };
    let speaks = inner.iter().any(|atom| {
        atom.is('=')
            || atom
                .word()
                .is_some_and(|word| word.chars().count() > 1 && !known.is_formula(word))
    });
    if !last.is(')') || open == 0 || !speaks {
        return (atoms, None);
    }
    (&atoms[..open], Some(inner.to_vec()))
}

/// The words that follow one another from here.
fn run(atoms: &[Atom]) -> Vec<&str> {
    atoms.iter().map_while(Atom::word).take(8).collect()
}

fn trim(clause: &mut Vec<Atom>) {
    let ends = |atom: &Atom| [',', ';', '.', '\n', ':'].iter().any(|mark| atom.is(*mark));
    while clause.last().is_some_and(ends) {
        clause.pop();
    }
    let start = clause.iter().take_while(|atom| ends(atom)).count();
    // `.5`
    let is_point = |pair: &[Atom]| matches!(pair, [point, digits] if (point.is('.') || point.is(',')) && digits.number().is_some() && !digits.is_spaced());
    let keeps = start > 0 && clause.get(start - 1..=start).is_some_and(is_point);
    clause.drain(..start - usize::from(keeps));
}

/// A clause with its words as signs; nothing if one is not understood.
fn said(clause: &[Atom], known: &Known) -> Option<Vec<Atom>> {
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
            && !clause.get(at + 2).is_some_and(|next| next.word().is_some());
        if between_numbers {
            said.push(Atom::sign('*'));
            at += 1;
        } else if is_repeating(word, said.last()) {
            said.push(Atom::sign('\u{305}'));
            at += 1;
        } else if let Some((number, length)) =
            hyphened(clause.get(at..).unwrap_or_default()).or_else(|| numerals::number(&words))
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

/// The clause without what only leads to it.
fn without_lead<'a>(clause: &'a [Atom], known: &Known) -> &'a [Atom] {
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
fn without_tail<'a>(clause: &'a [Atom], known: &Known) -> &'a [Atom] {
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
