//! Against a slow reference, which recomputes everything from the whole log of observations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proptest::prelude::*;
use turnwise_course_pack::Procedure;
use turnwise_course_pack::gates::{Gate, Value, Vars};
use turnwise_procedure_steps::{Inference, RunState, Status, infer, infer_since};
use turnwise_testing::properties;

use crate::fixture::{gate, procedure, step};

/// An observation: all values, and when.
type Log = [(i64, Vars)];

/// Whether the completion gate of a step has settled as holding by `at`, if what was last observed stays.
fn settled(procedure: &Procedure, step: usize, log: &Log, at: i64) -> bool {
    let step = &procedure.steps[step];
    let mut settled = false;
    let mut start = 0;
    while start < log.len() {
        let holds = step.completion.holds(&log[start].1);
        let same = log[start..]
            .iter()
            .take_while(|(_, vars)| step.completion.holds(vars) == holds);
        let end = start + same.count();
        let until = log.get(end).map_or(at, |(next, _)| *next);
        if until - log[start].0 >= i64::from(step.settle_ms) {
            settled = holds;
        }
        start = end;
    }
    settled
}

fn position(procedure: &Procedure, log: &Log, at: i64) -> usize {
    let count = procedure.steps.len();
    (0..count)
        .find(|step| !settled(procedure, *step, log, at))
        .unwrap_or(count)
}

/// The furthest position at any time up to the last observation.
fn furthest(procedure: &Procedure, log: &Log) -> usize {
    let end = log.last().unwrap().0;
    let settles = procedure.steps.iter().map(|step| i64::from(step.settle_ms));
    let settles: Vec<i64> = settles.chain([0]).collect();
    let mut furthest = 0;
    for known in 1..=log.len() {
        let until = log.get(known).map_or(end, |(next, _)| *next);
        let moments = log[..known]
            .iter()
            .flat_map(|(at, _)| settles.iter().map(move |s| at + s));
        for at in moments
            .chain([until])
            .filter(|at| (log[known - 1].0..=until).contains(at))
        {
            furthest = furthest.max(position(procedure, &log[..known], at));
        }
    }
    furthest
}

fn agrees(procedure: &Procedure, log: &Log, told: &Inference<'_>) {
    let (now, vars) = log.last().unwrap();
    let position = position(procedure, log, *now);
    let expected = procedure.steps.get(position);
    assert_eq!(told.step, expected);
    let entry = expected.and_then(|step| step.entry.as_ref());
    let status = match expected {
        None => Status::Finished,
        Some(_) if entry.is_none_or(|gate| gate.holds(vars)) => Status::Active,
        Some(_) => Status::Pending,
    };
    assert_eq!(told.status, status);
    let blocking = match status {
        Status::Finished => None,
        Status::Pending => entry,
        Status::Active => expected.map(|step| &step.completion),
    };
    assert_eq!(
        told.blocked_by,
        blocking.and_then(|gate| gate.check(vars).err())
    );
    let furthest = furthest(procedure, log);
    let back = (position < furthest).then(|| furthest.min(procedure.steps.len() - 1));
    assert_eq!(
        told.stepped_back_from,
        back.map(|step| &procedure.steps[step])
    );
}

const TEXTS: [&str; 8] = [
    "vars.a",
    "vars.b",
    "!vars.a || vars.n > 2",
    "vars.n >= 2 && vars.x > 0.3",
    "vars.x < 0.8",
    "vars.n / vars.n == 1",
    "vars.n != 4",
    "vars.a == vars.b",
];

static GATES: LazyLock<Vec<Gate>> = LazyLock::new(|| TEXTS.map(gate).into());

fn any_procedure() -> impl Strategy<Value = Procedure> {
    let gate = || prop::sample::select(GATES.clone());
    let settle = prop::sample::select(vec![0, 1, 40, 100, 101, 500]);
    let steps = prop::collection::vec((prop::option::of(gate()), gate(), settle), 1..8);
    steps.prop_map(|steps| {
        let numbered = steps.into_iter().enumerate();
        let steps = numbered.map(|(n, (entry, completion, settle))| {
            step(&format!("step-{n}"), entry, completion, settle)
        });
        procedure(steps.collect())
    })
}

/// Milliseconds since the last observation, and what it changes.
fn any_changes() -> impl Strategy<Value = Vec<(i64, &'static str, Option<Value>)>> {
    let number = || {
        prop_oneof![
            8 => (0..6_i64).prop_map(Value::Int),
            4 => (0..11_i32).prop_map(|tenths| Value::Double(f64::from(tenths) / 10.0)),
            1 => Just(Value::Double(f64::NAN)),
            1 => Just(Value::Text("5".to_owned())),
        ]
    };
    let change = prop_oneof![
        4 => (prop::sample::select(vec!["a", "b"]), any::<bool>().prop_map(|value| Some(Value::Bool(value)))),
        4 => (prop::sample::select(vec!["n", "x"]), number().prop_map(Some)),
        1 => (prop::sample::select(vec!["a", "b", "n", "x"]), Just(None)),
    ];
    let gap = prop::sample::select(vec![0, 1, 30, 39, 40, 60, 100, 250, 500, 900]);
    let changes = (gap, change).prop_map(|(gap, (name, value))| (gap, name, value));
    prop::collection::vec(changes, 1..24)
}

/// The log of a run in which `a` and `b` are true at first.
fn log_of(changes: &[(i64, &'static str, Option<Value>)]) -> Vec<(i64, Vars)> {
    let mut now = 1_000;
    let mut vars: Vars = [("a", true), ("b", true)]
        .map(|(name, value)| (name.to_owned(), Value::Bool(value)))
        .into();
    vars.insert("n".to_owned(), Value::Int(3));
    let mut log = vec![(now, vars.clone())];
    for (gap, name, value) in changes {
        now += gap;
        match value {
            Some(value) => vars.insert((*name).to_owned(), value.clone()),
            None => vars.remove(*name),
        };
        log.push((now, vars.clone()));
    }
    log
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn it_tells_what_the_whole_log_tells(procedure in any_procedure(), changes in any_changes()) {
        let log = log_of(&changes);
        let mut state = RunState::default();
        for known in 1..=log.len() {
            let (now, vars) = &log[known - 1];
            let told = infer(&procedure, &mut state, vars, *now);
            agrees(&procedure, &log[..known], &told);
        }
    }

    #[test]
    fn to_ask_changes_nothing(procedure in any_procedure(), changes in any_changes(), asked in prop::collection::vec(0..600_i64, 24)) {
        let log = log_of(&changes);
        let (mut quiet, mut asking) = (RunState::default(), RunState::default());
        for (n, (now, vars)) in log.iter().enumerate() {
            let told = infer(&procedure, &mut quiet, vars, *now);
            prop_assert_eq!(told, infer(&procedure, &mut asking, vars, *now));
            let next = log.get(n + 1).map_or(*now, |(next, _)| *next);
            let later = (*now + asked.get(n).unwrap_or(&0)).min(next);
            infer(&procedure, &mut asking, vars, later);
        }
    }

    #[test]
    fn times_stand_for_calls(procedure in any_procedure(), changes in any_changes(), calls in prop::collection::vec(any::<bool>(), 24)) {
        // Between two calls each variable changes once, and each gate looks at one.
        let steps = procedure.steps.into_iter().filter(|step| step.completion.vars().len() == 1);
        let procedure = crate::fixture::procedure(steps.collect());
        let log = log_of(&changes);
        let (mut dense, mut sparse) = (RunState::default(), RunState::default());
        let (mut since, mut changed) = (BTreeMap::new(), BTreeSet::new());
        for (n, (now, vars)) in log.iter().enumerate() {
            let told = infer(&procedure, &mut dense, vars, *now);
            let (name, next) = match n.checked_sub(1) {
                Some(before) => (changes[before].1, changes.get(n).map(|change| change.1)),
                None => ("", None),
            };
            changed.insert(name);
            since.insert(name.to_owned(), *now);
            for first in ["a", "b", "n", "x"] {
                since.entry(first.to_owned()).or_insert(log[0].0);
            }
            let due = next.is_none_or(|next| changed.contains(next)) || calls[n % calls.len()];
            if due {
                let known = infer_since(&procedure, &mut sparse, vars, &since, *now);
                prop_assert_eq!(&known, &told);
                prop_assert_eq!(&sparse, &dense);
                changed.clear();
            }
        }
    }

    #[test]
    fn flapping_moves_nothing(
        procedure in any_procedure(),
        flaps in prop::collection::vec((1..40_i64, any::<bool>()), 1..60),
    ) {
        // No run of one value is as long as what the steps wait for.
        let slow = procedure.steps.into_iter().map(|step| turnwise_course_pack::ProcedureStep {
            settle_ms: step.settle_ms.max(100),
            ..step
        });
        let procedure = crate::fixture::procedure(slow.collect());
        let vars = |value: bool| crate::fixture::values([
            ("a", Value::Bool(value)),
            ("b", Value::Bool(!value)),
            ("n", Value::Int(if value { 4 } else { 0 })),
            ("x", Value::Double(if value { 0.9 } else { 0.1 })),
        ]);
        let mut state = RunState::default();
        infer(&procedure, &mut state, &vars(true), 0);
        let before = infer(&procedure, &mut state, &vars(true), 1_000).step;
        let mut now = 1_000;
        for (gap, wait) in flaps {
            for value in [false, true] {
                now += gap;
                prop_assert_eq!(infer(&procedure, &mut state, &vars(value), now).step, before);
            }
            now += if wait { 5_000 } else { 0 };
            prop_assert_eq!(infer(&procedure, &mut state, &vars(true), now).step, before);
        }
    }
}
