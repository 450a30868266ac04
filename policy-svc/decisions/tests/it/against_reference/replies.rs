//! Replies: the product's verdict and fallback against the model's.

use proptest::{prelude::*, test_runner::Config};
use serde_json::Value;
use turnwise_decisions::{Course, CourseSpec, decide, fallback::fallback, validate::validate};

use super::{input, model_plan, turns, words, world};
use crate::{
    fixtures::{self, Turn},
    reference::{
        self,
        decide::ExamAnswer,
        fallback::is_fallback,
        verdict::{self, faults},
    },
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

/// Looks at a case as the rules see it.
fn judged<T>(case: &Replied, look: impl FnOnce(&verdict::Turn<'_>) -> T) -> T {
    let words = words(&case.answer);
    let exam = ExamAnswer {
        retrieved: &case.answer.retrieved,
        words: &words,
        unavailable: case.answer.unavailable,
    };
    let plan = model_plan(&case.spec, &case.turn).unwrap();
    let here = world(&case.spec, &case.turn);
    let decision = reference::decide::decide(&here, &plan, case.turn.event.as_ref(), &exam);
    look(&verdict::Turn {
        course: &case.spec,
        plan: &plan,
        decision: &decision,
    })
}

/// The rules' verdict on a reply: every reason to refuse it.
fn expected_faults(case: &Replied, reply: &Value) -> Vec<&'static str> {
    judged(case, |turn| faults(turn, reply.as_object().unwrap()))
        .into_iter()
        .map(turnwise_decisions::FallbackReason::as_str)
        .collect()
}

proptest! {
    // A reply is slow to shrink, and a few thousand steps make it short enough.
    #![proptest_config(Config { max_shrink_iters: 4_096, ..crate::config() })]

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
        prop_assert!(judged(&case, |turn| is_fallback(turn, &own)), "{own}");
    }
}
