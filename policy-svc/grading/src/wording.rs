//! Takes an answer's words apart: what is said around a formula goes, what stands for a sign becomes one, steps and reasons
//! are kept to be checked. A word that is not known here may say anything, such as `wrong`: then the answer is not read.

mod atoms;
mod clauses;
mod frame;
mod known;
pub mod numerals;
mod phrases;
mod signs;

use self::{
    atoms::{Atom, atoms, text},
    clauses::{Join, clauses},
    known::Known,
    phrases::is_step,
    signs::said,
};
use crate::grade::Drill;

/// Answers of more pieces are not read.
const MAX_ATOMS: usize = 600;

/// Signs behind which something is still to come.
const OPEN: &str = "=<>≤≥≠≈+-−±*·⋅×/÷^√(,;:⇒";

/// Words that make a question of what ends with a question mark: which of two it is, or what is asked.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "or", "what", "what's", "whats", "which", "how", "why", "who", "where", "when", "oder", "beziehungsweise", "was", "welche",
    "welcher", "welches", "wie", "warum", "wieso", "wer", "wo", "wann",
];

/// Words before a number that correct what was said, or nothing: `wait 6`, `hmm 6`.
const CORRECTING: [&str; 15] = [
    "no", "nope", "wait", "sorry", "actually", "hm", "hmm", "um", "ähm", "äh", "nein", "warte",
    "moment", "halt", "doch",
];
/// Those which, alone before a number, may say that it is not that number: `no, 6` corrects, `no 6` may do either.
const DENYING: [&str; 3] = ["no", "nope", "nein"];

/// An answer with nothing but formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The answer proper.
    pub(crate) answer: String,
    /// The steps and reasons that were given with it.
    pub(crate) claims: Vec<String>,
}

/// What an answer says; nothing where a word is not understood.
pub(crate) fn heard(drill: &Drill<'_>, answer: &str) -> Option<Heard> {
    let known = Known::of(drill);
    let mut atoms = without_correction(without_end_marks(atoms(answer, MAX_ATOMS)?)?);
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

/// The atoms without words that only correct what was said before. Behind them a number stands, as in `no, 6`: `no solution`
/// is an answer.
fn without_correction(mut atoms: Vec<Atom>) -> Vec<Atom> {
    let corrects = |atom: &Atom| atom.word().is_some_and(|word| CORRECTING.contains(&word));
    if !atoms.first().is_some_and(corrects) {
        return atoms;
    }
    let begins = |atom: &Atom| !corrects(atom) && !atom.is(',');
    let Some(at) = atoms.iter().position(begins) else {
        return atoms;
    };
    let denies = |atom: &Atom| atom.word().is_some_and(|word| DENYING.contains(&word));
    if at == 1 && atoms.first().is_some_and(denies) {
        return atoms;
    }
    let is_number = |atom: &Atom| atom.number().is_some();
    let is_negative =
        atoms.get(at).is_some_and(|atom| atom.is('-')) && atoms.get(at + 1).is_some_and(is_number);
    if is_negative || atoms.get(at).is_some_and(is_number) {
        atoms.drain(..at);
    }
    atoms
}

/// The atoms without marks of a sentence's end. `5?`, `5??!` and `is it 5?` are answers, other questions are none. In `x = ?`
/// the mark stands for the value, and `5!` may be a factorial; `5!!!` is none.
fn without_end_marks(mut atoms: Vec<Atom>) -> Option<Vec<Atom>> {
    let ends = |atom: &Atom| atom.is('?') || atom.is('!');
    let end = atoms.iter().rposition(|atom| !ends(atom))? + 1;
    let mut marks = atoms.iter().skip(end);
    if let Some(before) = marks.position(|mark| mark.is('?')) {
        atoms.truncate(end + before);
        let stands_for_value = atoms
            .last()
            .is_some_and(|last| OPEN.chars().any(|sign| last.is(sign)));
        let asks = |atom: &Atom| atom.word().is_some_and(|word| ASKING.contains(&word));
        if stands_for_value || atoms.iter().any(asks) {
            return None;
        }
    }
    if atoms.iter().any(|atom| atom.is('?')) {
        return None;
    }
    let says_more = atoms
        .iter()
        .any(|atom| atom.is('=') || atom.word().is_some_and(|word| word.chars().count() > 1));
    let shouted = atoms.iter().rev().take_while(|atom| atom.is('!')).count();
    if shouted == 1 && !says_more {
        return None;
    }
    atoms.truncate(atoms.len() - shouted);
    Some(atoms)
}
