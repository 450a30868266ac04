//! What was asked for: kept, told, and led to.

use turnwise_decisions::{
    Action::SocraticQuestion, Course, DecideInput, EventKind, Label, Plan, PrereqWalk, Snapshot,
    Tier, decide, describe_standing, target::Way,
};

use crate::fixtures::*;

/// A student at `focus` who asked for `target`, with a badge on each of `met`.
fn asked_for(target: &str, focus: &str, met: &[&str]) -> Snapshot {
    let bronze: Vec<_> = met
        .iter()
        .map(|id| (*id, progress(Tier::Bronze, 3, 2)))
        .collect();
    Snapshot {
        target_unit_id: target.to_owned(),
        ..snapshot(focus, &bronze)
    }
}

fn path(plan: &Plan) -> Vec<&str> {
    let target = plan.standing.target.iter();
    let units = target.flat_map(|target| &target.path);
    units.map(|unit| unit.unit_id.as_str()).collect()
}

fn nudge(plan: &Plan) -> Option<&str> {
    let nudge = plan.standing.prereq_nudge.as_ref();
    nudge.map(|unit| unit.unit_id.as_str())
}

#[test]
fn a_message_sets_the_target_and_the_way_is_data() {
    let plan = plan_for(&course(), snapshot("ENTRY", &[]), &[("D", 0.9)]);
    assert_eq!(plan.target_unit_id, "D");
    assert_eq!(plan.focus_unit_id, "A");
    let target = plan.standing.target.as_ref().unwrap();
    assert_eq!(target.unit.unit_id, "D");
    assert_eq!(target.unit.title, "Title of D");
    assert_eq!(target.steps_to_go, 3);
    assert_eq!(path(&plan), ["A", "B", "C", "D"]);
    // Nothing is asked for where the focus is the target.
    let near = plan_for(&course(), snapshot("ENTRY", &[]), &[("A", 0.9)]);
    assert_eq!(
        (near.target_unit_id.as_str(), near.standing.target),
        ("A", None)
    );
}

#[test]
fn the_target_and_the_nudge_stay_until_the_target_is_reached() {
    let course = course();
    for (focus, met, first, steps) in [
        ("A", &[][..], Some("A"), 3),
        ("B", &["A"], Some("B"), 2),
        ("C", &["A", "B"], Some("C"), 1),
        ("C", &["A", "B", "C"], None, 0),
    ] {
        let record = asked_for("D", focus, met);
        let unclear = plan_for(&course, record.clone(), &[]);
        let pressed = plan_event(&course, record.clone(), EventKind::RequestDrill, focus);
        for plan in [unclear, pressed] {
            assert_eq!(plan.primary_target_unit_id, focus);
            assert_eq!(plan.target_unit_id, "D");
            assert_eq!(nudge(&plan), first, "{focus}");
            let target = plan.standing.target.as_ref().unwrap();
            assert_eq!(target.steps_to_go, steps, "{focus}");
        }
        let record = turnwise_decisions::Record::new(&course, &record, now());
        let read = describe_standing(&record, &turnwise_decisions::Statuses::default());
        assert_eq!(read.prereq_nudge.map(|unit| unit.unit_id).as_deref(), first);
        assert_eq!(read.target.unwrap().unit.unit_id, "D");
    }
    // Its badge may come from another thread.
    let elsewhere = asked_for("D", "A", &["A", "B", "C", "D"]);
    let plan = plan_for(&course, elsewhere, &[]);
    assert_eq!((&*plan.target_unit_id, plan.standing.target), ("A", None));
    // There, whatever is pressed next is the target.
    let there = asked_for("D", "D", &["A", "B", "C"]);
    let plan = plan_event(&course, there, EventKind::RequestDrill, "F");
    assert_eq!(plan.target_unit_id, "F");
}

#[test]
fn only_something_else_takes_the_targets_place() {
    let course = course();
    let on_a = || asked_for("D", "A", &[]);
    for (message, target) in [
        // Where the student stands, on the way, the target itself, the welcome unit, and what is not certain.
        (("A", 0.9), "D"),
        (("B", 0.9), "D"),
        (("C", 0.9), "D"),
        (("D", 0.9), "D"),
        (("ENTRY", 0.9), "D"),
        (("F", 0.3), "D"),
        (("F", 0.9), "F"),
    ] {
        let plan = plan_for(&course, on_a(), &[message]);
        assert_eq!(plan.target_unit_id, target, "{message:?}");
    }
    // What comes before the target is no other wish because it is met.
    let on_c = asked_for("D", "C", &["A", "B"]);
    let plan = plan_for(&course, on_c, &[("A", 0.9)]);
    assert_eq!(
        (&*plan.target_unit_id, &*plan.focus_unit_id, nudge(&plan)),
        ("D", "A", Some("C"))
    );
    for (kind, target) in [
        (EventKind::RequestDrill, "D"),
        (EventKind::StuckHint, "D"),
        (EventKind::ChooseUnit, "F"),
    ] {
        let plan = plan_event(&course, on_a(), kind, "F");
        assert_eq!(plan.target_unit_id, target, "{kind:?}");
        assert_eq!(plan.focus_unit_id, "F");
    }
}

#[test]
fn a_target_that_left_the_course_is_dropped() {
    let plan = plan_for(&course(), asked_for("gone", "A", &[]), &[]);
    assert_eq!(plan.target_unit_id, "A");
    assert_eq!((nudge(&plan), &plan.standing.target), (None, &None));
}

#[test]
fn the_next_unit_follows_the_way_before_any_score() {
    let course = course();
    // F is in progress and has the better score.
    let record = |target: &str| {
        let mut record = asked_for(target, "A", &["A"]);
        record
            .progress
            .insert("F".to_owned(), progress(Tier::None, 2, 2));
        record.units_in_progress = vec!["F".to_owned(), "A".to_owned()];
        record
    };
    let free = plan_for(&course, record(""), &[]);
    assert_eq!(free.next_unit_id.as_deref(), Some("F"));
    assert!(!free.next_leads_to_target);
    let led = plan_for(&course, record("D"), &[]);
    assert_eq!(led.next_unit_id.as_deref(), Some("B"));
    assert!(led.next_leads_to_target);
    let decision = decide_available(&course, led, &["A-silver-1"]);
    let labels: Vec<_> = decision.buttons.iter().map(|button| button.label).collect();
    assert_eq!(labels[..2], [Label::NextUnit, Label::TakeExam]);

    // Going on after a result leaves a question, so that nothing but the way is primary.
    let went_on = plan_event(&course, record("D"), EventKind::ExamContinue, "A");
    let decision = decide_available(&course, went_on, &["A-silver-1"]);
    assert_eq!(decision.policy.allowed_actions, [SocraticQuestion]);
}

#[test]
fn the_way_begins_with_what_the_nudge_names() {
    let course = course();
    // Of A and B, the score prefers B, which was begun; F is met, and no part of the way.
    let record = |focus: &str| {
        let mut record = asked_for("D", focus, &["F"]);
        record
            .progress
            .insert("B".to_owned(), progress(Tier::None, 2, 0));
        record.units_in_progress = vec!["B".to_owned()];
        record
    };
    for focus in ["D", "F"] {
        let plan = plan_for(&course, record(focus), &[]);
        assert_eq!((nudge(&plan), path(&plan)[0]), (Some("B"), "B"), "{focus}");
    }
    let plan = plan_for(&course, record("F"), &[]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("B"));
    assert_eq!(path(&plan), ["B", "A", "C", "D"]);
}

#[test]
fn who_is_known_to_have_met_everything_may_still_earn_badges() {
    let course = course();
    let known = |units: &[&str]| units.iter().map(|id| (*id).to_owned()).collect();
    let mut record = snapshot("ENTRY", &[("C", progress(Tier::Gold, 9, 2))]);
    record.placed = known(&["B", "C", "D"]);
    record.prerequisite_overrides = known(&["F"]);
    // The one unit that is open comes first.
    let plan = plan_for(&course, record.clone(), &[]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("A"));
    record.placed = known(&["A", "B", "C", "D"]);
    let plan = plan_for(&course, record.clone(), &[]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("A"));
    record.focus_unit_id = "C".to_owned();
    record.placed = known(&["C", "D"]);
    record.prerequisite_overrides = known(&["A", "B", "F"]);
    record
        .progress
        .extend(["A", "B", "D"].map(|id| (id.to_owned(), progress(Tier::Bronze, 3, 2))));
    let plan = plan_for(&course, record, &[]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("F"));
}

#[test]
fn a_unit_that_a_teacher_marked_is_gone_on_from() {
    let mut record = asked_for("D", "A", &[]);
    record.prerequisite_overrides = ["A".to_owned()].into();
    let plan = plan_for(&course(), record, &[]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("B"));
    assert!(plan.next_leads_to_target);
    assert_eq!(path(&plan), ["B", "C", "D"]);
}

#[test]
fn a_course_that_looks_one_prerequisite_far_has_such_ways() {
    let course = course_with(|spec| spec.rules.prereq_walk = PrereqWalk::First);
    let plan = plan_for(&course, snapshot("ENTRY", &[]), &[("D", 0.9)]);
    assert_eq!(path(&plan), ["C", "D"]);
    assert_eq!(plan.standing.target.unwrap().steps_to_go, 1);
}

#[test]
fn a_long_way_is_counted_whole_and_named_in_part() {
    let course = course_with(|spec| {
        for n in 0..100 {
            let before = if n == 0 {
                "D".to_owned()
            } else {
                format!("L{}", n - 1)
            };
            spec.units.push(unit(&format!("L{n}"), &[&before]));
        }
    });
    let plan = plan_for(&course, snapshot("ENTRY", &[]), &[("L99", 0.9)]);
    let target = plan.standing.target.as_ref().unwrap();
    assert_eq!(target.steps_to_go, 103);
    assert_eq!(target.path.len(), Way::MOST_NAMED);
    assert_eq!(path(&plan)[..5], ["A", "B", "C", "D", "L0"]);
}

fn first_message(course: &Course, mapped: &[(&str, f64)]) -> Plan {
    let mut first = input(Snapshot::default(), mapped);
    first.target_locked = false;
    plan(course, &first).unwrap()
}

#[test]
fn a_first_message_that_cannot_be_placed_offers_three_units() {
    let course = course();
    let message = [
        ("C", 0.2),
        ("ENTRY", 0.5),
        ("A", 0.4),
        ("D", 0.1),
        ("B", 0.3),
        ("F", 0.0),
    ];
    let plan = first_message(&course, &message);
    assert!(plan.clamped);
    assert_eq!(plan.choice_unit_ids, ["A", "B", "C"]);
    let decision = decide(&course, &decide_input(plan, &[], statuses(&[]))).unwrap();
    assert_eq!(decision.policy.choice_unit_ids, ["A", "B", "C"]);
    assert_eq!(decision.policy.allowed_actions, [SocraticQuestion]);
    let chosen: Vec<_> = decision
        .buttons
        .iter()
        .filter(|button| button.label == Label::ChooseUnit)
        .map(|button| (button.event().unwrap().unit_id.as_str(), button.primary))
        .collect();
    assert_eq!(chosen, [("A", true), ("B", false), ("C", false)]);

    // A message that is sure, a thread that is about a unit, a student who stands somewhere: nothing to choose.
    assert_eq!(
        first_message(&course, &[("C", 0.9)]).choice_unit_ids,
        [""; 0]
    );
    let locked = plan_for(&course, Snapshot::default(), &message);
    let standing = plan_for(&course, snapshot("B", &[]), &message);
    for plan in [locked, standing] {
        assert_eq!(plan.choice_unit_ids, [""; 0]);
    }
}

#[test]
fn the_unit_of_the_text_that_was_found_is_offered_first() {
    let course = course();
    let decided = |mapped: &[(&str, f64)], matched: &str| {
        let input = DecideInput {
            matched_unit_id: matched.to_owned(),
            ..decide_input(first_message(&course, mapped), &[], statuses(&[]))
        };
        decide(&course, &input).unwrap()
    };
    let three = [("A", 0.4), ("B", 0.3), ("C", 0.2)];
    for (matched, offered) in [
        ("C", ["C", "A", "B"]),
        ("B", ["B", "A", "C"]),
        ("A", ["A", "B", "C"]),
        // What is no choice does not become one.
        ("D", ["A", "B", "C"]),
        ("GONE", ["A", "B", "C"]),
        ("", ["A", "B", "C"]),
    ] {
        let decision = decided(&three, matched);
        assert_eq!(decision.policy.choice_unit_ids, offered, "{matched}");
        let buttons = decision.buttons.iter().take(3);
        let units: Vec<_> = buttons
            .map(|button| button.event().unwrap().unit_id.as_str())
            .collect();
        assert_eq!(units, offered, "{matched}");
        assert!(decision.buttons[0].primary);
    }
    assert_eq!(decided(&[("C", 0.9)], "A").policy.choice_unit_ids, [""; 0]);
}

#[test]
fn a_chosen_unit_is_the_target() {
    let plan = plan_event(&course(), Snapshot::default(), EventKind::ChooseUnit, "C");
    assert_eq!(plan.target_unit_id, "C");
    assert_eq!(plan.focus_unit_id, "A");
    let actions = decide_available(&course(), plan, &[])
        .policy
        .allowed_actions;
    assert!(actions.len() > 1, "a choice narrows nothing");
}
