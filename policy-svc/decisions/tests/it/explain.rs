//! Reasons for what is allowed and what is not: exact for known turns, true for all.

mod cases;
mod frame;
mod truth;

use turnwise_decisions::{
    Action, Course, DecideInput,
    explain::{ActionExplanation, Explanation, Reason, explain},
};

use crate::fixtures::course_with;

/// The small course with titles that read: A and B come before C, C before D, which has none.
fn course() -> Course {
    course_with(|spec| {
        for (unit, title) in spec.units.iter_mut().zip([
            "Welcome",
            "Inverse operations",
            "Fractions",
            "One-step equations",
            "",
            "Calculators",
            "Graphs",
        ]) {
            title.clone_into(&mut unit.title);
        }
    })
}

fn explained(course: &Course, input: &DecideInput) -> Explanation {
    explain(course, input).unwrap()
}

/// What is said of one action.
fn said(course: &Course, input: &DecideInput, action: Action) -> (bool, Vec<Reason>, String) {
    let explanation = explained(course, input);
    let of_action = |a: &ActionExplanation| a.action == action;
    let found = explanation.actions.into_iter().find(of_action).unwrap();
    (found.allowed, found.reasons, found.text)
}
