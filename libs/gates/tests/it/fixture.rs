//! Variables of every kind, random gates over them, and random values.

use proptest::prelude::*;
use turnwise_gates::{Gate, Kind, Value, Var, Vars};

pub fn declared() -> Vec<Var> {
    let var = |name: &str, kind, unit: &str| Var {
        name: name.to_owned(),
        kind,
        unit: unit.to_owned(),
    };
    let words = |words: &[&str]| Kind::Enum(words.iter().map(|word| (*word).to_owned()).collect());
    vec![
        var("open", Kind::Bool, ""),
        var("lit", Kind::Bool, ""),
        var("drops", Kind::Int { min: 0, max: 20 }, "drops"),
        var("turns", Kind::Int { min: -5, max: 5 }, ""),
        var(
            "ph",
            Kind::Double {
                min: 0.0,
                max: 14.0,
            },
            "pH",
        ),
        var(
            "volume",
            Kind::Double {
                min: -1.0,
                max: 50.0,
            },
            "mL",
        ),
        var("mode", words(&["idle", "fill", "drain"]), ""),
        var("colour", words(&["clear", "pink"]), ""),
    ]
}

#[track_caller]
pub fn gate(text: &str) -> Gate {
    Gate::parse(text, &declared()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn values<const N: usize>(values: [(&str, Value); N]) -> Vars {
    values.map(|(name, value)| (name.to_owned(), value)).into()
}

fn one_of(words: &[&'static str]) -> BoxedStrategy<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    proptest::sample::select(words).boxed()
}

fn joined(
    left: impl Strategy<Value = String> + 'static,
    signs: &[&'static str],
    right: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<String> {
    (left, one_of(signs), right)
        .prop_map(|(left, sign, right)| format!("({left} {sign} {right})"))
        .boxed()
}

fn numbers(leaves: BoxedStrategy<String>, signs: &'static [&'static str]) -> BoxedStrategy<String> {
    leaves
        .prop_recursive(3, 8, 2, move |inner| {
            prop_oneof![
                4 => joined(inner.clone(), signs, inner.clone()),
                1 => inner.prop_map(|inner| format!("-({inner})")),
            ]
        })
        .boxed()
}

/// A condition that the language takes, over the declared variables.
pub fn any_text() -> impl Strategy<Value = String> {
    let int_leaves = prop_oneof![
        4 => one_of(&["vars.drops", "vars.turns"]),
        4 => (-6..22_i64).prop_map(|number| number.to_string()),
        1 => one_of(&["9223372036854775807", "-9223372036854775808", "0"]),
    ];
    let double_leaves = prop_oneof![
        4 => one_of(&["vars.ph", "vars.volume"]),
        4 => (-4..60_i32).prop_map(|number| format!("{:?}", f64::from(number) / 4.0)),
        1 => one_of(&["0.0", "1e300", "-1e-320", "7.1"]),
    ];
    let ints = numbers(int_leaves.boxed(), &["+", "-", "*", "/", "%"]);
    let doubles = numbers(double_leaves.boxed(), &["+", "-", "*", "/"]);
    let number = prop_oneof![ints.clone(), doubles.clone()];
    let all = ["==", "!=", "<", "<=", ">", ">="];
    let equal = ["==", "!="];
    let leaves = prop_oneof![
        2 => one_of(&["vars.open", "vars.lit"]),
        1 => one_of(&["true", "false"]),
        3 => joined(ints.clone(), &all, ints),
        4 => joined(doubles.clone(), &all, doubles),
        2 => joined(number.clone(), &all, number),
        1 => joined(one_of(&["vars.mode"]), &equal, one_of(&["'idle'", "'fill'", "vars.colour"])),
        1 => joined(one_of(&["'pink'"]), &equal, one_of(&["vars.colour"])),
    ];
    leaves.prop_recursive(3, 8, 2, move |inner| {
        prop_oneof![
            4 => joined(inner.clone(), &["&&", "||"], inner.clone()),
            1 => joined(inner.clone(), &equal, inner.clone()),
            1 => inner.prop_map(|inner| format!("!{inner}")),
        ]
    })
}

/// A value for each variable, in its range; often one that texts name.
pub fn any_values() -> impl Strategy<Value = Vars> {
    let value = |var: Var| {
        let value = match var.kind {
            Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
            Kind::Int { min, max } => (min..=max).prop_map(Value::Int).boxed(),
            Kind::Double { min, max } => prop_oneof![
                (min..=max).prop_map(Value::Double),
                (min as i32 * 4..=max as i32 * 4)
                    .prop_map(|quarters| Value::Double(f64::from(quarters) / 4.0)),
            ]
            .boxed(),
            Kind::Enum(words) => proptest::sample::select(words)
                .prop_map(Value::Text)
                .boxed(),
        };
        (Just(var.name), value)
    };
    declared()
        .into_iter()
        .map(value)
        .collect::<Vec<_>>()
        .prop_map(|values| values.into_iter().collect())
}
