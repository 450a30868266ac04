//! Follows a worked example from its problem to its answer.

use std::rc::Rc;

use super::{
    Findings,
    cues::{self, Words},
    doubt::{Told, is_cut, words},
    identity,
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

/// Whether a step agrees with a relation in one variable: has all its solutions, or only such. `None` where that cannot be
/// told.
pub(super) fn step_follows(problem: &Run<'_>, step: &str) -> Option<bool> {
    let (name, known, _) = solved(problem)?;
    agrees_in_solutions(&name, &known, step, Line::Step)
}

/// The formulas with a relation in a text. What follows a verb may be a part of more: `3(x + 2) is 3 times the bracket`.
fn runs(text: &str) -> Vec<Run<'_>> {
    let mut runs = scan::runs(text);
    runs.retain(|run| {
        let own = text.get(run.range.clone()).unwrap_or_default();
        let is_told = cues::EQUATING.iter().any(|verb| own.contains(verb));
        !is_told || !is_cut(run, Chain::usual(&run.formula).as_ref())
    });
    runs
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
    let runs = runs(problem);
    let place = runs
        .first()
        .map_or(0..problem.len(), |run| run.range.clone());
    let beside = [
        example.prompt,
        problem.get(..place.start).unwrap_or_default(),
        problem.get(place.end..).unwrap_or_default(),
    ];
    let is_plain = |word: &str| word.chars().count() == 1 || cues::ASKING.has(word);
    let has = |text: &str, list: &Words| words(text).any(|word| list.has(word));
    beside
        .iter()
        .any(|text| words(&text.replace("\\text", "")).any(|word| !is_plain(word)))
        || has(example.answer, &cues::OTHER)
        || (example.steps.iter().chain([&example.answer])).any(|text| has(text, &cues::PICKING))
}

/// What steps are held against.
enum Problem {
    /// A relation in one variable, with its solutions.
    Relation(Rc<str>, Found),
    /// Equations in several variables, some of which may give values: `y = 3x - 7, x = 4`.
    System(Vec<Relation>),
    /// An expression.
    Expression(Expression),
}

/// Solutions.
enum Found {
    Numbers(Vec<Quotient>),
    Set {
        set: RealSet,
        /// Whether it is that of one inequality of the first degree: then what follows has the same solutions.
        is_linear: bool,
    },
}

impl Problem {
    fn read(problem: &str) -> Option<Self> {
        match runs(problem).as_slice() {
            [] => expression(without_task(problem)).map(Self::Expression),
            [run] if let Some((name, found, _)) = solved(run) => Some(Self::Relation(name, found)),
            runs => {
                let equations: Option<Vec<_>> = runs.iter().map(equation).collect();
                equations.map(Self::System)
            }
        }
    }

    /// Whether a step follows, where that can be told.
    fn agrees(&self, text: &str, line: Line) -> Option<bool> {
        match self {
            Self::Relation(name, known) => agrees_in_solutions(name, known, text, line),
            Self::System(_) if line == Line::Step => None,
            Self::System(equations) => satisfies(equations, text),
            Self::Expression(problem) => agrees_in_value(problem, text, line != Line::Step),
        }
    }
}

/// The variable of a run that is a relation in one, its solutions, and whether it names them: `x = 3`, `x = 5 - 2`, `x > 4`.
fn solved(run: &Run<'_>) -> Option<(Rc<str>, Found, bool)> {
    let chain = Chain::only(&run.formula)?;
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
        Solutions::Set(set) => Found::Set {
            set,
            is_linear: relations.len() == 1 && chain.sides.iter().all(identity::is_linear),
        },
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
    let runs = runs(text);
    let mut agreed = false;
    let mut numbers: Vec<Quotient> = Vec::new();
    // Of each set that is named, whether it is less or more than the solutions.
    let mut sets: Vec<bool> = Vec::new();
    for run in &runs {
        let Some((own_name, own, is_named)) = solved(run) else {
            continue;
        };
        let is_tried = matches!(run.before, Edge::Word(word) if cues::TRYING.has(word));
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
            (
                Found::Set {
                    set: known,
                    is_linear,
                },
                Found::Set {
                    set: own,
                    is_linear: own_is_linear,
                },
            ) => {
                let is_rounded = run.formula.contains(['.', ',']);
                let is_other = !is_rounded && !own.equals(known, &mut work)?;
                if is_named {
                    sets.push(is_other);
                }
                if is_other && *is_linear && own_is_linear && line == Line::Step {
                    return Some(false);
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
    let mut work = Work::new();
    let bare = bare_value(text, &mut work).filter(|_| line == Line::WholeAnswer);
    let must_be_whole =
        || line == Line::WholeAnswer && (bare.is_some() || !has_other_number(text, &runs));
    numbers.extend(bare.clone());
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
        Found::Set { .. } if !sets.is_empty() => {
            let is_other = sets.as_slice() == [true];
            if is_other && must_be_whole() {
                return Some(false);
            }
            (!is_other).then_some(true)
        }
        _ => must_be_whole().then_some(false),
    }
}

/// The number that an answer is, with nothing beside it and not rounded.
fn bare_value(text: &str, work: &mut Work) -> Option<Quotient> {
    let value = expression(text).filter(|value| is_literal(value) && !text.contains(['.', ',']))?;
    normal(&value, &mut Env::new(Roots::Real), work).ok()
}

/// The equation that a run is.
fn equation(run: &Run<'_>) -> Option<Relation> {
    let chain = Chain::only(&run.formula)?;
    let mut relations = chain.relations();
    relations
        .next()
        .filter(|relation| relation.sign == Sign::Equal && chain.links.len() == 1)
}

/// The variable of an equation that gives its value, and the value.
fn given(equation: &Relation) -> Option<(&Rc<str>, &Expression)> {
    match (&equation.left, &equation.right) {
        (Expression::Variable(name), value) | (value, Expression::Variable(name))
            if !value.has_variable() =>
        {
            Some((name, value))
        }
        _ => None,
    }
}

/// Whether the values that an answer gives, one for each variable, satisfy equations.
fn satisfies(equations: &[Relation], text: &str) -> Option<bool> {
    let runs = runs(text);
    let named: Vec<Relation> = runs.iter().map(equation).collect::<Option<_>>()?;
    let mut work = Work::new();
    let mut env = Env::new(Roots::Real);
    let mut names: Vec<&Rc<str>> = Vec::new();
    let known = equations.iter().filter_map(given);
    let own: Vec<_> = named.iter().map(given).collect::<Option<_>>()?;
    for (name, value) in known.chain(own.iter().copied()) {
        if names.contains(&name) {
            return None;
        }
        names.push(name);
        env = env.with(
            name,
            normal(value, &mut Env::new(Roots::Real), &mut work).ok()?,
        );
    }
    let told = Told::new(text);
    let has_all = |side: &Expression| side.variables().iter().all(|name| names.contains(&name));
    let is_whole = equations
        .iter()
        .all(|equation| has_all(&equation.left) && has_all(&equation.right));
    if own.is_empty() || !is_whole || runs.iter().any(|run| told.is_no_claim(&run.range)) {
        return None;
    }
    for equation in equations {
        let left = normal(&equation.left, &mut env.clone(), &mut work).ok()?;
        let right = normal(&equation.right, &mut env.clone(), &mut work).ok()?;
        if !left.equals(&right, &mut work).ok()?? {
            // `1/3` may be written as `0.33`.
            let is_rounded = runs.iter().any(|run| run.formula.contains(['.', ',']));
            return (!is_rounded).then_some(false);
        }
    }
    Some(true)
}

/// A problem without the words that say that it is to be worked out: `\text{Work out } 3 + 4`.
fn without_task(problem: &str) -> &str {
    let told = problem.trim().strip_prefix("\\text{");
    match told.and_then(|rest| rest.split_once('}')) {
        Some((task, formula)) if words(task).all(|word| cues::COMPUTING.has(word)) => formula,
        _ => problem,
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
    let runs = runs(&whole);
    let [run] = runs.as_slice() else {
        return None;
    };
    if run.range.start > 0 && !whole.get(..run.range.start)?.trim().is_empty() {
        return None;
    }
    let chain = Chain::only(&run.formula)?;
    match chain.sides.as_slice() {
        [side, _] => Some(side.clone()),
        _ => None,
    }
}

fn agrees_in_value(problem: &Expression, text: &str, is_last: bool) -> Option<bool> {
    let own = match runs(text).as_slice() {
        [] => expression(text)?,
        // `2/3 + 1/6 = 5/6`: what the whole problem comes to.
        [run] => {
            let chain = Chain::only(&run.formula)?;
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
