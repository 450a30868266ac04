//! One exercise counts once for a unit.

use turnwise_decisions::{EvidenceObservation, evidence::apply, exercise::MOST_REMEMBERED};

use super::*;
use crate::fixtures::course;

fn number(n: usize) -> u64 {
    u64::try_from(n).unwrap()
}

#[test]
fn a_repeat_changes_nothing_whatever_was_answered() {
    let course = course();
    for (first, again) in [(true, true), (true, false), (false, true), (false, false)] {
        let before = after(&course, &[drill("A", true), exercise("B", first, 7)]);
        let repeat = apply(&course, &before, &exercise("B", again, 7), minute(2)).unwrap();
        assert!(repeat.exercise_repeated);
        assert_eq!(repeat.evidence, before);
        assert_eq!(repeat.status_before, repeat.status_after);
        let other = apply(&course, &before, &exercise("B", again, 8), minute(2)).unwrap();
        assert!(!other.exercise_repeated);
        assert_eq!(other.evidence.progress["B"].attempts, 2);
        assert_eq!(other.evidence.progress["B"].counted_exercises, [7, 8]);
    }
}

#[test]
fn a_repeat_opens_no_exam() {
    let course = course();
    let events: Vec<_> = (0..5).map(|_| exercise("B", true, 7)).collect();
    assert_eq!(after(&course, &events).progress["B"].streak_correct, 1);
}

#[test]
fn another_unit_may_have_the_same_exercise() {
    let course = course();
    let last = last_of(&course, &[exercise("A", true, 7), exercise("B", true, 7)]);
    assert!(!last.exercise_repeated);
    assert_eq!(last.evidence.progress["B"].attempts, 1);
}

#[test]
fn an_exercise_that_is_not_known_always_counts() {
    let course = course();
    let last = last_of(&course, &[drill("B", true), drill("B", true)]);
    assert!(!last.exercise_repeated);
    assert_eq!(last.evidence.progress["B"].attempts, 2);
    assert_eq!(
        last.evidence.progress["B"].counted_exercises,
        Vec::<u64>::new()
    );
}

#[test]
fn the_last_ones_are_remembered() {
    let course = course();
    let most = MOST_REMEMBERED;
    let events: Vec<_> = (0..=most).map(|n| exercise("B", true, number(n))).collect();
    let mut evidence = after(&course, &events);
    let kept: Vec<_> = (1..=most).map(number).collect();
    assert_eq!(evidence.progress["B"].counted_exercises, kept);
    // The oldest is forgotten, and counts again; the next one is not.
    for (n, repeats) in [(1, true), (0, false), (1, false)] {
        let applied = apply(&course, &evidence, &exercise("B", true, n), now()).unwrap();
        assert_eq!(applied.exercise_repeated, repeats, "{n}");
        evidence = applied.evidence;
    }
}

#[test]
fn a_repeat_is_observed_as_nothing_else() {
    let course = course();
    let before = after(&course, &[exercise("B", true, 7)]);
    let strange = EvidenceEvent::DrillGraded {
        unit_id: "B".to_owned(),
        correct: false,
        mistake_tag: Some("made-up".to_owned()),
        exercise: Some(7),
    };
    let repeat = apply(&course, &before, &strange, now()).unwrap();
    assert_eq!(repeat.observations, Vec::<EvidenceObservation>::new());
}

/// Without a badge to earn, drills that are good enough are all there is to show.
#[test]
fn a_unit_without_a_badge_leaves_those_in_progress_when_it_is_drilled() {
    let course = course();
    let once = after(&course, &[drill("A", true), drill("E", true)]);
    assert_eq!(once.units_in_progress, ["E", "A"]);
    let twice = apply(&course, &once, &drill("E", true), minute(3))
        .unwrap()
        .evidence;
    assert_eq!(twice.units_in_progress, ["A"]);
    let wrong = apply(&course, &twice, &drill("E", false), minute(4))
        .unwrap()
        .evidence;
    assert_eq!(wrong.units_in_progress, ["E", "A"]);
    // The others drop out with the next event, whatever it is about.
    let mut stale = twice;
    stale.units_in_progress.push("E".to_owned());
    let tidy = apply(&course, &stale, &drill("A", true), minute(5))
        .unwrap()
        .evidence;
    assert_eq!(tidy.units_in_progress, ["A"]);
}
