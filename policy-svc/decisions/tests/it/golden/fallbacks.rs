//! Replies that need no model.

use turnwise_decisions::{Course, Drill, EventKind, FallbackReason, Outcome, Policy, resolve};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::Page,
    story::Story,
    turns::{on_one_step, turn},
};
use crate::fixtures::*;

fn timed_out(course: &Course, policy: &Policy) -> Page {
    let timeout = Outcome::Failure(FallbackReason::LlmTimeout);
    let mut page = Page::default();
    page.section("resolved");
    page.resolution(&resolve(course, policy, timeout).unwrap());
    page
}

fn pressed(course: &Course, kind: EventKind) -> Policy {
    let turn = Turn {
        event: event(kind, "one-step"),
        ..turn(on_one_step(3, 2))
    };
    Story::new(course, turn)
        .available(&["one-step-bronze-2", "one-step-bronze-1"])
        .policy()
}

#[test]
fn question_without_a_model() {
    let plain = algebra();
    let mute = algebra_with(|spec| spec.units[4].misconceptions.clear());
    let asking = algebra_with(|spec| {
        spec.units[4].title = "One step: which?".to_owned();
        spec.units[4].misconceptions = vec!["Is 4x = 20?\nThen subtract 4?".to_owned()];
    });
    let story = |course| Story::new(course, turn(on_one_step(3, 2))).policy();
    let entry = Story::new(&plain, turn(snapshot("welcome", &[]))).policy();
    golden!(
        "A question comes first, made of the focus's title and its first misconception, and ends with its only question \
         mark, whatever the course's texts hold.",
        Page::chapters([
            ("title and misconception", timed_out(&plain, &story(&plain))),
            ("no misconception", timed_out(&mute, &story(&mute))),
            (
                "questions in the course's texts",
                timed_out(&asking, &story(&asking))
            ),
            ("the entry unit", timed_out(&plain, &entry)),
        ]),
    );
}

#[test]
fn drill_without_a_model() {
    let plain = algebra();
    let long = algebra_with(|spec| {
        spec.units[4].drills = vec![Drill {
            id: "one-step-d1".to_owned(),
            prompt: "Solve both.".to_owned(),
            question_latex: "x = 1 \\\\ y = 2".to_owned(),
        }];
    });
    let none = algebra_with(|spec| spec.units[4].drills.clear());
    let policy = |course, turn_id: &str| Policy {
        turn_id: turn_id.to_owned(),
        ..pressed(course, EventKind::RequestDrill)
    };
    golden!(
        "Where only a drill is allowed, it is one of the course's, chosen by the turn's id. Drills that are too long for \
         one are passed over; without any, words ask for an example, and there is no card.",
        Page::chapters([
            ("a turn", timed_out(&plain, &policy(&plain, "turn-1"))),
            (
                "the next turn",
                timed_out(&plain, &policy(&plain, "turn-2"))
            ),
            ("too long", timed_out(&long, &policy(&long, "turn-1"))),
            ("no drill", timed_out(&none, &policy(&none, "turn-1"))),
        ]),
    );
}

#[test]
fn exam_without_a_model() {
    let course = algebra();
    golden!(
        "Where only an exam question is allowed, it is the first candidate.",
        timed_out(&course, &pressed(&course, EventKind::RequestExam)),
    );
}

#[test]
fn every_reason_leads_to_the_same_reply() {
    let course = algebra();
    let policy = Story::new(&course, turn(on_one_step(3, 2))).policy();
    let mut page = Page::default();
    page.section("reason: reply");
    for reason in FallbackReason::ALL {
        let resolution = resolve(&course, &policy, Outcome::Failure(reason)).unwrap();
        assert_eq!(resolution.fallback_reason, Some(reason));
        page.line(
            reason.as_str(),
            format!(
                "{} about {}",
                resolution.action.as_str(),
                resolution.target_unit_id
            ),
        );
    }
    golden!("The reason is named and changes nothing else.", page);
}
