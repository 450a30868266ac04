//! Exam questions: which are offered, in which order, and what a lock means.

use turnwise_decisions::{
    QuestionState::{Available, Locked, Passed},
    Record, Snapshot, Tier, describe_standing,
};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::Page,
    story::Story,
    turns::{ago, on_one_step, turn},
};
use crate::fixtures::*;

const ONE: &str = "one-step-bronze-1";
const TWO: &str = "one-step-bronze-2";

/// Ready for a question on one-step equations, with this badge.
fn ready(tier: Tier) -> Snapshot {
    let mut record = on_one_step(3, 2);
    record
        .progress
        .insert("one-step".to_owned(), ago(18, progress(tier, 3, 2)));
    record
}

#[test]
fn gold_drains_to_the_next_unit() {
    let course = algebra();
    golden!(
        "A unit at gold keeps gold as the tier to reach. Its questions are passed, so none is available, and the first \
         button leads to the next unit.",
        Story::new(&course, turn(ready(Tier::Gold)))
            .exams(&[("one-step-gold-1", Passed, None)])
            .page(),
    );
}

#[test]
fn silver_follows_bronze() {
    let course = algebra_with(|spec| {
        let second = question("one-step-silver-2", "one-step", Tier::Silver);
        spec.questions.push(second);
    });
    let mut story = Story::new(&course, turn(ready(Tier::Bronze))).exams(&[
        (ONE, Available, None),
        ("inverse-silver-1", Available, None),
        ("not-in-the-catalogue", Available, None),
        ("one-step-silver-1", Available, None),
    ]);
    story.found.push("one-step-silver-2");
    golden!(
        "With bronze, silver is the tier to reach. Questions of another tier or unit, those that the catalogue does not \
         have, and those that the exam system says nothing of are not offered: silver-1 is left.",
        story.policy_page(),
    );
}

#[test]
fn lock_times_are_compared_as_instants() {
    let course = algebra();
    golden!(
        "Two locked questions. As text 08:00 with no offset comes first; as an instant 09:00 two hours to the east does, \
         which is 07:00.",
        Story::new(&course, turn(ready(Tier::None)))
            .exams(&[
                (ONE, Locked, Some("2026-03-03T08:00:00Z")),
                (TWO, Locked, Some("2026-03-03T09:00:00+02:00")),
            ])
            .policy_page(),
    );
}

#[test]
fn lock_without_a_time_is_a_lock() {
    let course = algebra();
    golden!(
        "A question is locked and nobody knows until when, the other was passed: locked, without a time.",
        Story::new(&course, turn(ready(Tier::None)))
            .exams(&[(ONE, Locked, None), (TWO, Passed, None)])
            .policy_page(),
    );
}

#[test]
fn one_open_question_is_enough() {
    let course = algebra();
    golden!(
        "One question is locked and one open: available, with the open one only and no time.",
        Story::new(&course, turn(ready(Tier::None)))
            .exams(&[
                (ONE, Locked, Some("2026-03-03T08:00:00Z")),
                (TWO, Available, None)
            ])
            .policy_page(),
    );
}

#[test]
fn questions_to_revisit_come_first() {
    let course = algebra_with(|spec| {
        for n in 3..=5 {
            let id = format!("one-step-bronze-{n}");
            spec.questions.push(question(&id, "one-step", Tier::Bronze));
        }
    });
    let mut record = ready(Tier::None);
    record.revisit_question_ids = [
        "one-step-bronze-4",
        "integers-bronze-1",
        "one-step-bronze-3",
        "no-longer-there",
        "one-step-silver-1",
    ]
    .map(str::to_owned)
    .into();
    golden!(
        "Those in the revisit queue come first, the oldest before the others, then retrieval's order. Of the queue only \
         this unit and tier count here, and what is locked is left out.",
        Story::new(&course, turn(record))
            .exams(&[
                ("one-step-bronze-5", Available, None),
                ("one-step-bronze-3", Available, None),
                ("one-step-bronze-2", Available, None),
                ("one-step-bronze-4", Available, None),
                ("one-step-bronze-1", Locked, Some("2026-03-03T08:00:00Z")),
                ("integers-bronze-1", Locked, Some("2026-03-02T18:00:00Z")),
            ])
            .page(),
    );
}

#[test]
fn exam_system_out_of_reach() {
    let course = algebra();
    let mut record = ready(Tier::None);
    record.revisit_question_ids = vec![ONE.to_owned()];
    let mut story = Story::new(&course, turn(record)).available(&[ONE, TWO]);
    story.exams = None;
    golden!(
        "A ready student, and the exam system does not answer: nothing is available, and no lock is made up.",
        story.policy_page(),
    );
}

#[test]
fn availability_waits_for_readiness() {
    let course = algebra();
    golden!(
        "One right drill is not enough: open questions are not even looked at.",
        Page::chapters([
            (
                "one right drill",
                Story::new(&course, turn(on_one_step(1, 1)))
                    .available(&[ONE])
                    .policy_page()
            ),
            (
                "two right drills",
                Story::new(&course, turn(on_one_step(2, 2)))
                    .available(&[ONE])
                    .policy_page()
            ),
        ]),
    );
}

#[test]
fn standing_outside_a_turn() {
    let course = algebra();
    let mut record = snapshot(
        "two-step",
        &[
            ("integers", progress(Tier::Gold, 9, 9)),
            ("variables", progress(Tier::Silver, 5, 0)),
            ("one-step", progress(Tier::None, 3, 3)),
        ],
    );
    record.prerequisite_overrides = ["inverse".to_owned()].into();
    record.revisit_question_ids = [ONE, TWO, "integers-gold-1", "variables-gold-1"]
        .map(str::to_owned)
        .into();
    let record = Record::new(&course, &record, now());
    let mut page = Page::default();
    for (title, answers) in [
        ("the exam system says nothing", vec![]),
        (
            "two are locked, one is passed",
            vec![
                (ONE, Locked, Some("2026-03-04T08:00:00Z")),
                (TWO, Locked, Some("2026-03-03T08:00:00Z")),
                ("integers-gold-1", Passed, None),
            ],
        ),
        (
            "the oldest is passed, one locked without a time",
            vec![(ONE, Passed, None), (TWO, Locked, None)],
        ),
    ] {
        page.standing(title, &describe_standing(&record, &statuses(&answers)));
    }
    golden!(
        "What people see between turns: the latest focus and what should come first, each unit once under its highest \
         badge, and the revisit queue with what the exam system says of it. A teacher's mark is no badge.",
        page,
    );
}
