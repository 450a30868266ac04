//! Target, blocker, focus, readiness, scope and candidates.

use turnwise_decisions::{
    CourseError, EventKind, PrereqWalk, Snapshot, StuckRule, Tier, UnknownUnit,
};

use crate::fixtures::*;

#[test]
fn a_cold_start_stands_on_the_entry_unit_and_is_clamped() {
    let mut cold = input(Snapshot::default(), &[]);
    cold.target_locked = false;
    let plan = plan(&course(), &cold).unwrap();
    assert_eq!(plan.focus_unit_id, "ENTRY");
    assert_eq!(plan.primary_target_unit_id, "ENTRY");
    assert_eq!(plan.prereq_blocking_unit_id, None);
    assert!(plan.clamped && !plan.target_locked && !plan.exam_ready && !plan.stuck);
    assert_eq!(plan.scoped_unit_ids, ["ENTRY"]);
    assert_eq!(plan.next_unit_id.as_deref(), Some("A"));
}

#[test]
fn confidence_decides_the_target() {
    let course = course();
    for (mapping, target) in [
        (vec![("A", 0.55)], "A"),
        (vec![("A", 0.549_999)], "B"),
        (vec![], "B"),
        (vec![("A", 0.6), ("F", 0.7)], "F"),
        (vec![("nowhere", 1.0)], "B"),
        (vec![("A", 0.3), ("A", 0.8)], "A"),
    ] {
        let plan = plan_for(&course, snapshot("B", &[]), &mapping);
        assert_eq!(plan.primary_target_unit_id, target, "{mapping:?}");
    }
}

#[test]
fn equal_confidence_goes_by_score_and_then_by_id() {
    let course = course();
    let even = plan_for(&course, Snapshot::default(), &[("F", 0.9), ("A", 0.9)]);
    assert_eq!(even.primary_target_unit_id, "A");
    // F has drill evidence, and so the higher score.
    let record = snapshot("ENTRY", &[("F", progress(Tier::None, 2, 2))]);
    let ranked = plan_for(&course, record, &[("A", 0.9), ("F", 0.9)]);
    assert_eq!(ranked.primary_target_unit_id, "F");
    assert_eq!(ranked.mapped_units[0].unit_id, "F");
}

#[test]
fn an_unlocked_thread_is_locked_by_confidence_or_by_an_event() {
    let course = course();
    for (mapping, event_unit, locked, clamped) in [
        (vec![], None, false, true),
        (vec![("A", 0.5)], None, false, true),
        (vec![("A", 0.55)], None, true, false),
        (vec![], Some("A"), true, false),
    ] {
        let mut input = input(Snapshot::default(), &mapping);
        input.target_locked = false;
        input.event = event_unit.and_then(|unit| event(EventKind::DrillContinue, unit));
        let plan = plan(&course, &input).unwrap();
        assert_eq!(
            (plan.target_locked, plan.clamped),
            (locked, clamped),
            "{mapping:?} {event_unit:?}"
        );
    }
}

#[test]
fn an_unclear_message_on_a_focused_thread_is_not_clamped() {
    let mut input = input(snapshot("B", &[]), &[("A", 0.2)]);
    input.target_locked = false;
    let plan = plan(&course(), &input).unwrap();
    assert!(!plan.clamped);
    assert_eq!(plan.focus_unit_id, "B");
}

#[test]
fn an_event_beats_any_mapping() {
    let mut input = input(snapshot("ENTRY", &[]), &[("A", 1.0)]);
    input.event = event(EventKind::DrillContinue, "F");
    let plan = plan(&course(), &input).unwrap();
    assert_eq!(plan.primary_target_unit_id, "F");
    assert_eq!(plan.mapped_units[0].unit_id, "F");
    assert!((plan.mapped_units[0].confidence - 1.0).abs() < f64::EPSILON);
}

#[test]
fn an_event_of_an_unknown_unit_is_refused() {
    let mut input = input(Snapshot::default(), &[]);
    input.event = event(EventKind::RequestDrill, "Z");
    assert_eq!(plan(&course(), &input), Err(UnknownUnit("Z".to_owned())));
}

#[test]
fn the_previous_turn_counts_half_and_never_decides_alone() {
    let low_bar = course_with(|spec| spec.rules.target_confidence = 0.3);
    let mut record = snapshot("B", &[]);
    record.last_mapped_units = mapped(&[("A", 1.0), ("nowhere", 1.0)]);
    let plan = plan_for(&low_bar, record, &[]);
    assert_eq!(plan.primary_target_unit_id, "B");
    assert_eq!(plan.mapped_units, mapped(&[("A", 0.5)]));
    assert!(plan.candidates.iter().any(|c| c.unit_id == "A"));
    assert!(plan.scoped_unit_ids.iter().any(|id| id == "A"));
}

#[test]
fn the_walk_goes_to_the_first_unit_that_can_be_done() {
    let course = course();
    let bronze = || progress(Tier::Bronze, 3, 2);
    for (record, target, blocker) in [
        (snapshot("ENTRY", &[]), "D", Some("A")),
        (snapshot("ENTRY", &[("A", bronze())]), "D", Some("B")),
        (
            snapshot("ENTRY", &[("A", bronze()), ("B", bronze())]),
            "D",
            Some("C"),
        ),
        (snapshot("ENTRY", &[("C", bronze())]), "D", None),
        (snapshot("ENTRY", &[]), "A", None),
        (snapshot("ENTRY", &[]), "F", None),
    ] {
        let plan = plan_for(&course, record, &[(target, 0.9)]);
        assert_eq!(plan.prereq_blocking_unit_id.as_deref(), blocker);
        assert_eq!(plan.primary_target_unit_id, target);
        assert_eq!(plan.focus_unit_id, blocker.unwrap_or(target));
    }
}

#[test]
fn among_missing_prerequisites_the_score_chooses_before_the_file() {
    let record = snapshot("ENTRY", &[("B", progress(Tier::None, 2, 2))]);
    let plan = plan_for(&course(), record, &[("C", 0.9)]);
    assert_eq!(plan.prereq_blocking_unit_id.as_deref(), Some("B"));
}

#[test]
fn a_course_may_choose_the_one_hop_walk() {
    let course = course_with(|spec| spec.rules.prereq_walk = PrereqWalk::First);
    let plan = plan_for(&course, snapshot("ENTRY", &[]), &[("D", 0.9)]);
    assert_eq!(plan.prereq_blocking_unit_id.as_deref(), Some("C"));
    assert!(!plan.exam_ready && !plan.prereq_check_open);
}

#[test]
fn a_teachers_override_counts_as_met_and_is_no_badge() {
    let mut record = snapshot("ENTRY", &[]);
    record.prerequisite_overrides = ["A", "B", "nowhere"].map(str::to_owned).into();
    let plan = plan_for(&course(), record, &[("C", 0.9)]);
    assert_eq!(plan.prereq_blocking_unit_id, None);
    assert_eq!(plan.standing.progress.bronze, 0);
}

#[test]
fn stuck_follows_the_courses_rule() {
    let by_streak = course();
    let by_wrong = course_with(|spec| spec.rules.stuck_rule = StuckRule::ConsecutiveWrong);
    for (attempts, streak, wrong, stuck, stuck_by_wrong) in [
        (0, 0, 0, false, false),
        (1, 0, 1, false, false),
        (2, 0, 1, true, false),
        (2, 0, 2, true, true),
        (5, 1, 0, false, false),
    ] {
        let mut p = progress(Tier::None, attempts, streak);
        p.streak_wrong = wrong;
        let record = snapshot("B", &[("B", p)]);
        assert_eq!(plan_for(&by_streak, record.clone(), &[]).stuck, stuck);
        assert_eq!(plan_for(&by_wrong, record, &[]).stuck, stuck_by_wrong);
    }
}

#[test]
fn the_hint_button_never_makes_a_student_stuck() {
    let plan = plan_event(&course(), snapshot("B", &[]), EventKind::StuckHint, "B");
    assert!(!plan.stuck);
}

#[test]
fn readiness_needs_a_streak_and_met_prerequisites() {
    let course = course();
    let ready = progress(Tier::None, 2, 2);
    for (record, target, exam_ready) in [
        (snapshot("B", &[("B", ready)]), "B", true),
        (
            snapshot("B", &[("B", progress(Tier::None, 2, 1))]),
            "B",
            false,
        ),
        // C itself is drilled, but A and B are missing: the focus is A.
        (snapshot("C", &[("C", ready)]), "C", false),
        (snapshot("B", &[("ENTRY", ready)]), "ENTRY", false),
    ] {
        let plan = plan_for(&course, record, &[(target, 0.9)]);
        assert_eq!(plan.exam_ready, exam_ready, "{target}");
    }
}

#[test]
fn the_next_tier_follows_the_badge() {
    for (tier, desired) in [
        (Tier::None, Tier::Bronze),
        (Tier::Bronze, Tier::Silver),
        (Tier::Silver, Tier::Gold),
        (Tier::Gold, Tier::Gold),
    ] {
        let record = snapshot("B", &[("B", progress(tier, 2, 2))]);
        let plan = plan_for(&course(), record, &[]);
        assert_eq!((plan.focus_tier, plan.desired_exam_tier), (tier, desired));
    }
}

#[test]
fn the_blockers_check_opens_when_its_drills_are_good_enough() {
    let course = course();
    for (streak, open) in [(1, false), (2, true)] {
        let record = snapshot("ENTRY", &[("A", progress(Tier::None, 2, streak))]);
        let plan = plan_for(&course, record, &[("C", 0.9)]);
        assert_eq!(plan.prereq_blocking_unit_id.as_deref(), Some("A"));
        assert_eq!(plan.prereq_check_open, open);
        assert!(!plan.exam_ready);
    }
}

#[test]
fn the_scope_has_its_order_and_its_size() {
    let mut record = snapshot("F", &[]);
    record.units_in_progress = ["D", "F", "nowhere", "D"].map(str::to_owned).into();
    let plan = plan_for(&course(), record, &[("C", 0.9), ("F", 0.4), ("B", 0.3)]);
    // Focus and blocker B (mapped, so ahead of A), target C, top mapped C and F, C's other prerequisite A, D in progress,
    // and last the blocker's prerequisite.
    assert_eq!(plan.scoped_unit_ids, ["B", "C", "F", "A", "D", "ENTRY"]);
    assert_eq!(plan.units_in_progress, ["D", "F"]);
}

#[test]
fn a_small_scope_never_drops_focus_and_target() {
    let course = course_with(|spec| spec.rules.max_scoped_units = 1);
    let plan = plan_for(&course, snapshot("ENTRY", &[]), &[("D", 0.9), ("F", 0.8)]);
    assert_eq!(plan.scoped_unit_ids.len(), 3);
    assert_eq!(plan.scoped_unit_ids[..2], ["A", "D"]);
    let wide = course_with(|spec| spec.rules.max_scoped_units = 50);
    let mut record = snapshot("F", &[]);
    record.units_in_progress = ["D", "F"].map(str::to_owned).into();
    let plan = plan_for(&wide, record, &[("C", 0.9), ("E", 0.8), ("B", 0.3)]);
    assert_eq!(plan.scoped_unit_ids.len(), 6);
}

#[test]
fn gold_units_are_not_in_progress() {
    let mut record = snapshot("B", &[("A", progress(Tier::Gold, 4, 4))]);
    record.units_in_progress = ["A", "B"].map(str::to_owned).into();
    let plan = plan_for(&course(), record, &[]);
    assert_eq!(plan.units_in_progress, ["B"]);
}

#[test]
fn candidates_hold_the_prerequisites_of_everything_considered() {
    let mut record = snapshot("F", &[]);
    record.units_in_progress = vec!["D".to_owned()];
    let plan = plan_for(&course(), record, &[("B", 0.2)]);
    let mut ids: Vec<_> = plan.candidates.iter().map(|c| c.unit_id.as_str()).collect();
    let scores: Vec<_> = plan.candidates.iter().map(|c| c.parts.total()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
    ids.sort_unstable();
    assert_eq!(ids, ["B", "C", "D", "E", "ENTRY", "F"]);
}

#[test]
fn a_time_in_the_future_counts_as_now() {
    let mut p = progress(Tier::None, 1, 1);
    p.last_touched_at = Some("2999-01-01T00:00:00Z".parse().unwrap());
    let plan = plan_for(&course(), snapshot("B", &[("B", p)]), &[]);
    let b = plan.candidates.iter().find(|c| c.unit_id == "B").unwrap();
    assert!((b.parts.recency - 1.0).abs() < 1e-12);
}

#[test]
fn the_latest_turn_touches_its_focus() {
    let mut record = snapshot("B", &[]);
    record.last_turn_at = Some("2026-02-28T22:00:00Z".parse().unwrap());
    let plan = plan_for(&course(), record, &[("A", 0.2)]);
    let recency = |id: &str| {
        plan.candidates
            .iter()
            .find(|c| c.unit_id == id)
            .unwrap()
            .parts
            .recency
    };
    assert!((recency("B") - 0.5).abs() < 1e-12);
    assert!(recency("A").abs() < 1e-12);
}

#[test]
fn the_next_unit_waits_for_a_badge_or_the_drills_for_one() {
    let course = course();
    for (tier, streak, next) in [
        (Tier::None, 1, None),
        (Tier::None, 3, Some("B")),
        (Tier::Bronze, 1, Some("B")),
    ] {
        let record = snapshot("A", &[("A", progress(tier, 3, streak))]);
        let plan = plan_for(&course, record, &[]);
        assert_eq!(plan.next_unit_id.as_deref(), next);
    }
}

#[test]
fn a_course_with_loose_ends_is_refused() {
    let refused = |change: fn(&mut turnwise_decisions::CourseSpec)| {
        let mut spec = spec();
        change(&mut spec);
        turnwise_decisions::Course::new(spec).unwrap_err()
    };
    assert_eq!(
        refused(|s| s.entry_unit = "Z".into()),
        CourseError::UnknownEntry("Z".into())
    );
    assert_eq!(
        refused(|s| s.units.push(unit("A", &[]))),
        CourseError::DuplicateUnit("A".into())
    );
    assert_eq!(
        refused(|s| s.units.push(unit("G", &["Z"]))),
        CourseError::UnknownPrerequisite {
            unit: "G".into(),
            prerequisite: "Z".into()
        }
    );
    assert_eq!(
        refused(|s| s.questions.push(question("A-gold-1", "A", Tier::Gold))),
        CourseError::DuplicateQuestion("A-gold-1".into())
    );
}
