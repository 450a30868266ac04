//! The product against the model in [`crate::reference`], which says the rules a second time.

mod evidence;
mod replies;

use proptest::prelude::*;
use turnwise_decisions::{
    Action, Course, CourseSpec, DecideInput, Record, Statuses, class_standing::student_standing,
    decide, describe_standing, score::ScoreParts, standing::Standing,
};

use crate::{
    fixtures::{self, Turn},
    reference::{
        self, buttons::buttons, decide::ExamAnswer, plan::Message, record::World, score::Parts,
        standing::Word,
    },
    strategies::wide,
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
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
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

fn check_standing(product: &Standing, model: &reference::standing::Standing, acyclic: bool) {
    let view =
        |unit: &turnwise_decisions::standing::UnitView| (unit.unit_id.clone(), unit.title.clone());
    assert_eq!(view(&product.focus), model.focus);
    assert_eq!(product.focus_tier, model.focus_tier);
    assert_eq!(product.needs_review, model.needs_review, "review");
    let target = product.target.as_ref().map(|target| {
        let steps: Vec<_> = target
            .path
            .iter()
            .map(|unit| unit.unit_id.clone())
            .collect();
        (target.unit.unit_id.clone(), steps, target.steps_to_go)
    });
    // On a course with a cycle no order is the rules'.
    if acyclic {
        assert_eq!(target, model.target);
        assert_eq!(product.prereq_nudge.as_ref().map(view), model.nudge);
        let placed = product.placed.iter().map(|unit| unit.unit_id.clone());
        assert_eq!(placed.collect::<Vec<_>>(), model.placed);
    } else {
        let short = |(unit, _, steps): &(String, Vec<String>, usize)| (unit.clone(), *steps);
        assert_eq!(target.as_ref().map(short), model.target.as_ref().map(short));
    }
    assert_eq!(product.revisit.locked_count, model.locked);
    assert_eq!(product.revisit.next_eligible_at, model.next_eligible_at);
    assert_eq!(product.revisit.next_question_id, model.next_question);
    let entries = product.revisit.entries.iter();
    let entries: Vec<_> = entries
        .map(|entry| (entry.question_id.clone(), entry.unit.unit_id.clone()))
        .collect();
    assert_eq!(entries, model.entries);
    let counts = product.progress;
    assert_eq!(
        [
            counts.bronze,
            counts.silver,
            counts.gold,
            counts.total,
            counts.placed
        ],
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
    assert_eq!(product.target_unit_id, model.way.target, "asked for");
    assert_eq!(product.choice_unit_ids, model.choices, "choices");
    // A course with a cycle has no path, so what stands on it first is nobody's rule.
    if acyclic {
        assert_eq!(product.next_unit_id, model.next_unit);
        assert_eq!(product.next_leads_to_target, model.leads_to_target);
    }
    assert_eq!(product.prereq_check_open, model.check_open, "check");
    assert_eq!(product.focus_missing_unit_ids, world.missing(&model.focus));
    check_standing(&product.standing, &model.standing, acyclic);
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
    assert_eq!(policy.choice_unit_ids, plan.choices);
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
            policy.constraints.drill_max_steps,
            policy.constraints.max_key_ideas
        ),
        (
            rules.max_concept_words,
            rules.max_worked_examples,
            rules.drill_max_steps,
            rules.max_key_ideas
        )
    );
    let pressed: Vec<_> = product
        .buttons
        .iter()
        .map(|button| {
            (
                button.label,
                button.event().unwrap().clone(),
                button.primary,
            )
        })
        .collect();
    assert_eq!(pressed, buttons(world, plan, model));
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

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
    fn the_next_unit_of_a_long_course_is_what_the_rules_say(
        (spec, turn) in wide::long_course(),
    ) {
        let course = Course::new(spec.clone()).unwrap();
        let product = fixtures::plan(&course, &turn).unwrap();
        let model = model_plan(&spec, &turn).unwrap();
        prop_assert_eq!(product.next_unit_id, model.next_unit);
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
        let leads = plan.next_leads_to_target;
        let product = decide(&course, &input(plan, &answer)).unwrap();
        let expected = reference::decide::decide(&here, &model, turn.event.as_ref(), &exam);
        // The next unit of a course with a cycle is nobody's rule, and neither its button nor what it narrows is.
        if acyclic {
            check_decision(&product, &expected, &model, &course, &here);
        } else {
            if leads == model.leads_to_target {
                prop_assert_eq!(&product.policy.allowed_actions, &expected.allowed);
            }
            prop_assert_eq!(&product.policy.exam_candidate_ids, &expected.candidates);
        }
        let standing = reference::standing::standing(
            &here,
            &model.focus,
            model.blocker.as_deref(),
            &model.way,
            &|id| exam.word(id),
        );
        check_standing(&product.standing, &standing, acyclic);
        prop_assert_eq!(&product.summary.focus_unit_id, &model.focus);
        prop_assert_eq!(product.summary.focus_tier, model.focus_tier);
        prop_assert_eq!(&product.summary.units_in_progress, &model.units_in_progress);
        prop_assert_eq!(product.summary.revisit_locked_count, standing.locked);
        prop_assert_eq!(product.summary.revisit_next_eligible_at, standing.next_eligible_at);
    }

    #[test]
    fn a_standing_is_what_the_rules_say((spec, acyclic, turn, answer) in turns()) {
        let course = Course::new(spec.clone()).unwrap();
        let record = Record::new(&course, &turn.snapshot, turn.now);
        let product = describe_standing(&record, &statuses(&answer));
        let words = words(&answer);
        let exam = ExamAnswer { retrieved: &[], words: &words, unavailable: false };
        let model = reference::standing::outside_a_turn(&world(&spec, &turn), &|id| exam.word(id));
        check_standing(&product, &model, acyclic);
    }

    #[test]
    fn a_standing_in_class_is_what_the_rules_say((spec, acyclic, turn, answer) in turns()) {
        // A course with a cycle has no path.
        prop_assume!(acyclic);
        let course = Course::new(spec.clone()).unwrap();
        let record = Record::new(&course, &turn.snapshot, turn.now);
        let product = student_standing(&record, answer.retrieved.iter().map(String::as_str));
        let model = reference::class_standing::class_standing(&world(&spec, &turn), &answer.retrieved);
        prop_assert_eq!((product.units, product.blocked), model);
    }
}
