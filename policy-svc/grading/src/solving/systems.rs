//! Grades solutions of systems of equations.

use std::rc::Rc;

use super::{INCOMPLETE, Judgement, NO_SOLUTION, OPEN, SOLVED};
use crate::{
    algebra::{Env, Quotient, Roots, SystemSolution, Work, normal, solve_system},
    answer::{Answer, Item, Letters, Part, Phrase},
    notation::{Expression, Relation},
    rounding::may_be_rounded,
};

/// Grades the solution of a system of linear equations.
pub(super) fn system(
    relations: &[Relation],
    variables: &[Rc<str>],
    answer: &Answer,
    work: &mut Work,
) -> Judgement {
    let Ok(solution) = solve_system(relations, variables, work) else {
        return OPEN;
    };
    let solution = match (solution, answer) {
        (SystemSolution::Empty, Answer::Phrase(Phrase::Nothing)) => return SOLVED,
        (SystemSolution::Many, Answer::Phrase(Phrase::Infinite)) => return SOLVED,
        (_, Answer::Phrase(Phrase::Nothing | Phrase::Infinite | Phrase::Everything)) => {
            return NO_SOLUTION;
        }
        (_, Answer::Phrase(_)) => return OPEN,
        (SystemSolution::Unique(solution), Answer::Items(_)) => solution,
        (SystemSolution::Empty, Answer::Items(_)) => {
            return match named_values(variables, answer, work) {
                Some(_) => NO_SOLUTION,
                None => OPEN,
            };
        }
        (SystemSolution::Many, Answer::Items(_)) => return OPEN,
    };
    let Some(values) = named_values(variables, answer, work) else {
        return OPEN;
    };
    let usual = variables
        .iter()
        .all(|name| matches!(&**name, "x" | "y" | "z"));
    let mut open = false;
    let mut wrong = false;
    let mut seen: Vec<Rc<str>> = Vec::new();
    for (name, expression, by_place) in &values {
        let Some(exact) = solution.get(name) else {
            return OPEN;
        };
        let exact = Quotient::number(exact.clone());
        let Ok(own) = normal(expression, &mut Env::new(Roots::Real), work) else {
            return OPEN;
        };
        match own.equals(&exact, work) {
            Ok(Some(true)) => {}
            Ok(Some(false)) => {
                wrong = true;
                open |= may_be_rounded(expression, &exact) || *by_place && !usual;
            }
            _ => return OPEN,
        }
        if seen.contains(name) {
            return OPEN;
        }
        seen.push(Rc::clone(name));
    }
    match (wrong, seen.len() == variables.len()) {
        (true, _) if open => OPEN,
        (true, _) => NO_SOLUTION,
        (false, true) => SOLVED,
        (false, false) => INCOMPLETE,
    }
}

/// Values by variable; values without a name go by place, in the order of the alphabet. The flag says by place.
fn named_values(
    variables: &[Rc<str>],
    answer: &Answer,
    work: &mut Work,
) -> Option<Vec<(Rc<str>, Expression, bool)>> {
    let Answer::Items(items) = answer else {
        return None;
    };
    if let [
        (
            _,
            Item::Bracket {
                open: '(',
                close: '(',
                parts,
            },
        ),
    ] = items.as_slice()
    {
        if parts.len() != variables.len() {
            return None;
        }
        return variables
            .iter()
            .zip(parts)
            .map(|(name, part)| match part {
                Part::Value(expression) if !expression.has_variable() => {
                    Some((Rc::clone(name), expression.clone(), true))
                }
                _ => None,
            })
            .collect();
    }
    // `(x, y) = (2, 3)` and the like are not read. Names are not inherited here.
    let named = items
        .iter()
        .all(|(_, item)| matches!(item, Item::Chain { .. }));
    let values = answer.values(Letters::Variables, work)?;
    if values
        .iter()
        .any(|value| value.unit.is_some() || value.expression.has_variable())
    {
        return None;
    }
    if named {
        return values
            .into_iter()
            .map(|value| Some((value.variable?, value.expression, false)))
            .collect();
    }
    let unnamed = items
        .iter()
        .all(|(_, item)| matches!(item, Item::Value { .. }));
    (unnamed && values.len() == variables.len()).then(|| {
        variables
            .iter()
            .zip(values)
            .map(|(name, value)| (Rc::clone(name), value.expression, true))
            .collect()
    })
}
