//! Missing prerequisites: how far the search goes, what counts as met, and the check that opens the way.

use turnwise_decisions::{EventKind, PrereqWalk, Tier};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::Page,
    story::Story,
    turns::{ago, ready_for_equations, turn},
};
use crate::fixtures::*;

fn asks(unit: &'static str, record: turnwise_decisions::Snapshot) -> Turn {
    Turn {
        mapped_units: mapped(&[(unit, 0.9)]),
        ..turn(record)
    }
}

#[test]
fn search_for_a_missing_prerequisite_goes_to_the_first_unit_to_do() {
    let course = algebra();
    golden!(
        "A new student asks about straight lines. Two-step equations are missing, one-step equations are missing for \
         these, variables and inverse operations for those, with equal scores: the first that one-step equations name is \
         variables, and for variables integers are missing. Integers have nothing missing.",
        Story::new(&course, asks("lines", snapshot("welcome", &[]))).page(),
    );
}

#[test]
fn course_may_look_one_prerequisite_far() {
    let course = algebra_with(|spec| spec.rules.prereq_walk = PrereqWalk::First);
    let drilled = snapshot("welcome", &[("one-step", progress(Tier::None, 2, 2))]);
    golden!(
        "The same course with the one-hop rule: the first missing prerequisite of the target in the order of the file, \
         whatever it lacks itself. Being blocked, it is not ready for an exam, however well it was drilled.",
        Page::chapters([
            (
                "straight lines",
                Story::new(&course, asks("lines", snapshot("welcome", &[]))).plan_page()
            ),
            (
                "two-step equations, one-step drilled",
                Story::new(&course, asks("two-step", drilled))
                    .available(&["one-step-bronze-1"])
                    .page()
            ),
        ]),
    );
}

#[test]
fn among_missing_prerequisites_the_score_then_the_order_of_the_edges() {
    let course = algebra();
    let known_integers = ("integers", progress(Tier::Bronze, 2, 2));
    let equal = snapshot("welcome", &[known_integers]);
    let drilled = snapshot(
        "welcome",
        &[known_integers, ("inverse", progress(Tier::None, 1, 1))],
    );
    golden!(
        "One-step equations name variables before inverse operations, and both are missing. With equal scores the first \
         named is taken, though inverse operations come first in the file and in the alphabet; a right drill on inverse \
         operations turns that round.",
        Page::chapters([
            (
                "equal scores",
                Story::new(&course, asks("one-step", equal)).plan_page()
            ),
            (
                "a right drill on inverse operations",
                Story::new(&course, asks("one-step", drilled)).plan_page()
            ),
        ]),
    );
}

#[test]
fn unit_without_badges_counts_as_met() {
    let course = algebra();
    let record = snapshot("two-step", &[("two-step", progress(Tier::Bronze, 4, 2))]);
    golden!(
        "Straight lines need two-step equations, which have a badge, and the calculator, where none can be earned: \
         nothing is missing.",
        Story::new(&course, asks("lines", record)).page(),
    );
}

#[test]
fn teachers_mark_counts_as_met_and_is_no_badge() {
    let course = algebra();
    let mut record = snapshot("welcome", &[]);
    record.prerequisite_overrides = ["inverse", "variables", "no-longer-there"]
        .map(str::to_owned)
        .into();
    golden!(
        "A teacher marked both prerequisites of one-step equations as met. The way is open, and no badge is counted.",
        Story::new(&course, asks("one-step", record)).page(),
    );
}

#[test]
fn placed_units_count_as_met_and_are_no_badge() {
    let course = algebra();
    let mut record = snapshot("welcome", &[]);
    record.placed = ["inverse", "variables", "no-longer-there"]
        .map(str::to_owned)
        .into();
    golden!(
        "A placement showed that the student knows both prerequisites of one-step equations. The way is open, and no \
         badge is counted.",
        Story::new(&course, asks("one-step", record)).page(),
    );
}

#[test]
fn search_ends_on_a_circle() {
    let course = algebra_with(|spec| {
        let puzzles = spec.units.iter_mut().find(|unit| unit.id == "puzzles");
        puzzles.unwrap().prerequisites = vec!["lines".to_owned()];
        let lines = spec.units.iter_mut().find(|unit| unit.id == "lines");
        lines.unwrap().prerequisites = vec!["puzzles".to_owned()];
    });
    golden!(
        "Packs with a circle are refused when they load. Should one get here all the same, the search visits no unit \
         twice and ends: each of the two waits for the other.",
        Story::new(&course, asks("lines", snapshot("welcome", &[]))).plan_page(),
    );
}

/// Well drilled on inverse operations, which have no badge yet; all else that one-step equations need is there.
fn drilled_on_inverse() -> turnwise_decisions::Snapshot {
    let mut record = ready_for_equations();
    let drilled = ago(3, progress(Tier::None, 3, 3));
    record.progress.insert("inverse".to_owned(), drilled);
    record
}

#[test]
fn drilled_blocking_unit_opens_its_check() {
    let course = algebra();
    golden!(
        "The student keeps asking about one-step equations while inverse operations, well drilled, lack the badge. No \
         exam is open on the blocking unit by a message, and the first button opens its check.",
        Story::new(&course, asks("one-step", drilled_on_inverse()))
            .available(&["inverse-bronze-1"])
            .page(),
    );
}

#[test]
fn check_of_a_blocking_unit_is_its_exam() {
    let course = algebra();
    let pressed = Turn {
        event: event(EventKind::RequestExam, "inverse"),
        target_locked: true,
        ..turn(drilled_on_inverse())
    };
    golden!(
        "That button pressed: the blocking unit becomes target and focus, and its exam question is the only action.",
        Story::new(&course, pressed)
            .available(&["inverse-bronze-1", "inverse-bronze-2"])
            .replying(|policy| reply(policy, turnwise_decisions::Action::ExamBlock))
            .page(),
    );
}

#[test]
fn check_that_is_not_open_goes_on_like_after_a_drill() {
    let course = algebra();
    let press = |unit| Turn {
        event: event(EventKind::RequestExam, unit),
        target_locked: true,
        ..turn(drilled_on_inverse())
    };
    golden!(
        "An exam is asked for and cannot be had: once because the questions are locked, once because the unit is blocked, \
         so that another one becomes the focus. Both go on like after a drill.",
        Page::chapters([
            (
                "locked",
                Story::new(&course, press("inverse"))
                    .exams(&[(
                        "inverse-bronze-1",
                        turnwise_decisions::QuestionState::Locked,
                        Some("2026-03-03T08:00:00Z")
                    )])
                    .policy_page()
            ),
            (
                "blocked",
                Story::new(&course, press("one-step"))
                    .available(&["inverse-bronze-1", "one-step-bronze-1"])
                    .policy_page()
            ),
        ]),
    );
}
