//! Arbitrary events, and records as no history would leave them.

use proptest::{collection::vec, prelude::*};
use turnwise_decisions::{
    Course, Evidence, EvidenceEvent, PassedByTier, QuestionRef, Rules, Tier, UnitProgress,
};

use super::*;
use crate::{fixtures, strategies::tier};

pub const MOST: u32 = i32::MAX as u32;
/// The event's unit of a history is mostly one of the first few, so that some of them reach gold.
pub const UNITS: usize = 9;

pub fn id(n: usize) -> String {
    format!("U{n}")
}

/// An entry unit, and units with two questions at each tier; the last one has no assessment.
pub fn course(ready_streak: u32) -> Course {
    fixtures::course_with(|spec| {
        spec.units = vec![fixtures::unit("ENTRY", &[])];
        spec.units
            .extend((0..UNITS).map(|n| fixtures::unit(&id(n), &[])));
        spec.questions = spec.units[1..]
            .iter()
            .flat_map(|unit| {
                [Tier::Bronze, Tier::Silver, Tier::Gold].map(|tier| (unit.id.clone(), tier))
            })
            .flat_map(|(unit, tier)| [1, 2].map(|n| question(&unit, tier, n)))
            .map(|q| fixtures::question(&q.question_id, &q.unit_id, q.tier))
            .collect();
        spec.units[UNITS].assessable = false;
        spec.rules = Rules {
            ready_streak,
            ..Rules::default()
        };
    })
}

pub fn courses() -> impl Strategy<Value = Course> {
    prop_oneof![3 => Just(2), 1 => 1..5_u32].prop_map(course)
}

pub fn any_question() -> impl Strategy<Value = QuestionRef> {
    (
        prop_oneof![4 => 0..3_usize, 1 => 0..UNITS],
        prop::sample::select(vec![Tier::Bronze, Tier::Silver, Tier::Gold]),
        1..3_u32,
    )
        .prop_map(|(unit, tier, n)| question(&id(unit), tier, n))
}

/// An event that the course has everything for.
pub fn any_event() -> impl Strategy<Value = EvidenceEvent> {
    let unit = || prop_oneof![4 => 0..3_usize, 1 => 0..UNITS].prop_map(id);
    let tag = prop::sample::select(vec![
        None,
        None,
        Some("sign"),
        Some("slip"),
        Some("made-up"),
    ]);
    prop_oneof![
        5 => (unit(), prop::bool::weighted(0.7), tag).prop_map(|(unit, correct, tag)| match tag {
            Some(tag) => graded(&unit, correct, tag),
            None => drill(&unit, correct),
        }),
        2 => any_question().prop_map(passed),
        1 => any_question().prop_map(failed),
        1 => (any_question(), any::<bool>()).prop_map(|(q, locked)| viewed(q, locked)),
        1 => (unit(), any::<bool>()).prop_map(|(unit, met)| marked(&unit, met)),
    ]
}

/// A count, sometimes at the end of what a record holds.
pub fn counter() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..4_u32, 1 => MOST - 2..=MOST, 1 => Just(u32::MAX)]
}

pub fn any_progress() -> impl Strategy<Value = UnitProgress> {
    let tag = prop::sample::select(vec!["sign", "slip", "old"]).prop_map(str::to_owned);
    (
        tier(),
        prop::option::of(-90_i64..90),
        (counter(), counter(), counter(), counter()),
        (counter(), counter(), counter()),
        prop::collection::btree_map(tag, counter(), 0..3),
    )
        .prop_map(|(tier, minutes, drills, passes, confusion_tags)| {
            let (attempts, correct, streak_correct, streak_wrong) = drills;
            let (bronze, silver, gold) = passes;
            UnitProgress {
                tier,
                last_touched_at: minutes.map(|m| now() + SignedDuration::from_mins(m)),
                attempts,
                correct,
                streak_correct,
                streak_wrong,
                passed: PassedByTier {
                    bronze,
                    silver,
                    gold,
                },
                confusion_tags,
                counted_exercises: Vec::new(),
            }
        })
}

/// A record as no history would leave it: counters that contradict each other, lists with duplicates, units that are
/// gone.
pub fn any_record() -> impl Strategy<Value = Evidence> {
    let unit = || prop_oneof![4 => (0..UNITS).prop_map(id), 1 => Just("gone".to_owned())];
    let waiting = (any_question(), unit(), tier()).prop_map(|(asked, unit_id, tier)| QuestionRef {
        unit_id,
        tier,
        ..asked
    });
    (
        prop::collection::btree_map(unit(), any_progress(), 0..8),
        vec(unit(), 0..12),
        vec(prop_oneof![any_question(), waiting], 0..8),
        vec(any_question().prop_map(|q| q.question_id), 0..8),
        prop::collection::btree_set(unit(), 0..4),
    )
        .prop_map(
            |(progress, in_progress, queue, touched, overrides)| Evidence {
                progress,
                units_in_progress: in_progress,
                revisit_queue: queue,
                exam_touched: touched,
                prerequisite_overrides: overrides,
                ..Evidence::default()
            },
        )
}
