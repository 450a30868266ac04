//! Why the turn is about this unit, why another comes first, and what comes next.

use turnwise_decisions::{
    DecideInput, EventKind, QuestionState, Snapshot, Tier,
    explain::{Reason, UnitExplanation},
};

use super::{course, explained, id};
use crate::fixtures::{
    course_with, decide_input, input, mapped, plan, plan_event, plan_for, progress, ready_on_b,
    snapshot, statuses,
};

fn turn(record: Snapshot, mapped: &[(&str, f64)]) -> DecideInput {
    decide_input(plan_for(&course(), record, mapped), &[], statuses(&[]))
}

fn unit(unit_id: Option<&str>, reasons: &[Reason], text: &str) -> UnitExplanation {
    UnitExplanation {
        unit_id: unit_id.map(str::to_owned),
        reasons: reasons.to_vec(),
        text: text.to_owned(),
    }
}

#[test]
fn a_button_names_the_target() {
    for (event, button) in [
        (EventKind::RequestDrill, "the button for a drill"),
        (EventKind::RequestExam, "the button for an exam question"),
        (
            EventKind::DrillContinue,
            "the button to go on after a drill",
        ),
        (
            EventKind::ExamContinue,
            "the button to go on after an exam question",
        ),
        (EventKind::StuckHint, "the button for a hint"),
        (EventKind::ChooseUnit, "the button to choose a unit"),
    ] {
        let plan = plan_event(&course(), snapshot("B", &[]), event, "A");
        let input = decide_input(plan, &[], statuses(&[]));
        let text = format!("The turn is about Inverse operations: {button} was pressed on it.");
        assert_eq!(
            explained(&course(), &input).target,
            unit(Some("A"), &[Reason::TargetOfEvent { event }], &text)
        );
    }
}

#[test]
fn a_message_names_the_target_if_that_is_certain() {
    let target = |mapped: &[_]| explained(&course(), &turn(snapshot("B", &[]), mapped)).target;
    let sure = Reason::TargetMapped {
        confidence: 0.82,
        needed: 0.55,
    };
    assert_eq!(
        target(&[("A", 0.82), ("C", 0.3)]),
        unit(
            Some("A"),
            &[sure],
            "The turn is about Inverse operations: the message fits it with a confidence of 0.82, and 0.55 is enough."
        )
    );
    let kept = |best| Reason::TargetKept { best, needed: 0.55 };
    assert_eq!(
        target(&[("A", 0.4), ("C", 0.3)]),
        unit(
            Some("B"),
            &[kept(Some((id("A"), 0.4)))],
            "The turn is about Fractions: the student stands there, and no unit is certain from the message (the best guess \
             is Inverse operations with a confidence of 0.40, and 0.55 is needed)."
        )
    );
    assert_eq!(
        target(&[]),
        unit(
            Some("B"),
            &[kept(None)],
            "The turn is about Fractions: the student stands there, and no unit is certain from the message."
        )
    );
    // Two decimals would say that this is enough.
    let close = target(&[("A", 0.549_9)]).text;
    assert!(close.contains("0.5499, and 0.55 is needed"), "{close}");
}

#[test]
fn the_turn_before_makes_no_target() {
    let low_bar = course_with(|spec| spec.rules.target_confidence = 0.3);
    let mut record = snapshot("B", &[]);
    let target = |record: &Snapshot, now: &[_]| {
        let plan = plan_for(&low_bar, record.clone(), now);
        let input = decide_input(plan, &[], statuses(&[]));
        let target = explained(&low_bar, &input).target;
        (target.unit_id.unwrap(), target.reasons, target.text)
    };
    // The turn before reaches the bar at half weight, and does not count.
    record.last_mapped_units = mapped(&[("A", 1.0)]);
    let (unit, reasons, _) = target(&record, &[]);
    let kept = Reason::TargetKept {
        best: None,
        needed: 0.3,
    };
    assert_eq!((unit.as_str(), reasons), ("B", vec![kept.clone()]));
    // Nor does it on the unit where the student stands, in a thread that is about no unit for certain.
    let mut again = input(snapshot("B", &[]), &[]);
    again.target_locked = false;
    again.snapshot.last_mapped_units = mapped(&[("B", 1.0)]);
    let plan = plan(&low_bar, &again).unwrap();
    let said = explained(&low_bar, &decide_input(plan, &[], statuses(&[])));
    assert_eq!(said.target.reasons, [kept]);
    // What this message is sure of is told by itself, though the previous turn's mapping was surer.
    let (unit, reasons, _) = target(&record, &[("A", 0.4)]);
    let mapped = Reason::TargetMapped {
        confidence: 0.4,
        needed: 0.3,
    };
    assert_eq!((unit.as_str(), reasons), ("A", vec![mapped]));
}

#[test]
fn the_focus_is_the_target_or_what_comes_first() {
    let course = course();
    let plain = explained(&course, &turn(snapshot("B", &[]), &[]));
    assert_eq!(
        plain.focus,
        unit(
            Some("B"),
            &[Reason::FocusIsTarget],
            "The unit to work on is Fractions: the turn is about it, and nothing comes before it."
        )
    );
    let none = Reason::NoneMissing {
        target_unit_id: id("B"),
    };
    assert_eq!(
        plain.prereq_nudge,
        unit(
            None,
            &[none],
            "Nothing has to come first: no prerequisite of Fractions is missing."
        )
    );

    let blocked = |streak| {
        let record = snapshot("F", &[("A", progress(Tier::None, streak, streak))]);
        explained(&course, &turn(record, &[("C", 0.9)]))
    };
    let first = Reason::FocusIsPrerequisite {
        target_unit_id: id("C"),
    };
    assert_eq!(
        blocked(1).focus,
        unit(
            Some("A"),
            &[first],
            "The unit to work on is Inverse operations: One-step equations needs it first."
        )
    );
    let before = Reason::BlockedBy {
        unit_id: id("A"),
        target_unit_id: id("C"),
    };
    let short = Reason::StreakShort {
        unit_id: id("A"),
        have: 1,
        needed: 2,
    };
    assert_eq!(
        blocked(1).prereq_nudge,
        unit(
            Some("A"),
            &[before.clone(), short],
            "Inverse operations should come first: Inverse operations comes before One-step equations, and there is 1 \
             right drill in a row of 2 needed on Inverse operations."
        )
    );
    let open = Reason::CheckOpen {
        unit_id: id("A"),
        have: 3,
        needed: 2,
    };
    assert_eq!(
        blocked(3).prereq_nudge,
        unit(
            Some("A"),
            &[before, open],
            "Inverse operations should come first: Inverse operations comes before One-step equations, and an exam question \
             on Inverse operations can be asked for, as there are 3 right drills in a row with 2 needed."
        )
    );
}

#[test]
fn the_next_unit_waits_for_the_focus() {
    let course = course();
    let on_b = |tier, streak| snapshot("B", &[("B", progress(tier, 9, streak))]);
    let b = || id("B");
    let (bronze, silver) = (Tier::Bronze, Tier::Silver);
    for (record, next, reason, text) in [
        (
            snapshot("ENTRY", &[]),
            Some("A"),
            Reason::NoBadgeToEarn {
                unit_id: id("ENTRY"),
            },
            "The unit to go on with is Inverse operations: Welcome has no badge to earn.",
        ),
        (
            on_b(Tier::Gold, 9),
            Some("A"),
            Reason::LastBadgeEarned { unit_id: b() },
            "The unit to go on with is Inverse operations: Fractions has its gold badge.",
        ),
        (
            on_b(bronze, 2),
            Some("A"),
            Reason::NextBadgeClosed {
                unit_id: b(),
                tier: silver,
            },
            "The unit to go on with is Inverse operations: no silver question on Fractions can be taken \
             now.",
        ),
        (
            on_b(bronze, 1),
            None,
            Reason::NextBadgeAhead {
                unit_id: b(),
                tier: silver,
            },
            "No other unit is suggested: silver comes next on Fractions.",
        ),
        (
            on_b(Tier::None, 1),
            None,
            Reason::NoBadgeYet { unit_id: b() },
            "No other unit is suggested: Fractions has no badge yet.",
        ),
    ] {
        assert_eq!(
            explained(&course, &turn(record, &[])).next_unit,
            unit(next, &[reason], text)
        );
    }

    let open = [("B-bronze-1", QuestionState::Available, None)];
    let plan = plan_for(&course, ready_on_b(), &[]);
    let input = decide_input(plan, &["B-bronze-1"], statuses(&open));
    let reason = Reason::QuestionsOpen {
        unit_id: b(),
        tier: bronze,
        count: 1,
    };
    assert_eq!(
        explained(&course, &input).next_unit,
        unit(
            None,
            &[reason],
            "No other unit is suggested: 1 bronze question on Fractions can be taken."
        )
    );

    let done = ["A", "B", "C", "D", "F"].map(|unit| (unit, progress(Tier::Gold, 9, 9)));
    assert_eq!(
        explained(&course, &turn(snapshot("B", &done), &[])).next_unit,
        unit(
            None,
            &[Reason::NoUnitLeft],
            "No other unit is suggested: none is left."
        )
    );
}
