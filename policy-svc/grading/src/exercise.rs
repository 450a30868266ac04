//! One form for all the ways to write an exercise. Its hash is kept in students' records, so every word of it is spelled here:
//! another spelling makes other exercises of all that counted.

use crate::{
    algebra::Work,
    answer::{Answer, Letters},
    grade::{Drill, Task},
    key::plain,
    notation::{Relation, relation_shape, shape},
    task::{self, Pick, Problem, Subject, Target},
};

/// See [`crate::exercise_form`].
pub(crate) fn form(drill: &Drill<'_>) -> String {
    match task::problem(drill) {
        Ok(problem) => understood(&problem),
        Err(_) => format!("{} | {}", plain(drill.prompt), plain(drill.question_latex)),
    }
}

/// What is to be done, and with what. How many words ask for it makes no difference.
fn understood(problem: &Problem) -> String {
    let mut parts = vec![problem.task.as_str().to_owned(), subject(&problem.subject)];
    for (name, value) in &problem.givens {
        parts.push(format!("{name} = {}", shape(value)));
    }
    // A single variable need not be named.
    if let Some(unknown) = &problem.unknown
        && problem.task == Task::Solve
        && problem.variables().len() > 1
    {
        parts.push(format!("for {unknown}"));
    }
    parts.extend(pick(problem.pick).map(str::to_owned));
    if let Some(target) = &problem.target {
        parts.push(format!("to {}", name(target)));
    }
    if let Some(places) = problem.round {
        parts.push(format!("{places} places"));
    }
    if problem.common_factor {
        parts.push("common factor".to_owned());
    }
    parts.join(" | ")
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Expression(expression) => shape(expression).to_string(),
        Subject::Relations(all) | Subject::System(all) => relations(all),
        Subject::Quantity(answer) => quantity(answer),
        Subject::Comparison(left, right) => format!("{} ? {}", shape(left), shape(right)),
    }
}

fn relations(all: &[Relation]) -> String {
    let mut shapes: Vec<_> = all.iter().map(relation_shape).collect();
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
