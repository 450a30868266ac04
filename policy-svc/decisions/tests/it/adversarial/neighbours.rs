//! Policies that differ in one thing. What is kept from one reply to the next must never answer for the other.

use std::collections::BTreeSet;

use turnwise_decisions::{Action, Constraints, Course, Policy, Rules, Tier};

use super::{
    case,
    write::{valid, write},
};
use crate::reply::judge;

/// The case in which everything is allowed, and what one change makes of it.
fn neighbours() -> Vec<(Course, Policy)> {
    let case = case("everything");
    let with = |change: &dyn Fn(&mut Policy)| {
        let mut policy = case.policy.clone();
        change(&mut policy);
        (case.course.clone(), policy)
    };
    let under = |change: &dyn Fn(&mut Rules)| {
        let mut rules = case.course.rules().clone();
        change(&mut rules);
        let policy = Policy {
            constraints: Constraints::of(&rules),
            ..case.policy.clone()
        };
        (case.course.clone().with_rules(rules), policy)
    };
    let candidates = |p: &mut Policy, ids: &[&str]| {
        p.exam_candidate_ids = ids.iter().map(|id| format!("Brüche-02/{id}")).collect();
    };
    vec![
        with(&|_| {}),
        with(&|p| candidates(p, &["b1"])),
        with(&|p| candidates(p, &["b2"])),
        with(&|p| {
            candidates(p, &["s1"]);
            p.desired_exam_tier = Tier::Silver;
        }),
        with(&|p| p.scoped_unit_ids.truncate(5)),
        with(&|p| drop(p.scoped_unit_ids.remove(4))),
        with(&|p| {
            p.scoped_unit_ids.retain(|id| id != "FRAC-01");
            p.focus_unit_id = "a".to_owned();
            p.allowed_actions.retain(|a| *a != Action::ExamBlock);
            p.exam_candidate_ids.clear();
        }),
        with(&|p| p.allowed_actions = vec![Action::SocraticQuestion]),
        with(&|p| p.allowed_actions = vec![Action::DrillCard]),
        with(&|p| p.allowed_actions = vec![Action::ExamBlock]),
        under(&|r| r.max_worked_examples = 0),
        under(&|r| r.max_key_ideas = 1),
        under(&|r| r.max_concept_words = 3),
        under(&|r| r.drill_max_steps = 1),
    ]
}

#[test]
fn each_policy_judges_for_itself() {
    let mut all = neighbours();
    let mut replies = BTreeSet::new();
    for (_, policy) in &all {
        for &action in &policy.allowed_actions {
            let reply = write(&valid(policy, action));
            // Two ideas, and words and operators that only the usual rules allow.
            replies.insert(reply.replace("[\"Same parts.\"]", "[\"One.\",\"Two.\"]"));
            replies.insert(reply.replace("Same parts.", "So many words."));
            replies.insert(reply.replace("} + 1", "} + 1 + 2 + 3 + 4 + 5"));
            for unit in ["a", "b", "START", "LIN 03"] {
                replies.insert(reply.replacen("Brüche-02", unit, 1));
            }
            replies.insert(reply);
        }
    }
    // In both orders, so that each is judged after each.
    for _ in 0..2 {
        for reply in &replies {
            for (course, policy) in &all {
                judge(course, policy, reply.as_bytes());
            }
        }
        all.reverse();
    }
}
