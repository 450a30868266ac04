//! Reasons for and against each action but the exam question, buttons, and what no course text or plan can do.

use turnwise_decisions::{
    Action::{ConceptCard, DrillCard, ExamBlock, SocraticQuestion},
    Course, CourseSpec, DecideInput, DrillFacts, EventKind, QuestionState, Snapshot, StuckRule,
    Tier,
    explain::{Reason, StuckFacts, explain},
};

use super::{B1, about, check, course, id, said, short};
use crate::fixtures::{
    Turn, course_with, decide_input, input, plan, plan_event, progress, ready_on_b, snapshot,
    statuses, stuck_on_b,
};

fn pressed(course: &Course, snapshot: Snapshot, kind: EventKind, unit: &str) -> DecideInput {
    let plan = plan_event(course, snapshot, kind, unit);
    let open = [(B1, QuestionState::Available, None)];
    decide_input(plan, &[B1], statuses(&open))
}

#[test]
fn a_question_takes_nothing() {
    let course = course();
    let text = "A guiding question is allowed: it takes no evidence.";
    for record in [snapshot("B", &[]), snapshot("ENTRY", &[]), stuck_on_b()] {
        let turn = about(&course, record, &[]);
        let reasons = [Reason::NoEvidenceNeeded];
        check(&course, &turn, SocraticQuestion, true, &reasons, text);
    }
}

#[test]
fn a_drill_takes_a_unit() {
    let course = course();
    let turn = about(&course, snapshot("B", &[]), &[]);
    let reasons = [Reason::UnitToPractise { unit_id: id("B") }];
    let text = "A drill is allowed: Fractions can be practised.";
    check(&course, &turn, DrillCard, true, &reasons, text);

    let turn = about(&course, snapshot("ENTRY", &[]), &[]);
    let reasons = [Reason::EntryUnit {
        unit_id: id("ENTRY"),
    }];
    let text = "No drill: Welcome is only where the course begins.";
    check(&course, &turn, DrillCard, false, &reasons, text);
}

#[test]
fn a_message_that_was_not_placed_leaves_a_question() {
    let course = course();
    let cold = Turn {
        target_locked: false,
        ..input(Snapshot::default(), &[("B", 0.5)])
    };
    let turn = decide_input(plan(&course, &cold).unwrap(), &[], statuses(&[]));
    let entry = Reason::EntryUnit {
        unit_id: id("ENTRY"),
    };
    let reasons = [Reason::MessageNotPlaced, entry.clone()];
    for (action, text) in [
        (
            DrillCard,
            "No drill: the message could not be placed in the course, and Welcome is only where the course begins.",
        ),
        (
            ExamBlock,
            "No exam question: the message could not be placed in the course, and Welcome is only where the course \
             begins.",
        ),
    ] {
        check(&course, &turn, action, false, &reasons, text);
    }
    let not_stuck = Reason::NotStuck(StuckFacts {
        unit_id: id("ENTRY"),
        drills: DrillFacts::default(),
        rule: StuckRule::AttemptsWithoutStreak,
        needed: 2,
    });
    let (_, reasons, _) = said(&course, &turn, ConceptCard);
    assert_eq!(reasons, [Reason::MessageNotPlaced, entry, not_stuck]);
}

#[test]
fn a_concept_card_takes_the_evidence_of_drills() {
    let course = course();
    let facts = |attempts, streak_correct, streak_wrong| StuckFacts {
        unit_id: id("B"),
        drills: DrillFacts {
            attempts,
            streak_correct,
            streak_wrong,
        },
        rule: StuckRule::AttemptsWithoutStreak,
        needed: 2,
    };
    let turn = about(&course, stuck_on_b(), &[]);
    let text = "A concept card is allowed: the drills on Fractions show that the student is stuck (3 graded, 0 right in \
                a row; stuck is at least 2 graded and none right in a row).";
    let reasons = [Reason::Stuck(facts(3, 0, 3))];
    check(&course, &turn, ConceptCard, true, &reasons, text);

    let turn = about(
        &course,
        snapshot("B", &[("B", progress(Tier::None, 1, 0))]),
        &[],
    );
    let text = "No concept card: the drills on Fractions do not show that the student is stuck (1 graded, 0 right in a \
                row; stuck is at least 2 graded and none right in a row).";
    let reasons = [Reason::NotStuck(facts(1, 0, 1))];
    check(&course, &turn, ConceptCard, false, &reasons, text);
}

#[test]
fn a_course_may_count_wrong_drills_in_a_row() {
    let course = course_with(|spec| {
        spec.rules.stuck_rule = StuckRule::ConsecutiveWrong;
        spec.rules.stuck_attempts = 3;
    });
    for (wrong, allowed, text) in [
        (
            3,
            true,
            "A concept card is allowed: the drills on Title of B show that the student is stuck (3 wrong in a row; stuck \
             is at least 3).",
        ),
        (
            2,
            false,
            "No concept card: the drills on Title of B do not show that the student is stuck (2 wrong in a row; stuck is \
             at least 3).",
        ),
    ] {
        let record = snapshot("B", &[("B", progress(Tier::None, wrong, 0))]);
        let (said, _, paragraph) = said(&course, &about(&course, record, &[]), ConceptCard);
        assert_eq!((said, paragraph.as_str()), (allowed, text));
    }
}

#[test]
fn a_button_leaves_what_it_asks_for() {
    let course = course();
    let cases = [
        (EventKind::RequestDrill, DrillCard, "a drill"),
        (EventKind::RequestExam, ExamBlock, "an exam question"),
        (EventKind::StuckHint, SocraticQuestion, "a hint"),
    ];
    for (event, wanted, name) in cases {
        let turn = pressed(&course, ready_on_b(), event, "B");
        for action in [SocraticQuestion, DrillCard, ExamBlock] {
            let (allowed, reasons, text) = said(&course, &turn, action);
            if action == wanted {
                assert!(allowed);
                assert_eq!(*reasons.last().unwrap(), Reason::AskedFor { event });
                assert!(text.ends_with(", and the button that was pressed asks for it."));
            } else {
                assert!(!allowed);
                let narrowed = Reason::NarrowedByEvent {
                    event,
                    action: wanted,
                };
                assert_eq!(reasons, [narrowed]);
                let end =
                    format!(": the button that was pressed asks for {name} and nothing else.");
                assert!(text.ends_with(&end), "{text}");
            }
        }
        // What stands against an action by itself comes first.
        let (_, reasons, _) = said(&course, &turn, ConceptCard);
        assert!(matches!(
            reasons[..],
            [Reason::NotStuck(_), Reason::NarrowedByEvent { .. }]
        ));
    }
}

#[test]
fn a_button_that_cannot_be_met_narrows_nothing() {
    let course = course();
    let turn = pressed(&course, snapshot("B", &[]), EventKind::RequestExam, "B");
    let text = "No exam question: there are 0 right drills in a row of 2 needed on Fractions.";
    check(&course, &turn, ExamBlock, false, &[short("B", 0)], text);
    let turn = pressed(&course, ready_on_b(), EventKind::RequestDrill, "ENTRY");
    let text = "No drill: Welcome is only where the course begins.";
    let reasons = [Reason::EntryUnit {
        unit_id: id("ENTRY"),
    }];
    check(&course, &turn, DrillCard, false, &reasons, text);
}

#[test]
fn a_title_cannot_break_its_sentence() {
    let with_titles = |spec: &mut CourseSpec| {
        spec.units[1].title = "Is this\n\u{7}  one?\u{2028}Yes".to_owned();
        spec.units[2].title = "B".repeat(500);
        spec.units[3].title = " ?? ".to_owned();
    };
    let course = course_with(with_titles);
    let turn = about(&course, snapshot("F", &[]), &[("C", 0.9)]);
    let (_, _, text) = said(&course, &turn, ExamBlock);
    assert_eq!(
        text,
        "No exam question: Is this one Yes comes before C, and there are 0 right drills in a row of 2 needed on Is this \
         one Yes."
    );
    let (_, _, text) = said(&course, &about(&course, snapshot("B", &[]), &[]), DrillCard);
    let title = "B".repeat(160);
    assert_eq!(
        text,
        format!("A drill is allowed: {title}… can be practised.")
    );
}

#[test]
fn a_plan_that_its_own_facts_contradict_is_not_explained() {
    let course = course();
    let fault = |change: fn(&mut DecideInput)| {
        let mut turn = pressed(&course, ready_on_b(), EventKind::DrillContinue, "B");
        change(&mut turn);
        explain(&course, &turn).unwrap_err().field
    };
    assert_eq!(fault(|t| t.plan.focus_unit_id = id("Z")), "focus_unit_id");
    assert_eq!(fault(|t| t.plan.exam_ready = false), "exam_ready");
    assert_eq!(
        fault(|t| t.plan.focus_drills.streak_correct = 1),
        "exam_ready"
    );
    assert_eq!(
        fault(|t| t.plan.focus_missing_unit_ids = vec![id("A")]),
        "exam_ready"
    );
    assert_eq!(
        fault(|t| t.plan.prereq_check_open = true),
        "prereq_check_open"
    );
    assert_eq!(
        fault(|t| t.plan.event.as_mut().unwrap().unit_id = id("A")),
        "primary_target_unit_id"
    );
}
