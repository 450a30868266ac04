//! Damaged replies by the thousand.

use std::collections::BTreeSet;

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use turnwise_decisions::{Course, Policy, decide};

use super::{
    damage::{Change, Damage, change, changed, damage, damaged},
    name,
    write::{write, write_escaped},
};
use crate::{
    fixtures,
    reply::{
        cases::{CASES, Case},
        judge, judge_fallback,
        reader::Json,
    },
    strategies::{self, completion, decide_input, exam_answer, plan_input},
};

/// A case, a reply that is valid for it or would be if its policy allowed all, and another one.
fn replies() -> impl Strategy<Value = (&'static Case, Json, Json)> {
    let all: Vec<_> = super::valid_replies().collect();
    let any_of_all =
        (0..CASES.len(), select(all.clone())).prop_map(|(n, reply)| (&CASES[n], reply.2));
    let own = select(all.clone()).prop_map(|(case, _, reply)| (case, reply));
    let locked = Just(super::locked_exam());
    (
        prop_oneof![14 => own, 2 => any_of_all, 1 => locked],
        select(all),
    )
        .prop_map(|((case, reply), (_, _, other))| (case, reply, other))
}

fn damaged_bytes() -> impl Strategy<Value = (&'static Case, Vec<u8>)> {
    (replies(), vec(damage(), 1..4)).prop_map(|((case, reply, other), damages)| {
        let (bytes, other) = (write(&reply).into_bytes(), write(&other).into_bytes());
        (case, damaged(bytes, &other, &damages))
    })
}

fn changed_trees() -> impl Strategy<Value = (&'static Case, Vec<u8>)> {
    let changes = |(case, reply, _): (&'static Case, Json, Json)| {
        (
            Just((case, reply)),
            vec(change(&case.policy), 1..4),
            any::<bool>(),
        )
    };
    replies().prop_flat_map(changes).prop_map(
        |((case, reply), changes, escaped): (_, Vec<Change>, _)| {
            let tree = changed(reply, &changes);
            let written = if escaped {
                write_escaped(&tree)
            } else {
                write(&tree)
            };
            (case, written.into_bytes())
        },
    )
}

/// Turns of random courses and records, and what a model makes of them after some damage.
fn turns() -> impl Strategy<Value = (Course, Policy, Vec<u8>)> {
    let input = |course: Course| {
        let turn = plan_input(&course);
        (Just(course), turn, exam_answer())
    };
    strategies::course(12, true)
        .prop_flat_map(input)
        .prop_flat_map(|(course, turn, answer)| {
            let plan = fixtures::plan(&course, &turn).unwrap();
            let policy = decide(&course, &decide_input(plan, answer)).unwrap().policy;
            let bytes = (
                completion(&policy),
                completion(&policy),
                vec(damage(), 0..4),
            );
            (Just(course), Just(policy), bytes)
        })
        .prop_map(
            |(course, policy, (bytes, other, damages)): (_, _, (_, _, Vec<Damage>))| {
                (course, policy, damaged(bytes, &other, &damages))
            },
        )
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn damaged_bytes_never_break_the_policy((case, bytes) in damaged_bytes()) {
        judge(&case.course, &case.policy, &bytes);
    }

    #[test]
    fn changed_trees_never_break_the_policy((case, bytes) in changed_trees()) {
        judge(&case.course, &case.policy, &bytes);
    }

    #[test]
    fn damaged_replies_never_break_the_policy_of_any_turn((course, policy, bytes) in turns()) {
        judge(&course, &policy, &bytes);
        judge_fallback(&course, &policy);
    }
}

/// What is drawn above is worth something only while it reaches every reason.
#[test]
fn the_damages_reach_every_verdict() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let mut reached = BTreeSet::new();
    for strategy in [damaged_bytes().boxed(), changed_trees().boxed()] {
        for _ in 0..2_000 {
            let (case, bytes) = strategy.new_tree(&mut runner).unwrap().current();
            reached.insert(name(&judge(&case.course, &case.policy, &bytes)));
        }
    }
    assert_eq!(reached.into_iter().collect::<Vec<_>>(), super::VERDICTS);
}
