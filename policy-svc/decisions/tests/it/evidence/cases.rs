//! The rules, one by one, for a student who begins with nothing.

use turnwise_decisions::{
    EvidenceObservation, PassedByTier, Rules, Tier, UnitProgress, UnitStatus, evidence::apply,
};

use super::*;
use crate::fixtures::{course, course_with, unit};

use Tier::{Bronze, Gold, Silver};

#[test]
fn a_right_drill_counts_and_lengthens_the_streak() {
    let first = last_of(&course(), &[drill("B", true)]);
    let b = UnitProgress {
        last_touched_at: Some(minute(0)),
        attempts: 1,
        correct: 1,
        streak_correct: 1,
        ..UnitProgress::default()
    };
    assert_eq!(first.evidence.progress, [("B".to_owned(), b)].into());
    assert_eq!(first.evidence.units_in_progress, ["B"]);
    assert_eq!(first.unit_id, "B");
    assert_eq!(
        (first.tier_before, first.tier_after),
        (Tier::None, Tier::None)
    );
    assert_eq!(first.status_before, UnitStatus::NotStarted);
    assert_eq!(first.status_after, UnitStatus::InProgress);
    assert_eq!(first.observations, []);
}

#[test]
fn each_drill_ends_the_other_streak() {
    for (answers, streaks) in [
        (&[false, false][..], (0, 2)),
        (&[true, true, false], (0, 1)),
        (&[false, false, true], (1, 0)),
        (&[true, false, true, true], (2, 0)),
    ] {
        let events: Vec<_> = answers.iter().map(|&right| drill("B", right)).collect();
        let b = &after(&course(), &events).progress["B"];
        assert_eq!((b.streak_correct, b.streak_wrong), streaks, "{answers:?}");
        assert_eq!(b.attempts as usize, answers.len());
        let right = answers.iter().filter(|right| **right).count();
        assert_eq!(b.correct as usize, right);
        assert_eq!(b.tier, Tier::None);
    }
}

#[test]
fn a_mistake_counts_only_with_a_wrong_drill_and_if_the_unit_lists_it() {
    let unknown = [EvidenceObservation::UnknownTag];
    for (event, counts, observed) in [
        (wrong_drill("B", "sign"), 1, &[][..]),
        (graded("B", true, "sign"), 0, &[]),
        (wrong_drill("B", "made-up"), 0, &unknown),
        (wrong_drill("B", ""), 0, &unknown),
        (wrong_drill("B", "Sign"), 0, &unknown),
        (graded("B", true, "made-up"), 0, &[]),
        (drill("B", false), 0, &[]),
    ] {
        let applied = last_of(&course(), std::slice::from_ref(&event));
        let tags = &applied.evidence.progress["B"].confusion_tags;
        assert_eq!(tags.get("sign").copied().unwrap_or(0), counts, "{event:?}");
        assert_eq!(tags.len(), counts as usize, "{event:?}");
        assert_eq!(applied.observations, observed, "{event:?}");
        assert_eq!(applied.evidence.progress["B"].attempts, 1);
    }
    let twice = [
        wrong_drill("B", "sign"),
        wrong_drill("B", "slip"),
        wrong_drill("B", "sign"),
    ];
    let tags = [("sign".to_owned(), 2), ("slip".to_owned(), 1)].into();
    assert_eq!(after(&course(), &twice).progress["B"].confusion_tags, tags);
    assert_eq!(EvidenceObservation::UnknownTag.as_str(), "unknown_tag");
}

/// What tier B has after each of these events.
#[track_caller]
fn check_tiers(events: &[(EvidenceEvent, Tier)]) {
    let course = course();
    let mut evidence = Evidence::default();
    let mut before = Tier::None;
    for (n, (event, tier)) in events.iter().enumerate() {
        let applied = apply(&course, &evidence, event, minute(n)).unwrap();
        assert_eq!(applied.tier_before, before, "before event {n}");
        assert_eq!(applied.tier_after, *tier, "after event {n}");
        assert_eq!(applied.evidence.progress["B"].tier, *tier);
        (evidence, before) = (applied.evidence, *tier);
    }
}

#[test]
fn bronze_takes_the_streak_and_a_pass_in_either_order() {
    let pass = || passed(question("B", Bronze, 1));
    check_tiers(&[
        (drill("B", true), Tier::None),
        (drill("B", true), Tier::None),
        (pass(), Bronze),
    ]);
    check_tiers(&[
        (pass(), Tier::None),
        (drill("B", true), Tier::None),
        (drill("B", true), Bronze),
    ]);
    check_tiers(&[
        (drill("B", true), Tier::None),
        (pass(), Tier::None),
        (drill("B", false), Tier::None),
        (drill("B", true), Tier::None),
        (failed(question("B", Bronze, 2)), Tier::None),
        (drill("B", true), Bronze),
    ]);
}

#[test]
fn a_badge_stays_when_the_streak_is_lost() {
    check_tiers(&[
        (passed(question("B", Bronze, 1)), Tier::None),
        (drill("B", true), Tier::None),
        (drill("B", true), Bronze),
        (drill("B", false), Bronze),
        (drill("B", false), Bronze),
        // With no streak at all the next tiers need their passes only.
        (passed(question("B", Silver, 1)), Silver),
        (failed(question("B", Gold, 1)), Silver),
        (passed(question("B", Gold, 1)), Gold),
        (drill("B", false), Gold),
        (passed(question("B", Bronze, 2)), Gold),
    ]);
}

#[test]
fn a_pass_before_its_time_counts_as_soon_as_the_tier_below_is_there() {
    check_tiers(&[
        (passed(question("B", Silver, 1)), Tier::None),
        (drill("B", true), Tier::None),
        (drill("B", true), Tier::None),
        (passed(question("B", Bronze, 1)), Silver),
    ]);
    check_tiers(&[
        (passed(question("B", Gold, 1)), Tier::None),
        (passed(question("B", Bronze, 1)), Tier::None),
        (drill("B", true), Tier::None),
        (drill("B", true), Bronze),
        (passed(question("B", Silver, 1)), Gold),
    ]);
    check_tiers(&[
        (passed(question("B", Gold, 1)), Tier::None),
        (passed(question("B", Silver, 1)), Tier::None),
        (passed(question("B", Bronze, 1)), Tier::None),
        (drill("B", true), Tier::None),
        (drill("B", true), Gold),
    ]);
}

#[test]
fn a_course_chooses_its_streak() {
    let course = course_with(|spec| {
        spec.rules = Rules {
            ready_streak: 3,
            ..Rules::default()
        };
    });
    let mut events = vec![passed(question("B", Bronze, 1))];
    events.extend([drill("B", true), drill("B", true)]);
    assert_eq!(after(&course, &events).progress["B"].tier, Tier::None);
    events.push(drill("B", true));
    assert_eq!(after(&course, &events).progress["B"].tier, Bronze);
}

#[test]
fn passes_count_at_their_tier() {
    let b = after(
        &course(),
        &[
            passed(question("B", Bronze, 1)),
            passed(question("B", Bronze, 2)),
            passed(question("B", Silver, 1)),
            failed(question("B", Gold, 1)),
        ],
    )
    .progress["B"]
        .clone();
    assert_eq!(
        b,
        UnitProgress {
            last_touched_at: Some(minute(3)),
            passed: PassedByTier {
                bronze: 2,
                silver: 1,
                gold: 0,
            },
            ..UnitProgress::default()
        }
    );
}

#[test]
fn a_question_counts_for_the_unit_that_the_event_names() {
    let course = course_with(|spec| {
        let shared = spec.questions.iter_mut().find(|q| q.id == "B-bronze-1");
        shared.unwrap().units.push("C".to_owned());
    });
    let mut shared = question("B", Bronze, 1);
    shared.unit_id = "C".to_owned();
    let evidence = after(&course, &[passed(shared)]);
    assert_eq!(evidence.progress["C"].passed.bronze, 1);
    assert_eq!(evidence.progress.get("B"), None);
}

#[test]
fn a_failed_question_waits_until_it_is_passed() {
    let (one, two) = (question("B", Bronze, 1), question("A", Bronze, 1));
    let mut events = vec![failed(one.clone()), failed(two.clone())];
    let both = [one.clone(), two.clone()];
    assert_eq!(after(&course(), &events).revisit_queue, both);
    // A second failure keeps the place.
    events.push(failed(one.clone()));
    assert_eq!(after(&course(), &events).revisit_queue, both);
    events.push(passed(one.clone()));
    assert_eq!(after(&course(), &events).revisit_queue, both[1..]);
    // One that was passed and failed again waits behind the others.
    events.push(failed(one.clone()));
    let evidence = after(&course(), &events);
    assert_eq!(evidence.revisit_queue, [two, one]);
    assert_eq!(evidence.exam_touched, ["B-bronze-1", "A-bronze-1"]);
}

#[test]
fn a_passed_question_is_touched_and_does_not_wait() {
    let evidence = after(&course(), &[passed(question("B", Bronze, 1))]);
    assert_eq!(evidence.exam_touched, ["B-bronze-1"]);
    assert_eq!(evidence.revisit_queue, []);
}

#[test]
fn a_look_at_support_that_locks_puts_the_question_in_the_queue() {
    let asked = question("B", Bronze, 1);
    let evidence = after(&course(), &[viewed(asked.clone(), true)]);
    assert_eq!(evidence.revisit_queue, [asked]);
    assert_eq!(evidence.exam_touched, ["B-bronze-1"]);
    let touched = UnitProgress {
        last_touched_at: Some(minute(0)),
        ..UnitProgress::default()
    };
    assert_eq!(evidence.progress["B"], touched);
    assert_eq!(evidence.units_in_progress, ["B"]);
}

#[test]
fn a_look_at_support_that_locks_nothing_says_nothing_of_the_question() {
    let asked = question("B", Bronze, 1);
    // The platform may know a pass that the record does not: until it comes, the question is as good as new.
    let looked = after(&course(), &[viewed(asked.clone(), false)]);
    assert!(looked.exam_touched.is_empty());
    assert_eq!(looked.revisit_queue, []);
    assert_eq!(looked.progress["B"].last_touched_at, Some(minute(0)));
    for events in [
        [passed(asked.clone()), viewed(asked.clone(), false)],
        [viewed(asked.clone(), false), passed(asked)],
    ] {
        let evidence = after(&course(), &events);
        assert_eq!(evidence.revisit_queue, []);
        assert_eq!(evidence.exam_touched, ["B-bronze-1"]);
        assert_eq!(evidence.progress["B"].last_touched_at, Some(minute(1)));
        assert_eq!(evidence.progress["B"].passed.bronze, 1);
    }
}

#[test]
fn a_look_at_support_earns_nothing() {
    // The course has shortened its streak since: the next drill or exam brings the badge, a look does not.
    let earned = UnitProgress {
        attempts: 2,
        correct: 2,
        streak_correct: 2,
        passed: PassedByTier {
            bronze: 1,
            ..PassedByTier::default()
        },
        ..UnitProgress::default()
    };
    let before = on("B", earned);
    let course = course();
    let look = viewed(question("B", Bronze, 2), true);
    let looked = apply(&course, &before, &look, now()).unwrap();
    assert_eq!(looked.tier_after, Tier::None);
    let failure = failed(question("B", Bronze, 2));
    let failed = apply(&course, &before, &failure, now()).unwrap();
    assert_eq!(failed.tier_after, Bronze);
}

#[test]
fn a_teachers_mark_is_no_evidence() {
    let course = course();
    let start = after(
        &course,
        &[drill("A", true), failed(question("A", Bronze, 1))],
    );
    let marked_a = apply(&course, &start, &marked("A", true), minute(9)).unwrap();
    let marked_b = apply(&course, &marked_a.evidence, &marked("B", true), minute(9)).unwrap();
    let expected = Evidence {
        prerequisite_overrides: ["A".to_owned(), "B".to_owned()].into(),
        ..start.clone()
    };
    assert_eq!(marked_b.evidence, expected);
    assert_eq!(marked_b.tier_after, Tier::None);
    assert_eq!(marked_b.status_after, UnitStatus::NotStarted);
    assert_eq!(marked_a.status_after, UnitStatus::InProgress);

    let again = apply(&course, &expected, &marked("A", true), minute(9)).unwrap();
    assert_eq!(again.evidence, expected);
    let one_back = apply(&course, &expected, &marked("A", false), minute(9)).unwrap();
    let both_back = apply(&course, &one_back.evidence, &marked("B", false), minute(9)).unwrap();
    assert_eq!(both_back.evidence, start);
}

#[test]
fn a_mark_survives_evidence_and_gives_no_badge() {
    let events = [marked("B", true), drill("B", true), drill("B", false)];
    let evidence = after(&course(), &events);
    assert_eq!(evidence.prerequisite_overrides, ["B".to_owned()].into());
    assert_eq!(evidence.progress["B"].tier, Tier::None);
}

#[test]
fn a_unit_without_assessment_counts_drills_and_earns_no_badge() {
    let course = course_with(|spec| {
        spec.questions
            .push(crate::fixtures::question("E-bronze-1", "E", Bronze));
    });
    let pass = passed(question("E", Bronze, 1));
    let last = last_of(&course, &[drill("E", true), drill("E", true), pass]);
    let e = &last.evidence.progress["E"];
    assert_eq!((e.attempts, e.streak_correct, e.passed.bronze), (2, 2, 1));
    assert_eq!(last.tier_after, Tier::None);
    assert_eq!(last.status_after, UnitStatus::InProgress);
    assert_eq!(last.evidence.units_in_progress, Vec::<String>::new());
}

#[test]
fn the_latest_six_units_are_in_progress() {
    let ids: Vec<_> = (1..=8).map(|n| format!("U{n}")).collect();
    let course = course_with(|spec| {
        spec.units = vec![unit("ENTRY", &[])];
        spec.units.extend(ids.iter().map(|id| unit(id, &[])));
        spec.questions = crate::fixtures::questions(&spec.units);
    });
    let mut events: Vec<_> = ids[..6].iter().map(|id| drill(id, false)).collect();
    let latest = |events: &[EvidenceEvent]| after(&course, events).units_in_progress;
    assert_eq!(latest(&events), ["U6", "U5", "U4", "U3", "U2", "U1"]);
    events.push(drill("U3", true));
    assert_eq!(latest(&events), ["U3", "U6", "U5", "U4", "U2", "U1"]);
    events.push(failed(question("U7", Bronze, 1)));
    assert_eq!(latest(&events), ["U7", "U3", "U6", "U5", "U4", "U2"]);
    events.push(marked("U8", true));
    assert_eq!(latest(&events), ["U7", "U3", "U6", "U5", "U4", "U2"]);
    events.push(viewed(question("U8", Bronze, 1), true));
    assert_eq!(latest(&events), ["U8", "U7", "U3", "U6", "U5", "U4"]);
}

#[test]
fn gold_ends_the_work_on_a_unit() {
    let course = course();
    let mut events = vec![drill("A", true), drill("B", true), drill("B", true)];
    events.extend([Bronze, Silver, Gold].map(|tier| passed(question("B", tier, 1))));
    let last = last_of(&course, &events);
    assert_eq!(last.status_before, UnitStatus::InProgress);
    assert_eq!(last.status_after, UnitStatus::Mastered);
    assert_eq!(last.evidence.units_in_progress, ["A"]);
    // More evidence does not bring it back.
    events.push(drill("B", false));
    let evidence = after(&course, &events);
    assert_eq!(evidence.units_in_progress, ["A"]);
    assert_eq!(evidence.progress["B"].tier, Gold);
}

#[test]
fn the_status_is_a_word_for_the_progress() {
    let with = |tier, attempts| UnitProgress {
        tier,
        attempts,
        ..UnitProgress::default()
    };
    for (progress, status) in [
        (UnitProgress::default(), UnitStatus::NotStarted),
        (with(Tier::None, 1), UnitStatus::InProgress),
        (with(Bronze, 0), UnitStatus::InProgress),
        (with(Silver, 5), UnitStatus::InProgress),
        (with(Gold, 5), UnitStatus::Mastered),
        (with(Gold, 0), UnitStatus::Mastered),
    ] {
        assert_eq!(UnitStatus::of(&progress), status, "{progress:?}");
    }
    let touched = UnitProgress {
        last_touched_at: Some(now()),
        ..UnitProgress::default()
    };
    assert_eq!(UnitStatus::of(&touched), UnitStatus::InProgress);
}
