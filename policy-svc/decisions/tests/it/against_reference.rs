//! The product against the model in [`crate::reference`], which says the rules a second time.

use jiff::Timestamp;
use proptest::{collection::vec, prelude::*};
use serde_json::Value;
use turnwise_decisions::{
    Action, Course, CourseSpec, DecideInput, Evidence, EvidenceEvent, EvidenceFault, PassedByTier,
    QuestionRef, Record, Statuses, Tier, UnitProgress, decide, describe_standing, evidence::apply,
    fallback::fallback, score::ScoreParts, standing::Standing, validate::validate,
};

use crate::{
    fixtures::{self, Turn, now},
    reference::{
        self,
        buttons::buttons,
        decide::ExamAnswer,
        evidence::{Refused, refusals},
        plan::Message,
        record::World,
        score::Parts,
        standing::Word,
        verdict::faults,
    },
    strategies::{id, replies, tier, wide},
};

fn courses() -> impl Strategy<Value = (CourseSpec, bool)> {
    prop_oneof![
        3 => wide::course(true).prop_map(|course| (course, true)),
        1 => wide::course(false).prop_map(|course| (course, false)),
    ]
}

/// A course, whether it has no cycle, a turn, and the exam system's answer.
fn turns() -> impl Strategy<Value = (CourseSpec, bool, Turn, wide::ExamAnswer)> {
    courses().prop_flat_map(|(course, acyclic)| {
        let turn = wide::turn(&course);
        let answer = wide::exam_answer(&course);
        (Just(course), Just(acyclic), turn, answer)
    })
}

fn world<'a>(course: &'a CourseSpec, turn: &'a Turn) -> World<'a> {
    World {
        course,
        snapshot: &turn.snapshot,
        now: turn.now,
    }
}

fn model_plan(course: &CourseSpec, turn: &Turn) -> Result<reference::plan::Plan, String> {
    let message = Message {
        mapped: &turn.mapped_units,
        event: turn.event.as_ref(),
        target_locked: turn.target_locked,
    };
    reference::plan::plan(&world(course, turn), &message)
}

fn words(answer: &wide::ExamAnswer) -> Vec<(String, Word)> {
    answer
        .words
        .iter()
        .map(|(id, status)| (id.clone(), (status.state, status.locked_until)))
        .collect()
}

fn statuses(answer: &wide::ExamAnswer) -> Statuses {
    answer.words.iter().cloned().collect()
}

fn input(plan: turnwise_decisions::Plan, answer: &wide::ExamAnswer) -> DecideInput {
    DecideInput {
        plan,
        turn_id: "t".to_owned(),
        candidate_question_ids: answer.retrieved.clone(),
        statuses: statuses(answer),
        exam_system_unavailable: answer.unavailable,
    }
}

fn assert_near(product: f64, model: f64) {
    assert!((product - model).abs() < 1e-9, "{product} {model}");
}

fn check_parts(product: &ScoreParts, model: &Parts) {
    assert_near(product.intent, model.intent);
    assert_near(product.recency, model.recency);
    assert_near(product.in_progress, model.in_progress);
    assert_near(product.tier_need, model.tier_need);
    assert_near(product.drill_evidence, model.drill_evidence);
}

fn check_standing(product: &Standing, model: &reference::standing::Standing) {
    let view =
        |unit: &turnwise_decisions::standing::UnitView| (unit.unit_id.clone(), unit.title.clone());
    assert_eq!(view(&product.focus), model.focus);
    assert_eq!(product.focus_tier, model.focus_tier);
    assert_eq!(product.prereq_nudge.as_ref().map(view), model.nudge);
    assert_eq!(product.revisit.locked_count, model.locked);
    assert_eq!(product.revisit.next_eligible_at, model.next_eligible_at);
    assert_eq!(product.revisit.next_question_id, model.next_question);
    let counts = product.progress;
    assert_eq!(
        [counts.bronze, counts.silver, counts.gold, counts.total],
        model.counts
    );
}

fn check_plan(
    product: &turnwise_decisions::Plan,
    model: &reference::plan::Plan,
    world: &World<'_>,
    acyclic: bool,
) {
    assert_eq!(product.primary_target_unit_id, model.target);
    assert_eq!(product.prereq_blocking_unit_id, model.blocker);
    assert_eq!(product.focus_unit_id, model.focus);
    assert_eq!(product.focus_tier, model.focus_tier);
    let drills = world.progress(&model.focus);
    assert_eq!(
        (
            product.focus_drills.attempts,
            product.focus_drills.streak_correct,
            product.focus_drills.streak_wrong
        ),
        (drills.attempts, drills.streak_correct, drills.streak_wrong)
    );
    assert_eq!(product.stuck, model.stuck, "stuck");
    assert_eq!(product.exam_ready, model.exam_ready, "ready");
    assert_eq!(product.desired_exam_tier, model.desired_tier);
    let units: Vec<_> = product.candidates.iter().map(|c| &c.unit_id).collect();
    let expected: Vec<_> = model.candidates.iter().map(|(unit, ..)| unit).collect();
    assert_eq!(units, expected);
    for (scored, (_, parts, total)) in product.candidates.iter().zip(&model.candidates) {
        check_parts(&scored.parts, parts);
        assert_near(scored.parts.total(), *total);
    }
    assert_eq!(product.scoped_unit_ids, model.scope);
    let mapped: Vec<_> = product
        .mapped_units
        .iter()
        .map(|unit| (unit.unit_id.clone(), unit.confidence))
        .collect();
    assert_eq!(mapped, model.mapped);
    assert_eq!(product.target_locked, model.target_locked, "locked");
    assert_eq!(product.clamped, model.clamped, "clamped");
    assert_eq!(product.revisit_question_ids, model.revisit);
    assert_eq!(product.focus_revisit_question_ids, model.focus_revisit);
    assert_eq!(product.units_in_progress, model.units_in_progress);
    // A course with a cycle has no path, so what stands on it first is nobody's rule.
    if acyclic {
        assert_eq!(product.next_unit_id, model.next_unit);
    }
    assert_eq!(product.prereq_check_open, model.check_open, "check");
    assert_eq!(product.focus_missing_unit_ids, world.missing(&model.focus));
    check_standing(&product.standing, &model.standing);
}

fn check_decision(
    product: &turnwise_decisions::Decision,
    model: &reference::decide::Decision,
    plan: &reference::plan::Plan,
    course: &Course,
    world: &World<'_>,
) {
    let policy = &product.policy;
    assert_eq!(policy.focus_unit_id, plan.focus);
    assert_eq!(policy.primary_target_unit_id, plan.target);
    assert_eq!(policy.prereq_blocking_unit_id, plan.blocker);
    assert_eq!(policy.scoped_unit_ids, plan.scope);
    assert_eq!(policy.stuck, plan.stuck);
    assert_eq!(policy.exam_ready, plan.exam_ready);
    assert_eq!(policy.desired_exam_tier, plan.desired_tier);
    assert_eq!(policy.exam_availability, model.availability);
    assert_eq!(policy.exam_candidate_ids, model.candidates);
    assert_eq!(policy.exam_next_eligible_at, model.next_eligible_at);
    assert_eq!(policy.allowed_actions, model.allowed);
    for action in Action::ALL {
        if policy.allows(action) {
            let targets: Vec<_> = policy.targets(course, action).collect();
            let expected = reference::decide::targets(world.course, plan, &model.allowed, action);
            assert_eq!(targets, expected, "{action:?}");
        }
    }
    let rules = &world.course.rules;
    assert_eq!(
        (
            policy.constraints.max_concept_words,
            policy.constraints.max_worked_examples,
            policy.constraints.drill_max_steps
        ),
        (
            rules.max_concept_words,
            rules.max_worked_examples,
            rules.drill_max_steps
        )
    );
    let pressed: Vec<_> = product
        .buttons
        .iter()
        .map(|button| (button.label, button.event.clone(), button.primary))
        .collect();
    assert_eq!(pressed, buttons(world, plan, model));
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn a_plan_is_what_the_rules_say((spec, acyclic, turn, _) in turns()) {
        let course = Course::new(spec.clone()).unwrap();
        let product = fixtures::plan(&course, &turn).map_err(|unknown| unknown.0);
        match (product, model_plan(&spec, &turn)) {
            (Ok(product), Ok(model)) => check_plan(&product, &model, &world(&spec, &turn), acyclic),
            (product, model) => prop_assert_eq!(product.err(), model.err()),
        }
    }

    #[test]
    fn the_path_is_what_the_rules_say((spec, turn) in wide::course(true).prop_flat_map(|course| {
        let turn = wide::turn(&course);
        (Just(course), turn)
    })) {
        let course = Course::new(spec.clone()).unwrap();
        let path: Vec<_> = course.path().iter().map(|at| course.id(*at).to_owned()).collect();
        prop_assert_eq!(path, world(&spec, &turn).path());
    }

    #[test]
    fn a_policy_is_what_the_rules_say((spec, acyclic, turn, answer) in turns()) {
        let course = Course::new(spec.clone()).unwrap();
        let Ok(model) = model_plan(&spec, &turn) else {
            return Ok(());
        };
        let words = words(&answer);
        let exam = ExamAnswer {
            retrieved: &answer.retrieved,
            words: &words,
            unavailable: answer.unavailable,
        };
        let here = world(&spec, &turn);
        let plan = fixtures::plan(&course, &turn).unwrap();
        let product = decide(&course, &input(plan, &answer)).unwrap();
        let expected = reference::decide::decide(&here, &model, turn.event.as_ref(), &exam);
        // The next unit of a course with a cycle is nobody's rule, and its button is none.
        if acyclic {
            check_decision(&product, &expected, &model, &course, &here);
        } else {
            prop_assert_eq!(&product.policy.allowed_actions, &expected.allowed);
            prop_assert_eq!(&product.policy.exam_candidate_ids, &expected.candidates);
        }
        let standing = reference::standing::standing(
            &here, &model.focus, model.blocker.as_deref(), &|id| exam.word(id),
        );
        check_standing(&product.standing, &standing);
        prop_assert_eq!(&product.summary.focus_unit_id, &model.focus);
        prop_assert_eq!(product.summary.focus_tier, model.focus_tier);
        prop_assert_eq!(&product.summary.units_in_progress, &model.units_in_progress);
        prop_assert_eq!(product.summary.revisit_locked_count, standing.locked);
        prop_assert_eq!(product.summary.revisit_next_eligible_at, standing.next_eligible_at);
    }

    #[test]
    fn a_standing_is_what_the_rules_say((spec, _, turn, answer) in turns()) {
        let course = Course::new(spec.clone()).unwrap();
        let record = Record::new(&course, &turn.snapshot, turn.now);
        let product = describe_standing(&record, &statuses(&answer));
        let words = words(&answer);
        let exam = ExamAnswer { retrieved: &[], words: &words, unavailable: false };
        let model = reference::standing::outside_a_turn(&world(&spec, &turn), &|id| exam.word(id));
        check_standing(&product, &model);
    }
}

/// A turn that was decided, and a reply: one that its policy allows, or a changed one.
#[derive(Debug, Clone)]
struct Replied {
    spec: CourseSpec,
    turn: Turn,
    answer: wide::ExamAnswer,
    reply: Value,
}

fn replied() -> impl Strategy<Value = Replied> {
    turns()
        .prop_filter_map(
            "the event's unit is not in the course",
            |(spec, _, turn, answer)| {
                model_plan(&spec, &turn)
                    .is_ok()
                    .then_some((spec, turn, answer))
            },
        )
        .prop_flat_map(|(spec, turn, answer)| {
            let course = Course::new(spec.clone()).unwrap();
            let plan = fixtures::plan(&course, &turn).unwrap();
            let policy = decide(&course, &input(plan, &answer)).unwrap().policy;
            let reply = replies::reply(&course, &policy);
            (Just(spec), Just(turn), Just(answer), reply)
        })
        .prop_map(|(spec, turn, answer, reply)| Replied {
            spec,
            turn,
            answer,
            reply,
        })
}

/// The rules' verdict on a reply: every reason to refuse it.
fn expected_faults(case: &Replied, reply: &Value) -> Vec<&'static str> {
    let words = words(&case.answer);
    let exam = ExamAnswer {
        retrieved: &case.answer.retrieved,
        words: &words,
        unavailable: case.answer.unavailable,
    };
    let plan = model_plan(&case.spec, &case.turn).unwrap();
    let here = world(&case.spec, &case.turn);
    let decision = reference::decide::decide(&here, &plan, case.turn.event.as_ref(), &exam);
    let turn = reference::verdict::Turn {
        course: &case.spec,
        plan: &plan,
        decision: &decision,
    };
    faults(&turn, reply.as_object().unwrap())
        .into_iter()
        .map(turnwise_decisions::FallbackReason::as_str)
        .collect()
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn a_verdict_is_what_the_rules_say(case in replied()) {
        let course = Course::new(case.spec.clone()).unwrap();
        let plan = fixtures::plan(&course, &case.turn).unwrap();
        let policy = decide(&course, &input(plan, &case.answer)).unwrap().policy;
        let expected = expected_faults(&case, &case.reply);
        let bytes = serde_json::to_vec(&case.reply).unwrap();
        match validate(&course, &policy, &bytes) {
            Ok(_) => prop_assert!(expected.is_empty(), "accepted in spite of {expected:?}"),
            // Of several faults any one is a true reason.
            Err(violation) => prop_assert!(
                expected.contains(&violation.reason.as_str()),
                "{} ({}), not one of {expected:?}", violation.reason.as_str(), violation.detail
            ),
        }
        // The reply that needs no model is valid by the same rules.
        let own = serde_json::to_value(fallback(&course, &policy)).unwrap();
        prop_assert_eq!(expected_faults(&case, &own), Vec::<&str>::new());
    }
}

fn unit_progress() -> impl Strategy<Value = UnitProgress> {
    let count = || prop::sample::select(vec![0, 0, 1, 2, 3, 2_147_483_647]);
    (
        prop_oneof![2 => Just(Tier::None), 1 => tier()],
        prop::option::of(-100_i64..10),
        (count(), count(), count(), count()),
        (0..3_u32, 0..3_u32, prop_oneof![4 => 0..3_u32, 1 => count()]),
        prop::collection::btree_map(tag(), 1..4_u32, 0..3),
    )
        .prop_map(
            |(tier, hours, drills, passed, confusion_tags)| UnitProgress {
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
            },
        )
}

fn tag() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["sign", "slip", "invented"]).prop_map(str::to_owned)
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

fn evidence(course: &CourseSpec) -> impl Strategy<Value = Evidence> + use<> {
    (
        prop::collection::btree_map(any_unit(), unit_progress(), 0..12),
        vec(question_ref(course), 0..6),
        vec(wide::question_id(), 0..6),
        prop::collection::btree_set(any_unit(), 0..4),
        any::<u64>(),
    )
        .prop_map(
            |(progress, queue, touched, prerequisite_overrides, order)| {
                let mut evidence = Evidence {
                    prerequisite_overrides,
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
        4 => (any_unit(), any::<bool>(), prop::option::of(tag())).prop_map(
            |(unit_id, correct, mistake_tag)| EvidenceEvent::DrillGraded { unit_id, correct, mistake_tag }
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
    #![proptest_config(crate::config())]

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
            evidence = applied.evidence;
        }
    }
}
