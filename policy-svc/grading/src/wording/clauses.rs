//! Cuts an answer into what it says and the steps and reasons beside it.

use super::{
    atoms::Atom,
    known::Known,
    phrases::{Meaning, is_step, meaning},
};

/// How a clause hangs together with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// It is concluded from it, or the first.
    So,
    /// It is its reason.
    Because,
}

/// Cuts an answer where it concludes or gives a reason.
pub(super) fn clauses(atoms: &[Atom], known: &Known) -> Vec<(Join, Vec<Atom>)> {
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
pub(super) fn run(atoms: &[Atom]) -> Vec<&str> {
    atoms.iter().map_while(Atom::word).take(8).collect()
}

/// Drops the marks at both ends of a clause.
pub(super) fn trim(clause: &mut Vec<Atom>) {
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
