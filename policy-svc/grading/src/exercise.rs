//! One form for all the ways to write an exercise. Its hash is kept in students' records, so every word of it is spelled here:
//! another spelling makes other exercises of all that counted.

mod formula;

use std::rc::Rc;

use crate::{
    algebra::{Rational, Roots, Work, normal},
    answer::{Answer, Letters},
    copies,
    grade::{Drill, Task},
    key::plain,
    notation::{Expression, Relation, Sign, relation_shape, shape},
    solving::is_solved,
    task::{self, Pick, Problem, Subject, Target, slope},
};

/// See [`crate::exercise_form`].
pub(crate) fn form(drill: &Drill<'_>) -> String {
    whole(drill)
        .unwrap_or_else(|| format!("{} | {}", plain(drill.prompt), plain(drill.question_latex)))
}

/// An exercise that is understood.
fn whole(drill: &Drill<'_>) -> Option<String> {
    // By its points: what is to be worked out with them may look alike.
    if let Some([[x, y], [other_x, other_y]]) = slope::points_of(drill) {
        return Some(format!("slope | ({x}, {y}), ({other_x}, {other_y})"));
    }
    task::problem(drill)
        .ok()
        .map(|problem| understood(&problem))
}

/// See [`crate::exercise_traits`].
pub(crate) fn traits(drill: &Drill<'_>) -> Vec<String> {
    let formulas = copies::formulas(drill);
    let alone = formulas.iter().filter_map(|text| {
        let found = without_name(task::formula(text)?);
        is_telling(&found).then(|| subject(&found, only(&found.variables())))
    });
    let mut found: Vec<String> = alone.collect();
    if found.is_empty() {
        found.extend(whole(drill));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What is to be worked out, where a formula only names it: `x = -8 + 5`, `-8 + 5 = ?`.
fn without_name(subject: Subject) -> Subject {
    let Subject::Relations(relations) = &subject else {
        return subject;
    };
    let [
        Relation {
            left,
            sign: Sign::Equal,
            right,
        },
    ] = relations.as_slice()
    else {
        return subject;
    };
    let is_name = |side: &Expression| matches!(side, Expression::Variable(_));
    match (left, right) {
        (name, value) | (value, name) if is_name(name) && !value.has_variable() => {
            Subject::Expression(value.clone())
        }
        _ => subject,
    }
}

/// Whether a formula tells one exercise from others: it has more than one value in it, and is neither the value of a variable
/// nor a number with letters behind it, which may be a quantity: `2 m`.
fn is_telling(subject: &Subject) -> bool {
    let says_little = match subject {
        Subject::Relations(relations) => relations.iter().any(is_solved),
        Subject::Expression(Expression::Multiply(factors)) => {
            let numbers = factors.iter().filter(|factor| !factor.has_variable());
            numbers.count() < 2 && factors.iter().all(|factor| values(factor) == 1)
        }
        _ => false,
    };
    !says_little && subject.expressions().into_iter().map(values).sum::<usize>() > 1
}

/// How many numbers and variables stand in an expression.
fn values(expression: &Expression) -> usize {
    expression.parts().map(values).sum::<usize>().max(1)
}

/// The only variable.
fn only(variables: &[Rc<str>]) -> Option<&str> {
    match variables {
        [only] => Some(&**only),
        _ => None,
    }
}

/// What is to be done, and with what. How many words ask for it makes no difference.
fn understood(problem: &Problem) -> String {
    let variables = problem.variables();
    let lone = only(&variables);
    let in_form = asks_for_form(problem);
    let mut parts = vec![
        asked(problem, in_form).as_str().to_owned(),
        subject(&problem.subject, lone),
    ];
    for (name, value) in &problem.givens {
        let name = formula::name(name, lone);
        let value = shape(&formula::tidied(value, lone));
        parts.push(format!("{name} = {value}"));
    }
    // A single variable need not be named.
    if let Some(unknown) = &problem.unknown
        && problem.task == Task::Solve
        && variables.len() > 1
    {
        parts.push(format!("for {unknown}"));
    }
    parts.extend(pick(problem.pick).map(str::to_owned));
    if in_form && let Some(target) = &problem.target {
        parts.push(format!("to {}", name(target)));
    }
    if in_form && let Some(places) = problem.round {
        parts.push(format!("{places} places"));
    }
    if problem.common_factor {
        parts.push("common factor".to_owned());
    }
    parts.join(" | ")
}

/// One task for all that ask for the same of an expression.
fn asked(problem: &Problem, in_form: bool) -> Task {
    match (&problem.subject, problem.task) {
        (
            Subject::Expression(_),
            Task::Evaluate | Task::Simplify | Task::Expand | Task::Convert,
        ) => {
            if is_open(problem) {
                Task::Simplify
            } else if in_form && problem.target.is_some() {
                Task::Convert
            } else {
                Task::Evaluate
            }
        }
        (_, task) => task,
    }
}

/// Whether a variable stands for no number.
fn is_open(problem: &Problem) -> bool {
    let is_given = |name: &str| problem.givens.iter().any(|(given, _)| &**given == name);
    problem.variables().iter().any(|name| !is_given(name))
}

/// Whether the form or the rounding that is asked for is the task, and not how a result is written: of a fraction that is to
/// become a decimal, of a root that is to be rounded.
fn asks_for_form(problem: &Problem) -> bool {
    let formula = match &problem.subject {
        Subject::Expression(formula) => formula,
        Subject::Relations(_) | Subject::System(_) => return false,
        Subject::Quantity(_) | Subject::Comparison(..) => return true,
    };
    match &problem.target {
        Some(Target::Percent | Target::Scientific) => return true,
        // To write a fraction as a fraction is to simplify it.
        Some(Target::Fraction) if formula.any(&|part| matches!(part, Expression::Divide(..))) => {
            return false;
        }
        _ => {}
    }
    !is_open(problem)
        && match value(problem, formula) {
            Some(value) => formula::is_number(formula) && !value.is_integer(),
            None => true,
        }
}

/// The rational number that an expression is.
fn value(problem: &Problem, formula: &Expression) -> Option<Rational> {
    let mut work = Work::new();
    let mut env = problem.env(Roots::Real, &mut work)?;
    normal(formula, &mut env, &mut work).ok()?.as_number()
}

fn subject(subject: &Subject, lone: Option<&str>) -> String {
    match subject {
        Subject::Expression(expression) => shape(&formula::tidied(expression, lone)).to_string(),
        Subject::Relations(all) | Subject::System(all) => relations(all, lone),
        Subject::Quantity(answer) => quantity(answer),
        Subject::Comparison(left, right) => format!("{} ? {}", shape(left), shape(right)),
    }
}

fn relations(all: &[Relation], lone: Option<&str>) -> String {
    let mut shapes: Vec<_> = all
        .iter()
        .map(|relation| relation_shape(&formula::tidied_relation(relation, lone)))
        .collect();
    shapes.sort();
    let shapes: Vec<_> = shapes.iter().map(ToString::to_string).collect();
    shapes.join(", ")
}

/// A number with its unit, whatever the unit is called.
fn quantity(answer: &Answer) -> String {
    let values = answer.values(Letters::Units, &mut Work::new());
    let values = values.unwrap_or_default().into_iter().map(|value| {
        let number = shape(&value.expression);
        match value.unit {
            Some(unit) => format!("{number} {} {}", unit.dimension, unit.factor),
            None => number.to_string(),
        }
    });
    let values: Vec<_> = values.collect();
    values.join(", ")
}

fn pick(pick: Pick) -> Option<&'static str> {
    match pick {
        Pick::All => None,
        Pick::Largest => Some("largest"),
        Pick::Smallest => Some("smallest"),
        Pick::Positive => Some("positive"),
        Pick::Negative => Some("negative"),
        Pick::NotZero => Some("not zero"),
    }
}

fn name(target: &Target) -> &str {
    match target {
        Target::Decimal => "decimal",
        Target::Fraction => "fraction",
        Target::Percent => "percent",
        Target::Mixed => "mixed",
        Target::Improper => "improper",
        Target::Scientific => "scientific",
        Target::Unit(unit) => unit,
    }
}
