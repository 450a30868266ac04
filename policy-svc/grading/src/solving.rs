//! Grades solutions of equations, inequalities and systems.

mod sets;
mod systems;

use std::rc::Rc;

pub(crate) use self::sets::answer_set;
use self::systems::system;
use crate::{
    algebra::{
        Env, Quotient, RealSet, Roots, Solutions, Stop, Work, compare, normal, sign, solve_relation,
    },
    answer::{Answer, Item, Letters, Phrase, Value},
    forms::{Form, evaluated, is_literal, is_lowest, is_unfinished, signed_number},
    grade::{Reason, Verdict},
    notation::{Expression, Relation, Sign, relation_shape, shape},
    rounding::may_be_rounded,
    task::{Pick, Problem, Subject, Target},
    working::converted,
};

/// A verdict and why.
pub(crate) type Judgement = (Verdict, Reason);

/// All was read, but it stays open.
pub(crate) const OPEN: Judgement = (Verdict::CannotTell, Reason::Undecided);

/// The value is right, and still to be worked out.
pub(crate) const UNFINISHED: Judgement = (Verdict::CannotTell, Reason::NotEvaluated);

const SOLVED: Judgement = (Verdict::Right, Reason::EqualToSolution);
const NO_SOLUTION: Judgement = (Verdict::Wrong, Reason::NotASolution);
const INCOMPLETE: Judgement = (Verdict::Wrong, Reason::IncompleteSolutionSet);

/// Grades an answer to a problem that asks for solutions.
pub(crate) fn judge(problem: &Problem, answer: &Answer, work: &mut Work) -> Judgement {
    let (Subject::Relations(relations) | Subject::System(relations)) = &problem.subject else {
        return OPEN;
    };
    let given: Vec<Relation> = relations
        .iter()
        .map(|relation| Relation {
            left: substituted(&relation.left, &problem.givens),
            sign: relation.sign,
            right: substituted(&relation.right, &problem.givens),
        })
        .collect();
    let mut variables: Vec<Rc<str>> = given
        .iter()
        .flat_map(|relation| [relation.left.variables(), relation.right.variables()].concat())
        .collect();
    variables.sort();
    variables.dedup();
    if let Some(copied) = copied(relations, &given, answer) {
        return copied;
    }
    // An equation that is solved as it stands asks something else.
    if given.iter().all(is_solved) {
        return (Verdict::CannotTell, Reason::UnreadableQuestion);
    }
    let is_system = matches!(problem.subject, Subject::System(_));
    let judgement = match (variables.as_slice(), &problem.unknown) {
        _ if is_system => system(&given, &variables, answer, work),
        ([only], named) if named.as_ref().is_none_or(|named| named == only) => {
            one_unknown(problem, &given, only, answer, work)
        }
        ([_, _, ..], Some(unknown)) if variables.contains(unknown) => match given.as_slice() {
            [relation] if relation.sign == Sign::Equal => literal(relation, unknown, answer, work),
            _ => OPEN,
        },
        _ => (Verdict::CannotTell, Reason::UnreadableQuestion),
    };
    match judgement.0 {
        Verdict::Right if is_unfinished(answer, work) => UNFINISHED,
        Verdict::Right if is_in_other_form(problem, answer, work) => {
            (Verdict::CannotTell, Reason::NotConverted)
        }
        Verdict::Right => as_worked_out(&given, answer, work).unwrap_or(judgement),
        // `5 + 4 = 9` shows the number that was missing, somewhere.
        Verdict::Wrong if answer.is_arithmetic() && is_filled_in(&given, &variables, answer) => {
            OPEN
        }
        _ => judgement,
    }
}

/// Whether an answer is the exercise's equation with a number in its place.
fn is_filled_in(given: &[Relation], variables: &[Rc<str>], answer: &Answer) -> bool {
    let ([relation], [variable], Answer::Items(items)) = (given, variables, answer) else {
        return false;
    };
    let said: Vec<_> = items
        .iter()
        .filter_map(|(_, item)| item.relations())
        .flatten()
        .map(|relation| relation_shape(&relation))
        .collect();
    let mut numbers = Vec::new();
    for expression in answer.expressions() {
        literals(expression, &mut numbers);
    }
    numbers.into_iter().any(|number| {
        let value = [(Rc::clone(variable), number.clone())];
        said.contains(&relation_shape(&Relation {
            left: substituted(&relation.left, &value),
            sign: relation.sign,
            right: substituted(&relation.right, &value),
        }))
    })
}

/// The numbers that stand in an expression, each once: -4 is one, and 2/3 is three.
pub(crate) fn literals<'a>(expression: &'a Expression, found: &mut Vec<&'a Expression>) {
    let is_one = is_literal(expression);
    if is_one && !found.contains(&expression) {
        found.push(expression);
    }
    if !is_one || matches!(expression, Expression::Divide(..)) {
        for part in expression.parts() {
            literals(part, found);
        }
    }
}

/// Whether a solution is not in the form that the prompt asks for: a decimal, a fraction in lowest terms, rounded.
fn is_in_other_form(problem: &Problem, answer: &Answer, work: &mut Work) -> bool {
    let asked = !matches!(problem.target, None | Some(Target::Unit(_)));
    let values = answer.values(Letters::Variables, work).unwrap_or_default();
    values.iter().map(|value| &value.expression).any(|value| {
        let places = signed_number(value).map(|(_, places)| places.unwrap_or(0));
        let is_whole = places == Some(0);
        !is_whole
            && (asked && converted(problem, value) != Form::Met
                || problem.simplified && !is_lowest(value)
                || problem
                    .round
                    .is_some_and(|round| places.is_none_or(|places| places > round)))
    })
}

/// What is wrong with a right value of `x = 3 + 4`, where all there is to do is to work it out.
fn as_worked_out(given: &[Relation], answer: &Answer, work: &mut Work) -> Option<Judgement> {
    let [relation] = given else {
        return None;
    };
    let lone = |one: &Expression, other: &Expression| matches!(one, Expression::Variable(name) if !other.variables().contains(name));
    let side = if relation.sign != Sign::Equal {
        return None;
    } else if lone(&relation.left, &relation.right) {
        &relation.right
    } else if lone(&relation.right, &relation.left) {
        &relation.left
    } else {
        return None;
    };
    let values = answer.values(Letters::Variables, work)?;
    let [value] = values.as_slice() else {
        return None;
    };
    let is_constant = !side.has_variable();
    if shape(&value.expression) == shape(side) {
        let verdict = if is_constant && evaluated(side, work) == Form::Missed {
            Verdict::Wrong
        } else {
            Verdict::CannotTell
        };
        return Some((verdict, Reason::CopiedQuestion));
    }
    if !is_constant {
        return None;
    }
    match evaluated(&value.expression, work) {
        Form::Met => None,
        _ => Some(UNFINISHED),
    }
}

/// The question's own equation again. Where it is solved as it stands, nobody can tell a copy from a solution.
fn copied(relations: &[Relation], given: &[Relation], answer: &Answer) -> Option<Judgement> {
    let Answer::Items(items) = answer else {
        return None;
    };
    let own: Vec<_> = items
        .iter()
        .filter_map(|(_, item)| item.relations())
        .flatten()
        .map(|relation| relation_shape(&relation))
        .collect();
    let is_copy = |relations: &[Relation]| {
        own.len() == relations.len()
            && relations
                .iter()
                .all(|relation| own.contains(&relation_shape(relation)))
    };
    if !is_copy(relations) && !is_copy(given) {
        return None;
    }
    let verdict = if relations.iter().all(is_solved) {
        Verdict::CannotTell
    } else {
        Verdict::Wrong
    };
    Some((verdict, Reason::CopiedQuestion))
}

/// `x = 4`, `x > 4`
pub(crate) fn is_solved(relation: &Relation) -> bool {
    let lone = |one: &Expression, other: &Expression| {
        matches!(one, Expression::Variable(_)) && is_literal(other)
    };
    lone(&relation.left, &relation.right) || lone(&relation.right, &relation.left)
}

/// The expression with the givens put in.
fn substituted(expression: &Expression, givens: &[(Rc<str>, Expression)]) -> Expression {
    let one = |part: &Expression| Box::new(substituted(part, givens));
    let all = |parts: &[Expression]| parts.iter().map(|part| substituted(part, givens)).collect();
    match expression {
        Expression::Variable(name) => givens
            .iter()
            .find(|(given, _)| given == name)
            .map_or_else(|| expression.clone(), |(_, value)| value.clone()),
        Expression::Number { .. } | Expression::Mixed(..) => expression.clone(),
        Expression::Add(parts) => Expression::Add(all(parts)),
        Expression::Multiply(parts) => Expression::Multiply(all(parts)),
        Expression::Negate(inner) => Expression::Negate(one(inner)),
        Expression::Divide(left, right) => Expression::Divide(one(left), one(right)),
        Expression::Power(left, right) => Expression::Power(one(left), one(right)),
        Expression::Root(index, inner) => Expression::Root(*index, one(inner)),
        Expression::Absolute(inner) => Expression::Absolute(one(inner)),
        Expression::Percent(inner) => Expression::Percent(one(inner)),
        Expression::PlusMinus(left, right) => {
            Expression::PlusMinus(left.as_deref().map(one), one(right))
        }
    }
}

fn one_unknown(
    problem: &Problem,
    relations: &[Relation],
    variable: &str,
    answer: &Answer,
    work: &mut Work,
) -> Judgement {
    let Ok(solutions) = solve_relation(relations, variable, work) else {
        return OPEN;
    };
    match solutions {
        Solutions::Numbers(numbers) => match picked(numbers, problem.pick, work) {
            Some(numbers) => against_numbers(&numbers, variable, answer, work),
            None => OPEN,
        },
        Solutions::Set(set) if problem.pick == Pick::All => {
            against_set(&set, variable, answer, problem.writing, work)
        }
        Solutions::Set(_) => OPEN,
    }
}

fn picked(numbers: Vec<Quotient>, pick: Pick, work: &mut Work) -> Option<Vec<Quotient>> {
    let signed = |positive: i8| {
        let mut kept = Vec::new();
        for number in &numbers {
            if sign(number)? == positive {
                kept.push(number.clone());
            }
        }
        Some(kept)
    };
    let extreme = |order: std::cmp::Ordering, work: &mut Work| {
        let mut best: Option<Quotient> = None;
        for number in &numbers {
            let better = match &best {
                Some(best) => compare(number, best, work)? == order,
                None => true,
            };
            if better {
                best = Some(number.clone());
            }
        }
        best.map(|best| vec![best])
    };
    match pick {
        Pick::All => Some(numbers),
        Pick::Largest => extreme(std::cmp::Ordering::Greater, work),
        Pick::Smallest => extreme(std::cmp::Ordering::Less, work),
        Pick::Positive => signed(1),
        Pick::Negative => signed(-1),
        Pick::NotZero => Some(
            numbers
                .into_iter()
                .filter(|number| !number.is_zero())
                .collect(),
        ),
    }
}

/// The constant that a value is.
fn constant(value: &Value, work: &mut Work) -> Result<Quotient, Stop> {
    let number = normal(&value.expression, &mut Env::new(Roots::Real), work)?;
    // `0x` has a variable, too.
    if number.is_constant() && !value.expression.has_variable() {
        Ok(number)
    } else {
        Err(Stop::Unsupported)
    }
}

fn against_numbers(
    numbers: &[Quotient],
    variable: &str,
    answer: &Answer,
    work: &mut Work,
) -> Judgement {
    let values = match answer {
        Answer::Phrase(Phrase::Nothing | Phrase::NotReal) if numbers.is_empty() => return SOLVED,
        Answer::Phrase(Phrase::Nothing | Phrase::Everything | Phrase::Infinite) => {
            return NO_SOLUTION;
        }
        Answer::Phrase(_) => return OPEN,
        Answer::Items(_) => match answer.values(Letters::Variables, work) {
            Some(values) => values,
            None => return OPEN,
        },
    };
    let mut found = vec![false; numbers.len()];
    let mut open = false;
    let mut wrong = false;
    for value in &values {
        // `x_1` is one of the values of x.
        let is_own = value
            .variable
            .as_deref()
            .is_none_or(|named| named.split('_').next() == Some(variable) || named == variable);
        if value.unit.is_some() || !is_own {
            return OPEN;
        }
        let Ok(own) = constant(value, work) else {
            return OPEN;
        };
        let mut matched = false;
        let mut possible = false;
        for (number, found) in numbers.iter().zip(&mut found) {
            match own.equals(number, work) {
                Ok(Some(true)) => {
                    *found = true;
                    matched = true;
                }
                Ok(Some(false)) => possible |= may_be_rounded(&value.expression, number),
                _ => possible = true,
            }
        }
        wrong |= !matched && !possible;
        open |= !matched && possible;
    }
    match (open, found.iter().all(|found| *found)) {
        _ if wrong => NO_SOLUTION,
        (true, _) => OPEN,
        (false, true) => SOLVED,
        (false, false) => INCOMPLETE,
    }
}

fn against_set(
    set: &RealSet,
    variable: &str,
    answer: &Answer,
    writing: bool,
    work: &mut Work,
) -> Judgement {
    let Answer::Items(items) = answer else {
        return match answer {
            Answer::Phrase(Phrase::Everything) if set.is_all() => SOLVED,
            Answer::Phrase(Phrase::Infinite) if set.is_all() => SOLVED,
            Answer::Phrase(Phrase::Nothing) if set.is_empty() => SOLVED,
            Answer::Phrase(Phrase::Nothing | Phrase::Everything) => NO_SOLUTION,
            _ => OPEN,
        };
    };
    let Some((own, named)) = answer_set(answer, work) else {
        return OPEN;
    };
    if named.is_some_and(|named| &*named != variable) {
        return OPEN;
    }
    match own.equals(set, work) {
        Some(true) => {
            let in_brackets = items
                .iter()
                .all(|(_, item)| matches!(item, Item::Bracket { .. }));
            if writing && !in_brackets {
                (Verdict::CannotTell, Reason::NotConverted)
            } else {
                SOLVED
            }
        }
        Some(false) => {
            let places = answer
                .expressions()
                .into_iter()
                .filter_map(Expression::decimal_places)
                .max();
            match places {
                Some(places) if !set.ends().all(|end| end.terminates(places)) => OPEN,
                _ => NO_SOLUTION,
            }
        }
        None => OPEN,
    }
}

/// An equation in several variables, solved for one of them.
fn literal(relation: &Relation, unknown: &str, answer: &Answer, work: &mut Work) -> Judgement {
    let Some(values) = answer.values(Letters::Variables, work) else {
        return OPEN;
    };
    let [value] = values.as_slice() else {
        return OPEN;
    };
    let own_name = value.variable.as_deref().is_none_or(|name| name == unknown);
    if !own_name
        || value.unit.is_some()
        || value
            .expression
            .variables()
            .iter()
            .any(|name| &**name == unknown)
    {
        return OPEN;
    }
    let check = |work: &mut Work| -> Result<(Option<bool>, bool), Stop> {
        let mut env = Env::new(Roots::Positive);
        let left = normal(&relation.left, &mut env, work)?;
        let right = normal(&relation.right, &mut env, work)?;
        let difference = left.subtract(&right, work)?;
        let linear = difference
            .above
            .by_powers(unknown, 1)
            .is_some_and(|powers| powers.get(1).is_some_and(|slope| !slope.is_zero()));
        let own = normal(&value.expression, &mut Env::new(Roots::Positive), work)?;
        let mut env = Env::new(Roots::Positive).with(unknown, own);
        let left = normal(&relation.left, &mut env, work)?;
        let right = normal(&relation.right, &mut env, work)?;
        Ok((left.equals(&right, work)?, linear))
    };
    match check(work) {
        Ok((Some(true), true)) => SOLVED,
        Ok((Some(false), true)) if value.expression.decimal_places().is_none() => NO_SOLUTION,
        _ => OPEN,
    }
}
