//! Every reason for and against an action, in a turn that is known to give it.

use turnwise_decisions::{
    Action::{self, ConceptCard, DrillCard, ExamBlock, SocraticQuestion},
    Course, CourseSpec, DecideInput, DrillFacts, EventKind, PrereqWalk, QuestionState, Rules,
    Snapshot, StuckRule, Tier,
    explain::{Reason, StuckFacts, explain},
};

use super::{course, said};
use crate::fixtures::{
    Turn, course_with, decide_input, input, plan, plan_event, plan_for, progress, ready_on_b,
    snapshot, statuses, stuck_on_b, unit,
};

const B1: &str = "B-bronze-1";
const B2: &str = "B-bronze-2";
const SOON: &str = "2026-03-03T08:00:00Z";

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
fn an_exam_question_takes_drills() {
    let course = course();
    for (streak, text) in [
        (
            0,
            "No exam question: there are 0 right drills in a row of 2 needed on Fractions.",
        ),
        (
            1,
            "No exam question: there is 1 right drill in a row of 2 needed on Fractions.",
        ),
    ] {
        let record = snapshot("B", &[("B", progress(Tier::None, 5, streak))]);
        let turn = about(&course, record, &[]);
        check(
            &course,
            &turn,
            ExamBlock,
            false,
            &[short("B", streak)],
            text,
        );
    }
}

#[test]
fn an_exam_question_takes_its_prerequisites() {
    let course = course();
    let record = snapshot("F", &[("A", progress(Tier::None, 1, 1))]);
    let turn = about(&course, record, &[("C", 0.9)]);
    let blocked = Reason::BlockedBy {
        unit_id: id("A"),
        target_unit_id: id("C"),
    };
    check(
        &course,
        &turn,
        ExamBlock,
        false,
        &[blocked.clone(), short("A", 1)],
        "No exam question: Inverse operations comes before One-step equations, and there is 1 right drill in a row of 2 \
         needed on Inverse operations.",
    );

    // Good drills on it open its own question, and not one in this turn.
    let record = snapshot("F", &[("A", progress(Tier::None, 2, 2))]);
    let turn = about(&course, record, &[("C", 0.9)]);
    let text = "No exam question: Inverse operations comes before One-step equations.";
    check(&course, &turn, ExamBlock, false, &[blocked], text);
}

#[test]
fn a_short_walk_may_stop_at_a_blocked_unit() {
    let rules = Rules {
        prereq_walk: PrereqWalk::First,
        ..Rules::default()
    };
    let course = course().with_rules(rules);
    let turn = about(&course, snapshot("D", &[]), &[]);
    let reasons = [
        Reason::BlockedBy {
            unit_id: id("C"),
            target_unit_id: id("D"),
        },
        Reason::FocusBlockedBy {
            unit_id: id("C"),
            missing_unit_ids: vec![id("A"), id("B")],
        },
        short("C", 0),
    ];
    // D has no title, so its id stands for it.
    let text = "No exam question: One-step equations comes before D, One-step equations itself needs Inverse operations \
                and Fractions first, and there are 0 right drills in a row of 2 needed on One-step equations.";
    check(&course, &turn, ExamBlock, false, &reasons, text);
}

#[test]
fn a_sentence_lists_a_few_units_and_counts_the_rest() {
    let needing = |missing: &[&str]| {
        let course = course_with(|spec| {
            spec.rules.prereq_walk = PrereqWalk::First;
            spec.units[2].prerequisites.clear();
            for needed in missing {
                spec.units.push(unit(needed, &[]));
                spec.units[3].prerequisites.push(id(needed));
            }
            spec.units[3].prerequisites.retain(|needed| needed != "B");
        });
        let turn = about(&course, snapshot("D", &[]), &[]);
        said(&course, &turn, ExamBlock).2
    };
    for (missing, listed) in [
        (&[][..], "Title of A"),
        (&["G", "H"], "Title of A, Title of G and Title of H"),
        (
            &["G", "H", "I"],
            "Title of A, Title of G, Title of H and 1 more",
        ),
    ] {
        let text = needing(missing);
        let clause = format!(" Title of C itself needs {listed} first, ");
        assert!(text.contains(&clause), "{text}");
    }
}

#[test]
fn a_ready_student_gets_a_question_that_is_open() {
    let course = course();
    let open = [
        (B1, QuestionState::Available, None),
        (B2, QuestionState::Available, None),
    ];
    let plan = plan_for(&course, ready_on_b(), &[]);
    let turn = decide_input(plan, &[B1, B2], statuses(&open));
    let reasons = [
        Reason::Ready {
            unit_id: id("B"),
            have: 2,
            needed: 2,
        },
        Reason::QuestionsOpen {
            unit_id: id("B"),
            tier: Tier::Bronze,
            count: 2,
        },
    ];
    let text = "An exam question is allowed: no prerequisite of Fractions is missing, there are 2 right drills in a row \
                with 2 needed, and 2 bronze questions on Fractions can be taken.";
    check(&course, &turn, ExamBlock, true, &reasons, text);
}

#[test]
fn a_ready_student_may_find_every_question_closed() {
    use QuestionState::{Locked, Passed};
    let course = course();
    let (unit_id, tier) = (id("B"), Tier::Bronze);
    let locked = |count, until: Option<&str>| Reason::QuestionsLocked {
        unit_id: unit_id.clone(),
        tier,
        count,
        until: until.map(|until| until.parse().unwrap()),
    };
    let passed = |count| Reason::QuestionsPassed {
        unit_id: unit_id.clone(),
        tier,
        count,
    };
    let unknown = |count| Reason::QuestionsUnknown {
        unit_id: unit_id.clone(),
        tier,
        count,
    };
    let none = Reason::NoQuestionAtTier {
        unit_id: unit_id.clone(),
        tier,
    };
    let later = "2026-03-04T08:00:00Z";
    for (found, answer, unavailable, reasons, text) in [
        (
            &["A-bronze-1", "B-silver-1"][..],
            vec![],
            false,
            vec![none.clone()],
            "no bronze question on Fractions was found",
        ),
        (
            &[],
            vec![],
            true,
            vec![none, Reason::ExamSystemUnavailable],
            "no bronze question on Fractions was found, and the exam system did not answer",
        ),
        (
            &[B1],
            vec![],
            true,
            vec![Reason::ExamSystemUnavailable],
            "the exam system did not answer",
        ),
        (
            &[B1],
            vec![(B1, Locked, Some(SOON))],
            false,
            vec![locked(1, Some(SOON))],
            "1 bronze question on Fractions is locked until 2026-03-03 08:00:00 UTC",
        ),
        (
            &[B1, B2],
            vec![(B1, Locked, Some(later)), (B2, Locked, Some(SOON))],
            false,
            vec![locked(2, Some(SOON))],
            "2 bronze questions on Fractions are locked, the first until 2026-03-03 08:00:00 UTC",
        ),
        (
            &[B1, B2],
            vec![(B1, Locked, None), (B2, Locked, None)],
            false,
            vec![locked(2, None)],
            "2 bronze questions on Fractions are locked for a time that the exam system does not name",
        ),
        (
            &[B1, B2],
            vec![(B1, Locked, None), (B2, Passed, None)],
            false,
            vec![locked(1, None), passed(1)],
            "1 bronze question on Fractions is locked for a time that the exam system does not name, and 1 bronze question \
             on Fractions is passed already",
        ),
        (
            &[B1, B2],
            vec![(B1, Passed, None), (B2, Passed, None)],
            false,
            vec![passed(2)],
            "2 bronze questions on Fractions are passed already",
        ),
        (
            &[B1, B2],
            vec![(B1, Passed, None)],
            false,
            vec![unknown(1), passed(1)],
            "the exam system said nothing of 1 bronze question on Fractions, and 1 bronze question on Fractions is passed \
             already",
        ),
    ] {
        let plan = plan_for(&course, ready_on_b(), &[]);
        let mut turn = decide_input(plan, found, statuses(&answer));
        turn.exam_system_unavailable = unavailable;
        let text = format!("No exam question: {text}.");
        check(&course, &turn, ExamBlock, false, &reasons, &text);
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
