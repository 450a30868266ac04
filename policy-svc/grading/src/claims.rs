//! Steps and reasons that were written with an answer: they must be true, or nobody can tell what was meant.

use std::rc::Rc;

use crate::{
    algebra::{Env, Quotient, Roots, Solutions, Work, compare, normal, solve_relation},
    answer::{self, Answer, Item, Letters, Part},
    forms::is_unfinished,
    notation::{Expression, Relation, Sign},
    solving::{answer_set, literals},
    task::{Pick, Problem, Subject},
};

/// More steps are not followed.
const MAX_STEPS: usize = 8;

/// The steps before an answer, and the answer: `x + 7 - 7 = 12 - 7, x = 5`. Nothing where no step stands before it.
pub(crate) fn steps(text: &str) -> Option<(Vec<String>, String)> {
    let parts = parts(text);
    let count = parts
        .iter()
        .take_while(|(part, _)| is_step(part))
        .count()
        .min(parts.len().saturating_sub(1));
    if count == 0 || count > MAX_STEPS {
        return None;
    }
    let rest = parts.get(count)?.1;
    let steps = parts.iter().take(count);
    Some((
        steps.map(|(part, _)| part.clone()).collect(),
        text.get(rest..)?.to_owned(),
    ))
}

/// The end of a chain of equations, where variables have values: `5n + 3 = 5*4 + 3 = 23`.
pub(crate) fn last_side(problem: Option<&Problem>, text: &str) -> Option<(Vec<String>, String)> {
    let is_given = problem.is_some_and(|problem| {
        matches!(problem.subject, Subject::Expression(_)) && !problem.givens.is_empty()
    });
    let (_, last) = text.rsplit_once('=').filter(|_| is_given)?;
    Some((vec![text.to_owned()], last.to_owned()))
}

/// The parts between commas, semicolons and new lines that stand in no bracket, each with where it begins.
fn parts(text: &str) -> Vec<(String, usize)> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | ';' | '\n' if depth == 0 => {
                parts.push((text.get(start..at).unwrap_or_default().to_owned(), start));
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push((text.get(start..).unwrap_or_default().to_owned(), start));
    parts.retain(|(part, _)| !part.trim().is_empty());
    parts
}

/// `2x = 10`, and not `x = 5`: an equation that gives no value.
fn is_step(part: &str) -> bool {
    let Some((_, answer)) = answer::usual_readings(without_margin(part)).pop() else {
        return false;
    };
    let Answer::Items(items) = &answer else {
        return false;
    };
    let [(_, Item::Chain { sides, .. })] = items.as_slice() else {
        return false;
    };
    let variable = |side: &Part| matches!(side, Part::Value(Expression::Variable(_)));
    let constant = |side: &Part| matches!(side, Part::Value(value) if !value.has_variable());
    let gives_value = sides.iter().any(variable) && sides.iter().any(constant);
    // `x = 15 - 6` is a step to `x = 9`.
    !gives_value || is_unfinished(&answer, &mut Work::new())
}

/// `x + 6 = 15 | - 6`: what is done next stands in the margin.
fn without_margin(part: &str) -> &str {
    match part.split_once('|') {
        Some((before, after))
            if !after.contains('|')
                && after
                    .trim_start()
                    .starts_with(['-', '−', '+', '*', '·', ':', '/', '÷']) =>
        {
            before
        }
        _ => part,
    }
}

/// Whether an answer to which the key is no equal shows the key in an equality of numbers that holds: `9 - 2*4 = 1` for the
/// 4 of `9 - 2x = 1`.
pub(crate) fn shows(key: &str, answer: &str) -> bool {
    // Most answers need no reading for that.
    if !answer.contains('=') {
        return false;
    }
    let keys = answer::usual_readings(key);
    let ([(_, key)], mut work) = (keys.as_slice(), Work::new()) else {
        return false;
    };
    let values = key
        .values(Letters::Variables, &mut work)
        .unwrap_or_default();
    let [value] = values.as_slice() else {
        return false;
    };
    let mut number = |expression: &Expression| {
        let number = normal(expression, &mut Env::new(Roots::Real), &mut Work::new()).ok()?;
        number.is_constant().then_some(number)
    };
    let Some(value) = number(&value.expression) else {
        return false;
    };
    answer::usual_readings(answer).iter().any(|(_, said)| {
        let Answer::Items(items) = said else {
            return false;
        };
        let holds = said.is_arithmetic()
            && items
                .iter()
                .all(|(_, item)| is_true(item, said, &[Env::new(Roots::Real)], &mut work));
        let mut shown = Vec::new();
        for expression in said.expressions() {
            literals(expression, &mut shown);
        }
        holds
            && shown
                .into_iter()
                .filter_map(&mut number)
                .any(|own| own.equals(&value, &mut work) == Ok(Some(true)))
    })
}

/// Whether all steps are true of the answer.
pub(crate) fn hold(
    claims: &[String],
    problem: Option<&Problem>,
    answer: &str,
    work: &mut Work,
) -> bool {
    if claims.is_empty() {
        return true;
    }
    let Some((_, answer)) = answer::usual_readings(answer).into_iter().next() else {
        return false;
    };
    let mut names: Vec<Rc<str>> = problem.map(Problem::variables).unwrap_or_default();
    names.retain(|name| {
        problem.is_none_or(|problem| !problem.givens.iter().any(|(given, _)| given == name))
    });
    let Some(bindings) = bindings(&answer, &names, problem, work) else {
        return false;
    };
    claims.iter().all(|claim| {
        answer::usual_readings(without_margin(claim))
            .iter()
            .any(|(_, said)| match said {
                Answer::Items(items) => items.iter().all(|(_, item)| {
                    is_true(item, &answer, &bindings, work) || is_passed_over(item, problem, work)
                }),
                Answer::Phrase(_) => *said == answer,
            })
    })
}

/// Whether an item is a solution, where only one of several is asked for: `x = 4 or x = -9, so 4`.
fn is_passed_over(item: &Item, problem: Option<&Problem>, work: &mut Work) -> bool {
    let Some(problem) = problem.filter(|problem| problem.pick != Pick::All) else {
        return false;
    };
    let (Subject::Relations(given), Some(relations)) = (&problem.subject, item.relations()) else {
        return false;
    };
    let [
        Relation {
            left: Expression::Variable(name),
            sign: Sign::Equal,
            right,
        },
    ] = relations.as_slice()
    else {
        return false;
    };
    let value = normal(right, &mut Env::new(Roots::Real), work).ok();
    let env = problem.env(Roots::Real, work);
    let Some((env, value)) = env.zip(value) else {
        return false;
    };
    let env = env.with(&variable(name), value);
    given.iter().all(|relation| is_met(relation, &env, work))
}

/// `x_1` is one of the values of x.
fn variable(name: &Rc<str>) -> Rc<str> {
    name.split('_').next().map_or(Rc::clone(name), Rc::from)
}

/// The environments in which steps must be true: one for each solution.
fn bindings(
    answer: &Answer,
    names: &[Rc<str>],
    problem: Option<&Problem>,
    work: &mut Work,
) -> Option<Vec<Env>> {
    let base = || match problem {
        Some(problem) => problem.env(Roots::Real, &mut Work::new()),
        None => Some(Env::new(Roots::Real)),
    };
    let is_solved =
        problem.is_none_or(|problem| !matches!(problem.subject, Subject::Expression(_)));
    let mut named: Vec<(Rc<str>, Quotient)> = Vec::new();
    for value in answer.values(Letters::Variables, work).unwrap_or_default() {
        let name = value.variable.or_else(|| match names {
            [only] if is_solved => Some(Rc::clone(only)),
            _ => None,
        });
        let Some(name) = name else { continue };
        named.push((
            variable(&name),
            normal(&value.expression, &mut Env::new(Roots::Real), work).ok()?,
        ));
    }
    let is_system = named
        .iter()
        .enumerate()
        .all(|(at, (name, _))| named.iter().skip(at + 1).all(|(other, _)| other != name));
    if is_system {
        let mut env = base()?;
        for (name, value) in named {
            env = env.with(&name, value);
        }
        return Some(vec![env]);
    }
    named
        .into_iter()
        .map(|(name, value)| Some(base()?.with(&name, value)))
        .collect()
}

fn is_true(item: &Item, answer: &Answer, bindings: &[Env], work: &mut Work) -> bool {
    match item {
        Item::Chain { unit: None, .. } => {
            let Some(relations) = item.relations() else {
                return false;
            };
            let is_inequality = relations
                .iter()
                .any(|relation| relation.sign != Sign::Equal);
            if is_inequality
                && relations
                    .iter()
                    .any(|relation| relation.left.has_variable() || relation.right.has_variable())
            {
                return is_same_set(&relations, answer, work);
            }
            relations
                .iter()
                .all(|relation| bindings.iter().all(|env| is_met(relation, env, work)))
        }
        // `9, as 15 - 6`
        Item::Value {
            plain: Some(said), ..
        } => {
            let mut value =
                |expression: &Expression| normal(expression, &mut Env::new(Roots::Real), work).ok();
            let Some(said) = value(said) else {
                return false;
            };
            let values = answer
                .values(Letters::Variables, &mut Work::new())
                .unwrap_or_default();
            let values: Vec<Quotient> = values
                .iter()
                .filter_map(|own| value(&own.expression))
                .collect();
            values
                .iter()
                .any(|own| own.equals(&said, work) == Ok(Some(true)))
        }
        _ => false,
    }
}

fn is_met(relation: &Relation, env: &Env, work: &mut Work) -> bool {
    let mut side = |expression: &Expression| normal(expression, &mut env.clone(), work).ok();
    let (Some(left), Some(right)) = (side(&relation.left), side(&relation.right)) else {
        return false;
    };
    match relation.sign {
        Sign::Equal => left.equals(&right, work) == Ok(Some(true)),
        sign if left.is_constant() && right.is_constant() => {
            compare(&left, &right, work).is_some_and(|order| sign.holds(order))
        }
        _ => false,
    }
}

fn is_same_set(relations: &[Relation], answer: &Answer, work: &mut Work) -> bool {
    let Some((own, Some(name))) = answer_set(answer, work) else {
        return false;
    };
    match solve_relation(relations, &name, work) {
        Ok(Solutions::Set(set)) => set.equals(&own, work) == Some(true),
        _ => false,
    }
}
