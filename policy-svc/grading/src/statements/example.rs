//! Follows a worked example from its problem to its answer.

use std::rc::Rc;

use super::{
    Findings, cues,
    doubt::{Told, words},
    scan::{self, Edge, Run},
    verdict::Chain,
};
use crate::{
    algebra::{Env, Quotient, RealSet, Roots, Solutions, Work, compare, normal, solve_relation},
    forms::is_literal,
    notation::{Expression, Relation, Sign},
    rounding::may_be_rounded,
};

/// A worked example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkedExample<'a> {
    /// What is to be done, in words; empty where nothing but the problem is known.
    pub prompt: &'a str,
    /// The problem: an equation, an inequality, an expression.
    pub problem: &'a str,
    /// The steps, in order; with words or without.
    pub steps: &'a [&'a str],
    /// The answer: a formula, with words or without.
    pub answer: &'a str,
}

/// Checks whether a worked example's steps and answer follow from its problem. Where the problem is an equation or an
/// inequality in one variable, each step in that variable must agree with it: have all its solutions, or only such. The
/// answer must name solutions, and all of them; where words may ask for some, what is left out stays undecided. Where it is
/// an expression, each step that is one in the same variables, without words, must have its value, and so must the answer.
///
/// A false one is told by the place of its text: steps from 0, the answer after them. What a text says by itself is for
/// [`check_text`](super::check_text).
#[must_use]
pub fn check_example(example: &WorkedExample<'_>) -> Findings {
    let texts: Vec<&str> = example
        .steps
        .iter()
        .copied()
        .chain([example.answer])
        .collect();
    let mut findings = Findings::default();
    let Some(problem) = Problem::read(example.problem) else {
        findings.undecided += texts.len();
        return findings;
    };
    let last = texts.len().saturating_sub(1);
    let answer = if may_ask_for_some(example) {
        Line::Answer
    } else {
        Line::WholeAnswer
    };
    for (at, text) in texts.iter().enumerate() {
        let line = if at == last { answer } else { Line::Step };
        match problem.agrees(text, line) {
            Some(follows) => {
                findings.decided += 1;
                if !follows {
                    findings.false_statements.push(at..at + 1);
                }
            }
            None => findings.undecided += 1,
        }
    }
    findings
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// One on the way.
    Step,
    /// The last, which may name some of the solutions.
    Answer,
    /// The last, which must name all.
    WholeAnswer,
}

/// Whether the words of an example may ask for some of the solutions: the positive one, a length.
fn may_ask_for_some(example: &WorkedExample<'_>) -> bool {
    let problem = example.problem;
    let runs = scan::runs(problem);
    let place = runs
        .first()
        .map_or(0..problem.len(), |run| run.range.clone());
    let beside = [
        example.prompt,
        problem.get(..place.start).unwrap_or_default(),
        problem.get(place.end..).unwrap_or_default(),
    ];
    let is_plain = |word: &str| word.chars().count() == 1 || cues::is(cues::ASKING, word);
    let has = |text: &str, list: &str| words(text).any(|word| cues::is(list, word));
    beside
        .iter()
        .any(|text| words(&text.replace("\\text", "")).any(|word| !is_plain(word)))
        || has(example.answer, cues::OTHER)
        || (example.steps.iter().chain([&example.answer])).any(|text| has(text, cues::PICKING))
}

/// What steps are held against.
enum Problem {
    /// A relation in one variable, with its solutions.
    Relation(Rc<str>, Found),
    /// An expression.
    Expression(Expression),
}

/// Solutions.
enum Found {
    Numbers(Vec<Quotient>),
    Set(RealSet),
}

impl Problem {
    fn read(problem: &str) -> Option<Self> {
        let mut runs = scan::runs(problem).into_iter();
        if let Some(run) = runs.next() {
            let (name, found, _) = solved(&run)?;
            return runs.next().is_none().then_some(Self::Relation(name, found));
        }
        expression(problem).map(Self::Expression)
    }

    /// Whether a step follows, where that can be told.
    fn agrees(&self, text: &str, line: Line) -> Option<bool> {
        match self {
            Self::Relation(name, known) => agrees_in_solutions(name, known, text, line),
            Self::Expression(problem) => agrees_in_value(problem, text, line != Line::Step),
        }
    }
}

/// The variable of a run that is a relation in one, its solutions, and whether it names them: `x = 3`, `x = 5 - 2`, `x > 4`.
fn solved(run: &Run<'_>) -> Option<(Rc<str>, Found, bool)> {
    let readings = Chain::readings(&run.formula);
    let [chain] = readings.as_slice() else {
        return None;
    };
    let relations: Vec<_> = chain.relations().collect();
    if relations.len() != chain.links.len() {
        return None;
    }
    let mut names: Vec<Rc<str>> = chain.sides.iter().flat_map(Expression::variables).collect();
    names.sort();
    names.dedup();
    let [name] = names.as_slice() else {
        return None;
    };
    // `2x = 10 = 2 · 5` is a way to write, and `x = 5 - 2 = 3` is one equation.
    let is_equation = relations
        .iter()
        .all(|relation| relation.sign == Sign::Equal);
    let relations = match relations.as_slice() {
        [first, ..] if is_equation => std::slice::from_ref(first),
        all => all,
    };
    let mut work = Work::new();
    let found = match solve_relation(relations, name, &mut work).ok()? {
        Solutions::Numbers(numbers) => Found::Numbers(numbers),
        Solutions::Set(set) => Found::Set(set),
    };
    let is_named = relations.iter().all(names_solutions);
    Some((Rc::clone(name), found, is_named))
}

/// Whether the variable stands alone on one side, and no variable on the other.
fn names_solutions(relation: &Relation) -> bool {
    let lone = |one: &Expression, other: &Expression| {
        matches!(one, Expression::Variable(_)) && !other.has_variable()
    };
    lone(&relation.left, &relation.right) || lone(&relation.right, &relation.left)
}

/// Whether a text agrees with the solutions. The values that it names, `x = 0 or x = 3`, are taken together: a step may name
/// all that come into question, the answer names solutions only. An answer that names none is a step: `2x = 4`.
fn agrees_in_solutions(name: &Rc<str>, known: &Found, text: &str, line: Line) -> Option<bool> {
    let told = Told::new(text);
    let runs = scan::runs(text);
    let mut agreed = false;
    let mut numbers: Vec<Quotient> = Vec::new();
    // Of each set that is named, whether it is less or more than the solutions.
    let mut sets: Vec<bool> = Vec::new();
    for run in &runs {
        let Some((own_name, own, is_named)) = solved(run) else {
            continue;
        };
        let is_tried = matches!(run.before, Edge::Word(word) if cues::is(cues::TRYING, word));
        if own_name != *name || is_tried || told.is_no_claim(&run.range) {
            continue;
        }
        let mut work = Work::new();
        let agrees = match (known, own) {
            (Found::Numbers(_), Found::Numbers(own)) if is_named => {
                numbers.extend(own);
                continue;
            }
            (Found::Numbers(known), Found::Numbers(own)) => {
                are_within(&own, known, &mut work)? || are_within(known, &own, &mut work)?
            }
            (Found::Set(known), Found::Set(own)) => {
                if is_named {
                    let is_rounded = run.formula.contains(['.', ',']);
                    sets.push(!is_rounded && !own.equals(known, &mut work)?);
                }
                let both = known.intersection(&own, &mut work)?;
                both.equals(&own, &mut work)? || both.equals(known, &mut work)?
            }
            // `x = 3` puts a number into an inequality.
            _ => continue,
        };
        if !agrees {
            return Some(false);
        }
        agreed = true;
    }
    let must_be_whole = || line == Line::WholeAnswer && !has_other_number(text, &runs);
    let mut work = Work::new();
    match known {
        Found::Numbers(known) if !numbers.is_empty() => {
            let are_solutions = are_within(&numbers, known, &mut work)?;
            if line == Line::Step {
                return Some(are_solutions || are_within(known, &numbers, &mut work)?);
            }
            if are_solutions && !are_within(known, &numbers, &mut work)? {
                return must_be_whole().then_some(false);
            }
            Some(are_solutions)
        }
        _ if !agreed => None,
        _ if line == Line::Step => Some(true),
        Found::Set(_) if !sets.is_empty() => {
            let is_other = sets.as_slice() == [true];
            if is_other && must_be_whole() {
                return Some(false);
            }
            (!is_other).then_some(true)
        }
        _ => must_be_whole().then_some(false),
    }
}

/// Whether a number stands beside the relations of a text, which may be a solution, too: `x = 3 or -3`. What leads to them
/// with a colon tells a step.
fn has_other_number(text: &str, runs: &[Run<'_>]) -> bool {
    let has_number = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default();
        part.contains(|character: char| character.is_numeric())
    };
    let begin = runs.first().map_or(text.len(), |run| run.range.start);
    let lead = text.get(..begin).unwrap_or_default();
    let mut from = lead.rfind(':').map_or(0, |colon| colon + 1);
    for run in runs {
        if has_number(from, run.range.start) {
            return true;
        }
        from = run.range.end;
    }
    has_number(from, text.len())
}

/// Whether all of `some` are among `all`.
fn are_within(some: &[Quotient], all: &[Quotient], work: &mut Work) -> Option<bool> {
    for one in some {
        let mut is_found = false;
        for other in all {
            is_found |= compare(one, other, work)?.is_eq();
        }
        if !is_found {
            return Some(false);
        }
    }
    Some(true)
}

/// The expression that a text is, with nothing else in it.
fn expression(text: &str) -> Option<Expression> {
    let text = text.trim().trim_matches('$').trim();
    let text = text.strip_prefix('=').unwrap_or(text);
    // Read as one side of an equality, so that words and other formulas are in the way.
    let whole = format!("{text} = 0");
    let runs = scan::runs(&whole);
    let [run] = runs.as_slice() else {
        return None;
    };
    if run.range.start > 0 && !whole.get(..run.range.start)?.trim().is_empty() {
        return None;
    }
    let readings = Chain::readings(&run.formula);
    let [chain] = readings.as_slice() else {
        return None;
    };
    match chain.sides.as_slice() {
        [side, _] => Some(side.clone()),
        _ => None,
    }
}

fn agrees_in_value(problem: &Expression, text: &str, is_last: bool) -> Option<bool> {
    let own = match scan::runs(text).as_slice() {
        [] => expression(text)?,
        // `2/3 + 1/6 = 5/6`: what the whole problem comes to.
        [run] => {
            let readings = Chain::readings(&run.formula);
            let [chain] = readings.as_slice() else {
                return None;
            };
            let first = chain.sides.first()?;
            let last = chain.sides.last()?;
            if !is_same(problem, first)? {
                return None;
            }
            last.clone()
        }
        _ => return None,
    };
    // A number alone may be anything on the way.
    if is_literal(&own) && !is_last || own.variables() != problem.variables() {
        return None;
    }
    if is_same(problem, &own)? {
        return Some(true);
    }
    let mut work = Work::new();
    let exact = normal(problem, &mut Env::new(Roots::Positive), &mut work).ok()?;
    (!may_be_rounded(&own, &exact)).then_some(false)
}

fn is_same(one: &Expression, other: &Expression) -> Option<bool> {
    let mut work = Work::new();
    let mut value = |expression: &Expression| {
        normal(expression, &mut Env::new(Roots::Positive), &mut work).ok()
    };
    let (one, other) = (value(one)?, value(other)?);
    one.equals(&other, &mut Work::new()).ok()?
}
