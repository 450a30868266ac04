//! Replies: the product's verdict and fallback against the model's.

use proptest::{prelude::*, test_runner::Config};
use serde_json::Value;
use turnwise_decisions::{
    Course, CourseSpec, Situation, decide, fallback::fallback, limits::drill_fault,
};

use super::{input, model_plan, turns, words, world};
use crate::{
    fixtures::{self, Turn},
    reference::{self, decide::ExamAnswer, drill::is_long, fallback::is_fallback},
    reply::{judge, judge_fallback},
    strategies::{replies, wide},
};

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

/// Whether a reply is what the rules say of one that needs no model.
fn is_own(case: &Replied, reply: &Value) -> bool {
    let words = words(&case.answer);
    let exam = ExamAnswer {
        retrieved: &case.answer.retrieved,
        words: &words,
        unavailable: case.answer.unavailable,
    };
    let plan = model_plan(&case.spec, &case.turn).unwrap();
    let here = world(&case.spec, &case.turn);
    let decision = reference::decide::decide(&here, &plan, case.turn.event.as_ref(), &exam);
    let turn = reference::fallback::Turn {
        course: &case.spec,
        plan: &plan,
        decision: &decision,
    };
    is_fallback(&turn, reply)
}

proptest! {
    // A reply is slow to shrink, and a few thousand steps make it short enough.
    #![proptest_config(Config { max_shrink_iters: 4_096, ..turnwise_testing::properties::pure() })]

    /// The contract of [`crate::reply`] on courses and records of every kind, where the fuzzer has a few.
    #[test]
    fn a_verdict_is_what_the_rules_say(case in replied()) {
        let course = Course::new(case.spec.clone()).unwrap();
        let plan = fixtures::plan(&course, &case.turn).unwrap();
        let policy = decide(&course, &input(plan, &case.answer)).unwrap().policy;
        judge(&course, &policy, &serde_json::to_vec(&case.reply).unwrap());
        judge_fallback(&course, &policy);
        let own = serde_json::to_value(fallback(&course, &policy, &Situation::default())).unwrap();
        prop_assert!(is_own(&case, &own), "{own}");

        // How long a drill may be is the one rule that the contract takes from the product.
        let text = |key| case.reply.pointer(key).and_then(Value::as_str);
        let drill = text("/drill_card/prompt").zip(text("/drill_card/question_latex"));
        if let Some((prompt, question)) = drill {
            let steps = case.spec.rules.drill_max_steps;
            prop_assert_eq!(
                drill_fault(prompt, question, steps).is_some(),
                is_long(prompt, question, steps as usize),
                "{} {}", prompt, question
            );
        }
    }
}
