//! Runs told step by step.

use turnwise_course_pack::Procedure;
use turnwise_course_pack::gates::{Value, Vars};
use turnwise_procedure_steps::{RunState, Status, infer};

use crate::fixture::{gate, procedure, step, values};

fn three() -> Procedure {
    procedure(vec![
        step("first", None, gate("vars.a"), 500),
        step(
            "second",
            Some(gate("vars.n > 0")),
            gate("vars.n >= 3 && vars.b"),
            500,
        ),
        step("third", None, gate("vars.x > 0.5"), 0),
    ])
}

/// The step's id, its status, and the one it stepped back from.
#[track_caller]
fn told(state: &mut RunState, vars: &Vars, now_ms: i64, expected: (&str, Status, &str)) -> String {
    let three = three();
    let told = infer(&three, state, vars, now_ms);
    let id =
        |step: Option<&turnwise_course_pack::ProcedureStep>| step.map_or("", |s| &s.id).to_owned();
    assert_eq!(
        (
            id(told.step).as_str(),
            told.status,
            id(told.stepped_back_from).as_str()
        ),
        expected,
        "{told:?}"
    );
    told.blocked_by
        .map(|unmet| unmet.to_string())
        .unwrap_or_default()
}

#[test]
fn a_run_from_end_to_end() {
    let mut state = RunState::default();
    let state = &mut state;
    // Nothing is known yet.
    let mut now = Vars::new();
    let why = told(state, &now, 0, ("first", Status::Active, ""));
    assert_eq!(why, "`vars.a` does not hold: a is not known");
    now.insert("a".to_owned(), Value::Bool(true));
    assert_eq!(told(state, &now, 1_000, ("first", Status::Active, "")), "");
    assert_eq!(told(state, &now, 1_499, ("first", Status::Active, "")), "");
    let why = told(state, &now, 1_500, ("second", Status::Pending, ""));
    assert_eq!(why, "`vars.n > 0` does not hold: n is not known");
    now.insert("n".to_owned(), Value::Int(3));
    let why = told(state, &now, 2_000, ("second", Status::Active, ""));
    assert_eq!(why, "`vars.b` does not hold: b is not known");
    now.insert("b".to_owned(), Value::Bool(true));
    told(state, &now, 3_000, ("second", Status::Active, ""));
    told(state, &now, 9_000, ("third", Status::Active, ""));
    // A step back, seen once it has settled, told until the run is there again.
    now.insert("a".to_owned(), Value::Bool(false));
    told(state, &now, 10_000, ("third", Status::Active, ""));
    told(state, &now, 10_500, ("first", Status::Active, "third"));
    now.insert("a".to_owned(), Value::Bool(true));
    told(state, &now, 11_000, ("first", Status::Active, "third"));
    told(state, &now, 11_500, ("third", Status::Active, ""));
    now.insert("x".to_owned(), Value::Double(0.7));
    told(state, &now, 11_501, ("", Status::Finished, ""));
    now.insert("x".to_owned(), Value::Double(f64::NAN));
    let why = told(state, &now, 11_502, ("third", Status::Active, "third"));
    assert_eq!(why, "`vars.x > 0.5` does not hold: x is not a number");
}

#[test]
fn what_comes_next_is_told() {
    let three = three();
    let now = values([("x", Value::Double(0.9))]);
    let mut state = RunState::default();
    let told = infer(&three, &mut state, &now, 0);
    assert_eq!(told.next.unwrap().id, "second");
    let all = values([
        ("a", Value::Bool(true)),
        ("b", Value::Bool(true)),
        ("n", Value::Int(5)),
        ("x", Value::Double(0.1)),
    ]);
    infer(&three, &mut state, &all, 1);
    assert_eq!(infer(&three, &mut state, &all, 501).next, None);
}

#[test]
fn odd_times_do_not_matter() {
    let now = values([("a", Value::Bool(true))]);
    let mut state = RunState::default();
    told(
        &mut state,
        &now,
        i64::MAX - 1,
        ("first", Status::Active, ""),
    );
    // Time does not run backwards, and does not run over.
    told(&mut state, &now, 0, ("first", Status::Active, ""));
    told(&mut state, &now, i64::MIN, ("first", Status::Active, ""));
    let mut state = RunState::default();
    told(&mut state, &now, i64::MIN, ("first", Status::Active, ""));
    told(&mut state, &now, i64::MAX, ("second", Status::Pending, ""));
}

#[test]
fn a_state_of_another_version_begins_anew() {
    let one = procedure(vec![step("only", None, gate("vars.a"), 0)]);
    let now = values([("a", Value::Bool(true))]);
    let mut state = RunState::default();
    assert_eq!(
        infer(&one, &mut state, &now, 5_000).status,
        Status::Finished
    );
    told(&mut state, &now, 0, ("first", Status::Active, ""));
    told(&mut state, &now, 500, ("second", Status::Pending, ""));
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<RunState>(&text).unwrap(), state);
    let none = infer(&procedure(Vec::new()), &mut state, &now, 0).status;
    assert_eq!(none, Status::Finished);
}
