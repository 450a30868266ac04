//! Records that are older than the course, or that no history could have led to.

use turnwise_decisions::{PassedByTier, Tier, UnitProgress, evidence::apply};

use super::*;
use crate::fixtures::course;

use Tier::{Bronze, Gold, Silver};

const MOST: u32 = i32::MAX as u32;

#[test]
fn what_the_course_no_longer_has_stays() {
    let old = UnitProgress {
        tier: Silver,
        attempts: 4,
        confusion_tags: [("old".to_owned(), 3)].into(),
        ..UnitProgress::default()
    };
    let forgotten = QuestionRef {
        question_id: "gone-bronze-1".to_owned(),
        unit_id: "gone".to_owned(),
        tier: Bronze,
    };
    let mut before = on("gone", old.clone());
    before.progress.insert("B".to_owned(), old.clone());
    before.units_in_progress = owned(&["gone"]);
    before.revisit_queue = vec![forgotten.clone()];
    before.exam_touched = owned(&["gone-bronze-1"]);
    before.prerequisite_overrides = ["gone".to_owned()].into();

    let asked = question("B", Gold, 1);
    let course = course();
    let after = apply(&course, &before, &failed(asked.clone()), now())
        .unwrap()
        .evidence;
    assert_eq!(after.progress["gone"], old);
    assert_eq!(after.progress["B"].confusion_tags, old.confusion_tags);
    assert_eq!(after.units_in_progress, ["B", "gone"]);
    assert_eq!(after.revisit_queue, [forgotten, asked]);
    assert_eq!(after.exam_touched, ["gone-bronze-1", "B-gold-1"]);
    assert_eq!(after.prerequisite_overrides, before.prerequisite_overrides);
}

#[test]
fn a_badge_without_its_passes_stays_and_leads_no_further_without_them() {
    let silver = UnitProgress {
        tier: Silver,
        ..UnitProgress::default()
    };
    let course = course();
    for (event, tier) in [
        (drill("B", false), Silver),
        (passed(question("B", Bronze, 1)), Silver),
        (passed(question("B", Gold, 1)), Silver),
        (viewed(question("B", Gold, 1), true), Silver),
    ] {
        let applied = apply(&course, &on("B", silver.clone()), &event, now()).unwrap();
        assert_eq!(applied.tier_after, tier, "{event:?}");
    }
    let with_gold = UnitProgress {
        passed: PassedByTier {
            gold: 1,
            ..PassedByTier::default()
        },
        ..silver
    };
    let pass = passed(question("B", Silver, 1));
    let applied = apply(&course, &on("B", with_gold), &pass, now()).unwrap();
    assert_eq!(applied.tier_after, Gold);
}

#[test]
fn the_badge_of_a_unit_that_is_no_longer_assessed_stays() {
    let bronze = UnitProgress {
        tier: Bronze,
        streak_correct: 2,
        passed: PassedByTier {
            bronze: 1,
            silver: 1,
            gold: 1,
        },
        ..UnitProgress::default()
    };
    let applied = apply(&course(), &on("E", bronze), &drill("E", false), now()).unwrap();
    assert_eq!(applied.tier_after, Bronze);
}

#[test]
fn counters_stay_at_their_most() {
    let full = UnitProgress {
        attempts: MOST,
        correct: MOST,
        streak_correct: MOST - 1,
        streak_wrong: MOST,
        passed: PassedByTier {
            bronze: MOST,
            silver: MOST,
            gold: u32::MAX,
        },
        confusion_tags: [("sign".to_owned(), MOST)].into(),
        ..UnitProgress::default()
    };
    let course = course();
    let apply_to = |event: &EvidenceEvent| {
        let applied = apply(&course, &on("B", full.clone()), event, now()).unwrap();
        applied.evidence.progress["B"].clone()
    };
    let right = apply_to(&drill("B", true));
    assert_eq!(
        (right.attempts, right.correct, right.streak_correct),
        (MOST, MOST, MOST)
    );
    let wrong = apply_to(&wrong_drill("B", "sign"));
    assert_eq!((wrong.attempts, wrong.streak_wrong), (MOST, MOST));
    assert_eq!(wrong.confusion_tags["sign"], MOST);
    for tier in [Bronze, Silver, Gold] {
        assert_eq!(
            apply_to(&passed(question("B", tier, 1))).passed,
            full.passed
        );
    }
}

#[test]
fn a_time_in_the_future_becomes_now() {
    let ahead = UnitProgress {
        last_touched_at: Some(minute(60)),
        ..UnitProgress::default()
    };
    let mut before = on("B", ahead.clone());
    before.progress.insert("A".to_owned(), ahead.clone());
    let after = apply(&course(), &before, &drill("B", true), now())
        .unwrap()
        .evidence;
    assert_eq!(after.progress["B"].last_touched_at, Some(now()));
    assert_eq!(after.progress["A"], ahead);
}

#[test]
fn a_question_that_has_moved_since_it_failed_keeps_its_place_and_goes_when_passed() {
    let moved = QuestionRef {
        unit_id: "F".to_owned(),
        tier: Silver,
        ..question("B", Bronze, 1)
    };
    let before = Evidence {
        revisit_queue: vec![moved, question("A", Bronze, 1)],
        ..Evidence::default()
    };
    let course = course();
    let queue = |event| {
        let applied = apply(&course, &before, &event, now()).unwrap();
        applied.evidence.revisit_queue
    };
    assert_eq!(
        queue(failed(question("B", Bronze, 1))),
        before.revisit_queue
    );
    let rest = [question("A", Bronze, 1)];
    assert_eq!(queue(passed(question("B", Bronze, 1))), rest);
}

#[test]
fn lists_with_duplicates_and_too_many_units() {
    let gold = UnitProgress {
        tier: Gold,
        ..UnitProgress::default()
    };
    let (one, two) = (question("B", Bronze, 1), question("A", Bronze, 1));
    let mut moved = one.clone();
    moved.unit_id = "F".to_owned();
    let mut before = on("D", gold);
    before.units_in_progress = owned(&["D", "A", "x1", "A", "B", "x2", "x3", "x4", "x5", "C"]);
    before.revisit_queue = vec![two.clone(), moved, two.clone(), one.clone()];
    before.exam_touched = owned(&["B-bronze-1", "q", "B-bronze-1", "q"]);
    let course = course();

    let after = |event| apply(&course, &before, &event, now()).unwrap().evidence;
    let failure = after(failed(one.clone()));
    assert_eq!(
        failure.units_in_progress,
        ["B", "A", "x1", "x2", "x3", "x4"]
    );
    assert_eq!(failure.revisit_queue, before.revisit_queue);
    assert_eq!(failure.exam_touched, before.exam_touched);
    assert_eq!(after(passed(one)).revisit_queue, [two.clone(), two]);
    // A mark leaves even these as they are.
    let marked = after(marked("A", true));
    assert_eq!(marked.units_in_progress, before.units_in_progress);
    assert_eq!(marked.revisit_queue, before.revisit_queue);
}
