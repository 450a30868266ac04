//! A student who always answers right and presses the primary button gets everywhere.

use proptest::prelude::*;
use turnwise_decisions::{
    Action, Course, FallbackReason, Outcome, PrereqWalk, QuestionState, QuestionStatus, Resolution,
    Tier, decide, resolve, resolve::Card,
};

use crate::{
    fixtures::{PerfectStudent, Turn, now, plan},
    strategies,
};

/// Enough for each unit: drills for the streak, one exam for each tier, the buttons between.
const TURNS_PER_UNIT: usize = 16;

/// One turn without a model, and the evidence that follows from it. Gives the event of the next press.
fn turn(
    course: &Course,
    student: &mut PerfectStudent,
    event: Option<turnwise_decisions::Event>,
    locked: &mut bool,
) -> turnwise_decisions::Event {
    let plan = plan(
        course,
        &Turn {
            snapshot: student.snapshot.clone(),
            mapped_units: Vec::new(),
            event,
            target_locked: *locked,
            now: now(),
        },
    )
    .unwrap();
    *locked = plan.target_locked;
    let focus = plan.focus_unit_id.clone();
    let candidates: Vec<_> = ["bronze-1", "bronze-2", "silver-1", "gold-1"]
        .iter()
        .map(|rest| format!("{focus}-{rest}"))
        .collect();
    let statuses = candidates
        .iter()
        .map(|id| {
            let state = if student.passed.contains_key(id) {
                QuestionState::Passed
            } else {
                QuestionState::Available
            };
            (
                id.clone(),
                QuestionStatus {
                    state,
                    locked_until: None,
                },
            )
        })
        .collect();
    let decision = decide(
        course,
        &strategies::decide_input(plan, (candidates, statuses, false)),
    )
    .unwrap();
    let outcome = Outcome::Failure(FallbackReason::LlmTimeout);
    let reply = resolve(course, &decision.policy, outcome).unwrap();
    student.snapshot.focus_unit_id = focus;
    show_what_you_know(student, &reply);
    let primary = decision.buttons.iter().find(|b| b.primary);
    primary.expect("a primary button").event.clone()
}

fn show_what_you_know(student: &mut PerfectStudent, reply: &Resolution) {
    match (&reply.card, reply.action) {
        (Some(Card::Drill(_)), Action::DrillCard) => student.solve_drill(&reply.target_unit_id),
        (Some(Card::Exam(question)), Action::ExamBlock) => {
            student.pass_exam(&reply.target_unit_id, &question.id, question.tier);
        }
        _ => {}
    }
}

/// The assessable units without a badge after the bounded number of turns.
fn unreached(course: &Course) -> Vec<String> {
    let mut student = PerfectStudent::default();
    let mut event = None;
    let mut locked = false;
    let open = |student: &PerfectStudent| -> Vec<String> {
        course
            .path()
            .iter()
            .map(|at| course.id(*at).to_owned())
            .filter(|id| {
                student
                    .snapshot
                    .progress
                    .get(id)
                    .is_none_or(|p| p.tier == Tier::None)
            })
            .collect()
    };
    for _ in 0..(TURNS_PER_UNIT * course.unit_count() + 2) {
        if open(&student).is_empty() {
            return Vec::new();
        }
        event = Some(turn(course, &mut student, event, &mut locked));
    }
    open(&student)
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn the_primary_button_leads_to_bronze_everywhere(course in strategies::course(30, true)) {
        prop_assume!(course.rules().prereq_walk == PrereqWalk::Transitive);
        prop_assert_eq!(unreached(&course), Vec::<String>::new());
    }
}

/// A student who keeps asking about a blocked unit is led through its prerequisites by the check's button.
#[test]
fn naming_the_target_again_and_again_is_no_deadlock() {
    let course = crate::fixtures::course();
    let mut student = PerfectStudent::default();
    for _ in 0..60 {
        let message = crate::fixtures::input(student.snapshot.clone(), &[("D", 1.0)]);
        let asked = plan(&course, &message).unwrap();
        if asked.prereq_blocking_unit_id.is_none() {
            return;
        }
        let focus = asked.focus_unit_id.clone();
        let decision = crate::fixtures::decide_available(&course, asked, &[]);
        student.snapshot.focus_unit_id = focus;
        let pressed = decision.buttons[0].event.clone();
        turn(&course, &mut student, Some(pressed), &mut true);
    }
    panic!("still blocked: {:?}", student.snapshot.progress);
}
