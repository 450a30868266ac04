//! What must hold for all inputs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, sample::Index};
use serde_json::Value;
use turnwise_decisions::{
    Action, Asks, Availability, Button, Course, Event, EventKind, Open, Outcome, Plan, Policy,
    PrereqWalk, Progress, Rules, Situation, StuckRule, Tier, decide,
    fallback::fallback,
    resolve,
    resolve::Card,
    schema::{accepted_schema, reply_schema},
    validate::validate,
};
use turnwise_messages::Texts;
use turnwise_reply_guard::OpenDrill;

use crate::{
    fixtures::{self, plan},
    strategies::{self, ExamAnswer, completion, decide_input, exam_answer, plan_input},
};

/// A course, the input of a plan, the exam system's answer, and what the model may write for the policy that follows.
fn turns() -> impl Strategy<Value = (Course, fixtures::Turn, ExamAnswer)> {
    strategies::course(12, true).prop_flat_map(|course| {
        let input = plan_input(&course);
        (Just(course), input, exam_answer())
    })
}

fn replies() -> impl Strategy<Value = (Course, fixtures::Turn, Policy, Vec<u8>)> {
    turns().prop_flat_map(|(course, input, answer)| {
        let plan = plan(&course, &input).unwrap();
        let policy = decide(&course, &decide_input(plan, answer)).unwrap().policy;
        let bytes = completion(&policy);
        (Just(course), Just(input), Just(policy), bytes)
    })
}

/// What must hold for every plan and policy.
fn check_policy(course: &Course, input: &fixtures::Turn, plan: &Plan, policy: &Policy) {
    let focus = course.find(&policy.focus_unit_id).unwrap();
    let scope = &policy.scoped_unit_ids;
    assert!(scope.len() <= 6);
    assert_eq!(scope.iter().collect::<BTreeSet<_>>().len(), scope.len());
    assert_eq!(scope[0], policy.focus_unit_id);
    assert!(scope.contains(&policy.primary_target_unit_id));
    if let Some(blocker) = &policy.prereq_blocking_unit_id {
        assert!(scope.contains(blocker));
        assert_eq!(*blocker, policy.focus_unit_id);
        assert!(!policy.exam_ready);
    }
    assert!(!policy.allowed_actions.is_empty());
    if policy.allows(Action::ExamBlock) {
        assert!(policy.exam_ready);
        assert_eq!(policy.exam_availability, Availability::Available);
        assert!(!policy.exam_candidate_ids.is_empty());
    }
    for question in &policy.exam_candidate_ids {
        assert!(course.question_fits(question, focus, policy.desired_exam_tier));
    }
    let progress = input.snapshot.progress.get(&policy.focus_unit_id);
    let (attempts, streak, wrong) = progress.map_or((0, 0, 0), |p| {
        (p.attempts, p.streak_correct, p.streak_wrong)
    });
    if policy.allows(Action::ConceptCard) {
        match course.rules().stuck_rule {
            StuckRule::AttemptsWithoutStreak => assert!(attempts >= 2 && streak == 0),
            StuckRule::ConsecutiveWrong => assert!(wrong >= 2),
        }
    }
    if policy.exam_ready {
        assert!(streak >= 2);
    }
    if plan.clamped {
        assert_eq!(policy.allowed_actions, [Action::SocraticQuestion]);
    }
    if policy.focus_unit_id == course.id(course.entry()) {
        assert_eq!(policy.allowed_actions, [Action::SocraticQuestion]);
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn a_policy_keeps_its_promises((course, input, answer) in turns()) {
        let plan = plan(&course, &input).unwrap();
        let decision = decide(&course, &decide_input(plan.clone(), answer)).unwrap();
        check_policy(&course, &input, &plan, &decision.policy);
        prop_assert!(decision.buttons.iter().filter(|b| b.primary).count() <= 1);
        prop_assert!(decision.buttons.iter().skip(1).all(|b| !b.primary));
        // Whatever is allowed can be pressed, but for an explanation: whoever is stuck gets one, and nobody asks for it.
        for action in &decision.policy.allowed_actions {
            let kind = match action {
                Action::SocraticQuestion => EventKind::StuckHint,
                Action::DrillCard => EventKind::RequestDrill,
                Action::ExamBlock => EventKind::RequestExam,
                Action::ConceptCard => continue,
            };
            let pressed = Event { kind, unit_id: decision.policy.focus_unit_id.clone(), question_id: String::new() };
            let leads_there = |b: &Button| b.event() == Some(&pressed);
            prop_assert!(decision.buttons.iter().any(leads_there), "{action:?}");
        }
    }

    #[test]
    fn no_bytes_of_a_model_break_the_policy((course, input, policy, bytes) in replies()) {
        let resolution = resolve(&course, &policy, Outcome::Completion(&bytes)).unwrap();
        prop_assert!(policy.allows(resolution.action));
        prop_assert!(policy.scoped_unit_ids.contains(&resolution.target_unit_id));
        prop_assert!(!resolution.text.trim().is_empty());
        match (resolution.action, &resolution.card) {
            (Action::SocraticQuestion, None) => {}
            (Action::DrillCard, Some(Card::Drill(drill))) => {
                prop_assert!(!drill.prompt.trim().is_empty());
            }
            (Action::DrillCard, None) => prop_assert!(resolution.fallback_reason.is_some()),
            (Action::ConceptCard, Some(Card::Concept(_))) => {
                prop_assert!(policy.stuck);
                let p = &input.snapshot.progress[&policy.focus_unit_id];
                if course.rules().stuck_rule == StuckRule::AttemptsWithoutStreak {
                    prop_assert!(p.attempts >= 2 && p.streak_correct == 0);
                }
            }
            (Action::ExamBlock, Some(Card::Exam(question))) => {
                prop_assert!(policy.exam_ready);
                prop_assert_eq!(policy.exam_availability, Availability::Available);
                prop_assert!(policy.exam_candidate_ids.contains(&question.id));
                prop_assert_eq!(question.tier, policy.desired_exam_tier);
                prop_assert_eq!(&resolution.target_unit_id, &policy.focus_unit_id);
            }
            (action, card) => prop_assert!(false, "{action:?} with {card:?}"),
        }
        // A card has its buttons, and exactly one of them is primary: the first.
        let primary: Vec<_> = resolution.card_buttons.iter().map(|b| b.primary).collect();
        prop_assert_eq!(primary.first().copied(), resolution.card.as_ref().map(|_| true));
        prop_assert!(primary.iter().skip(1).all(|primary| !primary));
        for event in resolution.card_buttons.iter().filter_map(Button::event) {
            prop_assert!(course.find(&event.unit_id).is_some());
            prop_assert_ne!(event.unit_id.as_str(), course.id(course.entry()));
        }
        let target = course.unit(course.find(&resolution.target_unit_id).unwrap());
        let ready_made = match &resolution.card {
            Some(Card::Drill(card)) => target.drills.iter().find(|drill| {
                drill.prompt == card.prompt && drill.question_latex == card.question_latex
            }),
            _ => None,
        };
        if let Some(drill) = ready_made {
            prop_assert_eq!(resolution.drill_id.as_ref(), Some(&drill.id));
        }
        prop_assert!(resolution.drill_id.iter().all(|id| target.drills.iter().any(|d| d.id == *id)));
        prop_assert_eq!(resolution.analysis.is_some(), resolution.fallback_reason.is_none());
        if let Ok(reply) = serde_json::from_slice::<Value>(&bytes) {
            let accepted = |reply: &Value| {
                let mut actions = policy.allowed_actions.iter();
                actions.any(|action| jsonschema::is_valid(&accepted_schema(&course, &policy, *action), reply))
            };
            if resolution.fallback_reason.is_none() {
                prop_assert!(accepted(&reply) || reply["turn_analysis"].is_string());
            }
            // What keeps the form that a model is asked for is accepted once it is written out.
            if jsonschema::is_valid(&reply_schema(&course, &policy), &reply) {
                let mut whole: Value = reply.clone();
                whole["mapped_units"] = Value::Array(Vec::new());
                whole["turn_analysis"] = serde_json::json!({
                    "student_intent": "solve",
                    "understanding_signal": "confident",
                    "suggested_prereq_units": [],
                });
                prop_assert!(accepted(&whole));
            }
        }
    }

    #[test]
    fn every_fallback_is_valid_for_its_policy(
        (course, _, policy, _) in replies(),
        asks in prop::sample::select(
            vec![Asks::Nothing, Asks::Explanation, Asks::Explained, Asks::Help, Asks::Check, Asks::Work, Asks::Next, Asks::Exercise, Asks::Example],
        ),
        drill in prop::option::of((any::<Index>(), 0..5_usize)),
        locale in prop::sample::select(vec!["en", "de", "fr-CH", ""]),
    ) {
        let course = course.with_texts(Texts::new(locale, BTreeMap::new()));
        let focus = course.unit(course.find(&policy.focus_unit_id).unwrap());
        let open = drill.filter(|_| !focus.drills.is_empty()).map(|(at, hints_given)| {
            let drill = &focus.drills[at.index(focus.drills.len())];
            Open {
                unit_id: &focus.id,
                drill: OpenDrill {
                    prompt: &drill.prompt,
                    question_latex: &drill.question_latex,
                    key: None,
                    said: "",
                },
                hints_given,
            }
        });
        let situation = Situation { asks, open, ..Situation::default() };
        let reply = fallback(&course, &policy, &situation);
        // Words that ask for an example are no reply of a model's.
        prop_assume!(reply.action != Action::DrillCard || reply.drill_card.is_some());
        let bytes = serde_json::to_vec(&reply).unwrap();
        prop_assert_eq!(validate(&course, &policy, &bytes), Ok(reply));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes((course, input, answer) in turns(), turn in any::<Index>()) {
        let plan_once = plan(&course, &input).unwrap();
        // Equals in another order: the mapping, the previous mapping, the exam system's answer.
        let mut other = input.clone();
        other.mapped_units.reverse();
        if !other.mapped_units.is_empty() {
            let at = turn.index(other.mapped_units.len());
            other.mapped_units.rotate_left(at);
        }
        other.snapshot.last_mapped_units.reverse();
        let plan_again = plan(&course, &other).unwrap();
        prop_assert_eq!(format!("{plan_once:?}"), format!("{plan_again:?}"));

        let mut shuffled = answer.clone();
        shuffled.1.reverse();
        let once = decide(&course, &decide_input(plan_once, answer)).unwrap();
        let again = decide(&course, &decide_input(plan_again, shuffled)).unwrap();
        prop_assert_eq!(format!("{once:?}"), format!("{again:?}"));
    }

    #[test]
    fn the_walk_ends_on_any_graph(
        (course, input) in strategies::course(12, false).prop_flat_map(|course| {
            let input = plan_input(&course);
            (Just(course), input)
        })
    ) {
        let plan = plan(&course, &input).unwrap();
        prop_assert!(course.find(&plan.focus_unit_id).is_some());
        prop_assert!(plan.scoped_unit_ids.len() <= 6);
    }

    #[test]
    fn the_blocker_is_an_unblocked_ancestor((course, input, _) in turns()) {
        let plan = plan(&course, &input).unwrap();
        let Some(blocker) = plan.prereq_blocking_unit_id else {
            return Ok(());
        };
        let met = |id: &str| {
            let unit = course.unit(course.find(id).unwrap());
            let tier = input.snapshot.progress.get(id).map_or(Tier::None, |p| p.tier);
            !unit.assessable
                || tier >= Tier::Bronze
                || input.snapshot.prerequisite_overrides.contains(id)
                || input.snapshot.placed.contains(id)
        };
        // What was placed and is no more does not close what was begun.
        let is_begun = |id: &str| {
            let progress = input.snapshot.progress.get(id);
            progress.is_some_and(|progress| *progress != Progress::default())
        };
        let stays_open =
            |id: &String| met(id) || input.snapshot.unplaced.contains(id) && is_begun(&blocker);
        let prerequisites = |id: &str| -> Vec<String> {
            course.unit(course.find(id).unwrap()).prerequisites.iter()
                .map(|at| course.id(*at).to_owned())
                .collect()
        };
        prop_assert!(!met(&blocker));
        if course.rules().prereq_walk == PrereqWalk::Transitive {
            prop_assert!(prerequisites(&blocker).iter().all(stays_open));
        }
        let mut ancestors = BTreeSet::new();
        let mut todo = prerequisites(&plan.primary_target_unit_id);
        while let Some(id) = todo.pop() {
            if ancestors.insert(id.clone()) {
                todo.extend(prerequisites(&id));
            }
        }
        prop_assert!(ancestors.contains(&blocker));
    }

    #[test]
    fn ranking_never_gates((course, input, _) in turns(), hours in 1..9000_u32) {
        // Another recency window changes every score, and nothing that is decided about the same focus.
        let before = plan(&course, &input).unwrap();
        let other = course.clone().with_rules(Rules {
            recency_window_hours: f64::from(hours),
            ..course.rules().clone()
        });
        let after = plan(&other, &input).unwrap();
        prop_assert_eq!(before.target_locked, after.target_locked);
        prop_assert_eq!(before.clamped, after.clamped);
        if before.focus_unit_id == after.focus_unit_id {
            prop_assert_eq!(before.stuck, after.stuck);
            prop_assert_eq!(before.exam_ready, after.exam_ready);
            prop_assert_eq!(before.desired_exam_tier, after.desired_exam_tier);
        }
    }

    #[test]
    fn a_damaged_reply_is_refused_or_still_valid(
        action in 0..4_usize,
        at in any::<Index>(),
        byte in any::<u8>(),
        kind in 0..4_u8,
    ) {
        let course = fixtures::course();
        let (policy, action) = match action {
            0 => (fixtures::plain_policy(&course), Action::SocraticQuestion),
            1 => (fixtures::plain_policy(&course), Action::DrillCard),
            2 => (fixtures::stuck_policy(&course), Action::ConceptCard),
            _ => (fixtures::exam_policy(&course), Action::ExamBlock),
        };
        let mut bytes = serde_json::to_vec(&fixtures::reply(&policy, action)).unwrap();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => { bytes.remove(at); }
            _ => bytes.truncate(at),
        }
        let resolution = resolve(&course, &policy, Outcome::Completion(&bytes)).unwrap();
        prop_assert!(policy.allows(resolution.action));
        prop_assert!(policy.scoped_unit_ids.contains(&resolution.target_unit_id));
        if resolution.fallback_reason.is_none() {
            // Still valid: then it is one JSON object with our action, read alike by any reader.
            let value: Value = serde_json::from_slice(&bytes).unwrap();
            prop_assert_eq!(value["action"].as_str(), Some(resolution.action.as_str()));
        }
    }
}
