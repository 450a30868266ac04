//! Reasons for what is allowed and what is not: exact for known turns, true for all.

mod cases;
mod exams;
mod frame;
mod truth;

use turnwise_decisions::{
    Action, Course, DecideInput, Snapshot,
    explain::{ActionExplanation, Explanation, Reason, explain},
};

use crate::fixtures::{course_with, decide_input, plan_for, statuses};

const B1: &str = "B-bronze-1";
const B2: &str = "B-bronze-2";

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

/// Checks what is said of one action.
fn check(
    course: &Course,
    input: &DecideInput,
    action: Action,
    allowed: bool,
    reasons: &[Reason],
    text: &str,
) {
    let said = said(course, input, action);
    assert_eq!(said, (allowed, reasons.to_vec(), text.to_owned()));
}

fn id(unit: &str) -> String {
    unit.to_owned()
}

fn short(unit: &str, have: u32) -> Reason {
    Reason::StreakShort {
        unit_id: id(unit),
        have,
        needed: 2,
    }
}

/// A message about these units, and no exam question found.
fn about(course: &Course, snapshot: Snapshot, mapped: &[(&str, f64)]) -> DecideInput {
    decide_input(plan_for(course, snapshot, mapped), &[], statuses(&[]))
}
