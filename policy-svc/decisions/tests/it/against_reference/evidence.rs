//! Evidence: what the product makes of an event against what the model makes of it.

use jiff::Timestamp;
use proptest::{collection::vec, prelude::*};
use turnwise_decisions::{
    Course, CourseSpec, Evidence, EvidenceEvent, EvidenceFault, PassedByTier, Placed, QuestionRef,
    Tier, UnitProgress, evidence::apply,
};

use super::courses;
use crate::{
    fixtures::now,
    reference::{
        self,
        evidence::{Refused, refusals},
    },
    strategies::{id, tier, wide},
};

fn unit_progress() -> impl Strategy<Value = UnitProgress> {
    let count = || prop::sample::select(vec![0, 0, 1, 2, 3, 2_147_483_647]);
    (
        prop_oneof![2 => Just(Tier::None), 1 => tier()],
        prop::option::of(-100_i64..10),
        (count(), count(), count(), count()),
        (0..3_u32, 0..3_u32, prop_oneof![4 => 0..3_u32, 1 => count()]),
        prop::collection::btree_map(tag(), 1..4_u32, 0..3),
        counted(),
    )
        .prop_map(
            |(tier, hours, drills, passed, confusion_tags, counted_exercises)| UnitProgress {
                tier,
                last_touched_at: hours.map(|h| now() + jiff::SignedDuration::from_hours(h)),
                attempts: drills.0,
                correct: drills.1,
                streak_correct: drills.2,
                streak_wrong: drills.3,
                passed: PassedByTier {
                    bronze: passed.0,
                    silver: passed.1,
                    gold: passed.2,
                },
                confusion_tags,
                counted_exercises,
            },
        )
}

fn tag() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["sign", "slip", "invented"]).prop_map(str::to_owned)
}

fn exercise() -> impl Strategy<Value = u64> {
    1..5_u64
}

/// As many exercises as a record holds, fewer, and more than it should.
fn counted() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        4 => vec(exercise(), 0..3),
        1 => (60..70_u64).prop_map(|last| (3..last).collect::<Vec<_>>()),
    ]
}

fn any_unit() -> impl Strategy<Value = String> {
    (0..15_usize).prop_map(id)
}

/// Mostly a question of the catalogue, for a unit and tier that are mostly right.
fn question_ref(course: &CourseSpec) -> impl Strategy<Value = QuestionRef> + use<> {
    let mut real: Vec<QuestionRef> = Vec::new();
    for question in &course.questions {
        real.extend(question.units.iter().map(|unit| QuestionRef {
            question_id: question.id.clone(),
            unit_id: unit.clone(),
            tier: question.tier,
        }));
    }
    let odd = (wide::question_id(), any_unit(), tier()).prop_map(|(question_id, unit_id, tier)| {
        QuestionRef {
            question_id,
            unit_id,
            tier,
        }
    });
    if real.is_empty() {
        return odd.boxed();
    }
    let half_right = (
        prop::sample::select(real.clone()),
        tier(),
        any_unit(),
        any::<bool>(),
    )
        .prop_map(|(question, tier, unit_id, which)| {
            if which {
                QuestionRef { tier, ..question }
            } else {
                QuestionRef {
                    unit_id,
                    ..question
                }
            }
        });
    prop_oneof![10 => prop::sample::select(real), 1 => half_right, 1 => odd].boxed()
}

fn placed() -> impl Strategy<Value = Placed> {
    (0..3_u32, any::<bool>()).prop_map(|(wrong_drills, undone)| Placed {
        wrong_drills,
        undone,
    })
}

fn evidence(course: &CourseSpec) -> impl Strategy<Value = Evidence> + use<> {
    (
        prop::collection::btree_map(any_unit(), unit_progress(), 0..12),
        vec(question_ref(course), 0..6),
        vec(wide::question_id(), 0..6),
        prop::collection::btree_set(any_unit(), 0..4),
        prop::collection::btree_map(any_unit(), placed(), 0..6),
        any::<u64>(),
    )
        .prop_map(
            |(progress, queue, touched, prerequisite_overrides, placed, order)| {
                let mut evidence = Evidence {
                    prerequisite_overrides,
                    placed,
                    ..Evidence::default()
                };
                for (unit, shown) in progress {
                    if shown.tier != Tier::Gold && evidence.units_in_progress.len() < 6 {
                        let place = usize::try_from(order % 7).unwrap();
                        let place = place.min(evidence.units_in_progress.len());
                        evidence.units_in_progress.insert(place, unit.clone());
                    }
                    evidence.progress.insert(unit, shown);
                }
                for entry in queue {
                    if evidence
                        .revisit_queue
                        .iter()
                        .all(|e| e.question_id != entry.question_id)
                    {
                        evidence.revisit_queue.push(entry);
                    }
                }
                for id in touched {
                    if !evidence.exam_touched.contains(&id) {
                        evidence.exam_touched.push(id);
                    }
                }
                evidence
            },
        )
}

fn evidence_event(course: &CourseSpec) -> impl Strategy<Value = EvidenceEvent> + use<> {
    let question = || question_ref(course);
    prop_oneof![
        4 => (any_unit(), any::<bool>(), prop::option::of(tag()), prop::option::of(exercise())).prop_map(
            |(unit_id, correct, mistake_tag, exercise)| EvidenceEvent::DrillGraded {
                unit_id,
                correct,
                mistake_tag,
                exercise,
            }
        ),
        4 => (question(), any::<bool>())
            .prop_map(|(question, passed)| EvidenceEvent::ExamResult { question, passed }),
        2 => (question(), any::<bool>())
            .prop_map(|(question, locked)| EvidenceEvent::SupportViewed { question, locked }),
        1 => (any_unit(), any::<bool>())
            .prop_map(|(unit_id, met)| EvidenceEvent::PrerequisiteMarked { unit_id, met }),
    ]
}

/// A course, a record, and what happens then. A few events in a row, so that records come up that chance does not make.
fn histories() -> impl Strategy<Value = (CourseSpec, Evidence, Vec<EvidenceEvent>)> {
    courses().prop_flat_map(|(course, _)| {
        let evidence = prop_oneof![1 => Just(Evidence::default()), 4 => evidence(&course)];
        let events = vec(evidence_event(&course), 1..6);
        (Just(course), evidence, events)
    })
}

fn refused(fault: &EvidenceFault) -> Refused {
    match fault {
        EvidenceFault::UnknownUnit(_) => Refused::UnknownUnit,
        EvidenceFault::EntryUnit(_) => Refused::EntryUnit,
        EvidenceFault::UnknownQuestion(_) => Refused::UnknownQuestion,
        EvidenceFault::ForeignUnit { .. } => Refused::ForeignUnit,
        EvidenceFault::ForeignTier { .. } => Refused::ForeignTier,
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn evidence_is_what_the_rules_say((spec, mut evidence, events) in histories()) {
        let course = Course::new(spec.clone()).unwrap();
        let mut time: Timestamp = now();
        for event in &events {
            time += jiff::SignedDuration::from_mins(1);
            let expected = refusals(&spec, event);
            let applied = match apply(&course, &evidence, event, time) {
                Ok(applied) => applied,
                Err(fault) => {
                    prop_assert!(expected.contains(&refused(&fault)), "{fault} {expected:?}");
                    continue;
                }
            };
            prop_assert_eq!(expected, vec![]);
            let model = reference::evidence::apply(&spec, &evidence, event, time);
            prop_assert_eq!(&applied.evidence, &model.evidence);
            prop_assert_eq!(&applied.unit_id, &model.unit);
            prop_assert_eq!((applied.tier_before, applied.tier_after), model.tiers);
            prop_assert_eq!((applied.status_before, applied.status_after), model.statuses);
            prop_assert_eq!(!applied.observations.is_empty(), model.unknown_tag);
            prop_assert_eq!(applied.exercise_repeated, model.repeated);
            evidence = applied.evidence;
        }
    }
}
