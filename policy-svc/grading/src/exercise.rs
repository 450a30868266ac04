//! One form for all the ways to write an exercise.

use crate::{
    grade::{Drill, Task},
    key::plain,
    notation::{Relation, relation_shape, shape},
    task::{self, Problem, Subject},
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
    let relations = |all: &[Relation]| {
        let mut shapes: Vec<_> = all.iter().map(relation_shape).collect();
        shapes.sort();
        format!("{shapes:?}")
    };
    let subject = match &problem.subject {
        Subject::Expression(expression) => format!("{:?}", shape(expression)),
        Subject::Relations(all) | Subject::System(all) => relations(all),
        Subject::Quantity(quantity) => format!("{quantity:?}"),
        Subject::Comparison(left, right) => format!("{:?} ? {:?}", shape(left), shape(right)),
    };
    let givens: Vec<_> = problem
        .givens
        .iter()
        .map(|(name, value)| (name, shape(value)))
        .collect();
    // A single variable need not be named.
    let unknown = problem
        .unknown
        .as_ref()
        .filter(|_| problem.task == Task::Solve && problem.variables().len() > 1);
    format!(
        "{} {subject} {givens:?} {unknown:?} {:?} {:?} {:?} {}",
        problem.task.as_str(),
        problem.pick,
        problem.target,
        problem.round,
        problem.common_factor,
    )
}
