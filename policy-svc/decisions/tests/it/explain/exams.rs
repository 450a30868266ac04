//! Reasons for and against an exam question: drills, prerequisites, and what the exam system says.

use turnwise_decisions::{
    Action::ExamBlock, PrereqWalk, QuestionState, Rules, Tier, explain::Reason,
};

use super::{B1, B2, about, check, course, id, said, short};
use crate::fixtures::{
    course_with, decide_input, plan_for, progress, ready_on_b, snapshot, statuses, unit,
};

const SOON: &str = "2026-03-03T08:00:00Z";

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
