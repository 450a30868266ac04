//! Whether gates hold, what is said of one that does not, and that CEL's own interpreter agrees.

use std::collections::HashMap;

use cel::objects::Value as CelValue;
use cel::{Context, Program};
use proptest::prelude::*;
use turnwise_gates::{Gate, State, Value, Vars};
use turnwise_testing::properties;

use crate::fixture::{any_text, any_values, declared, gate, values};

#[track_caller]
fn unmet(text: &str, of: &Vars, says: &str) {
    assert_eq!(gate(text).check(of).unwrap_err().to_string(), says);
}

#[test]
fn the_first_condition_that_does_not_hold_is_told_with_what_it_rests_on() {
    let now = values([
        ("ph", Value::Double(5.2)),
        ("drops", Value::Int(3)),
        ("open", Value::Bool(false)),
        ("mode", Value::Text("idle".to_owned())),
    ]);
    let text = "vars.drops > 0 && (vars.ph >= 7) && vars.open";
    unmet(text, &now, "`vars.ph >= 7` does not hold: ph is 5.2 pH");
    unmet(
        "vars.open && vars.ph > 7.0",
        &now,
        "`vars.open` does not hold: open is false",
    );
    unmet(
        "vars.mode == 'fill' || vars.drops * 2 - (3 - 1) > 7",
        &now,
        "`vars.mode == 'fill' || vars.drops * 2 - (3 - 1) > 7` does not hold: mode is idle, drops is 3 drops",
    );
    unmet(
        "!(vars.ph < 6.0)",
        &now,
        "`!(vars.ph < 6.0)` does not hold: ph is 5.2 pH",
    );
    unmet("false", &now, "`false` does not hold");
    assert!(
        gate(text)
            .check(&values([
                ("ph", Value::Int(7)),
                ("drops", Value::Double(1.0)),
                ("open", Value::Bool(true)),
            ]))
            .is_ok()
    );
}

#[test]
fn what_is_not_known_does_not_hold_whatever_the_operators() {
    let not_known = "`vars.ph < 7 || vars.open` does not hold: ph is not known, open is true";
    unmet(
        "vars.ph < 7 || vars.open",
        &values([("open", Value::Bool(true))]),
        not_known,
    );
    for text in [
        "vars.ph != 5.0",
        "!(vars.ph > 3.0)",
        "vars.ph > 3.0 || true",
    ] {
        for value in [
            Value::Double(f64::NAN),
            Value::Double(f64::INFINITY),
            Value::Bool(true),
            Value::Text("ignore all rules".to_owned()),
        ] {
            let said = gate(text).check(&values([("ph", value)])).unwrap_err();
            assert!(!said.computed && matches!(said.readings[0].state, State::Unusable { .. }));
            assert!(said.to_string().ends_with("ph is not a number"), "{said}");
        }
    }
    let odd = values([
        ("drops", Value::Double(1.5)),
        ("mode", Value::Text("explode".to_owned())),
        ("turns", Value::Int(0)),
        ("open", Value::Int(1)),
    ]);
    unmet(
        "vars.drops > 0",
        &odd,
        "`vars.drops > 0` does not hold: drops is not a whole number",
    );
    unmet(
        "vars.mode != 'idle'",
        &odd,
        "`vars.mode != 'idle'` does not hold: mode is not one of its words",
    );
    unmet(
        "vars.open",
        &odd,
        "`vars.open` does not hold: open is not true or false",
    );
    let by_zero =
        "`1 / vars.turns != 5` does not hold: turns is 0, with which it cannot be computed";
    unmet("1 / vars.turns != 5", &odd, by_zero);
    // As in CEL, the other side may decide.
    assert!(gate("1 / vars.turns > 5 || vars.turns == 0").holds(&odd));
}

#[test]
fn ranges_say_what_is_usual_only() {
    assert!(gate("vars.ph > 14.0").holds(&values([("ph", Value::Double(14.5))])));
}

/// What CEL's interpreter says; none if it cannot be computed.
fn by_cel(text: &str, of: &Vars) -> Option<bool> {
    let vars: HashMap<String, CelValue> = of
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Value::Bool(value) => CelValue::Bool(*value),
                Value::Int(number) => CelValue::Int(*number),
                Value::Double(number) => CelValue::Float(*number),
                Value::Text(word) => CelValue::from(word.as_str()),
            };
            (name.clone(), value)
        })
        .collect();
    let mut context = Context::default();
    context.add_variable_from_value("vars", vars);
    match Program::compile(text).unwrap().execute(&context) {
        Ok(CelValue::Bool(value)) => Some(value),
        Ok(other) => panic!("{text} is {other:?}"),
        Err(_) => None,
    }
}

fn has_doubles(text: &str) -> bool {
    let text = text.replace("vars.drops", "").replace("vars.turns", "");
    [
        "vars.ph",
        "vars.volume",
        "1e",
        ".0",
        ".5",
        ".25",
        ".75",
        ".1",
    ]
    .iter()
    .any(|part| text.contains(part))
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn cel_agrees(text in any_text(), now in any_values()) {
        let gate = gate(&text);
        let expected = by_cel(&text, &now);
        match gate.check(&now) {
            Ok(()) => prop_assert_eq!(expected, Some(true)),
            Err(unmet) if unmet.computed => prop_assert_eq!(expected, Some(false)),
            // CEL goes on with infinity, where nothing is computed here.
            Err(_) => prop_assert!(expected != Some(true) || has_doubles(&text)),
        }
    }

    #[test]
    fn a_condition_that_is_told_is_one_of_the_language(text in any_text(), now in any_values()) {
        if let Err(unmet) = gate(&text).check(&now) {
            let again = gate(&unmet.condition);
            prop_assert!(!again.holds(&now), "{}", unmet);
        }
    }

    #[test]
    fn without_one_of_its_variables_no_gate_holds(text in any_text(), mut now in any_values(), n in any::<prop::sample::Index>()) {
        let gate = gate(&text);
        prop_assume!(!gate.vars().is_empty());
        let missing = &n.get(gate.vars()).name;
        now.insert(missing.clone(), Value::Double(f64::NAN));
        prop_assert!(!gate.holds(&now));
        now.remove(missing);
        prop_assert!(!gate.holds(&now));
        prop_assert!(Gate::parse(gate.text(), &declared()).is_ok());
    }
}
