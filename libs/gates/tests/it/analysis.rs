//! What the analysis says of gates, and that no sample speaks against it.

use proptest::prelude::*;
use turnwise_gates::{Answer, Truth, can_be};
use turnwise_testing::properties;

use crate::fixture::{any_text, any_values, gate};

#[test]
fn of_gates_as_authors_write_them() {
    for (text, truth) in [
        ("vars.ph >= 7", Truth::Sometimes),
        ("vars.ph > 14", Truth::Never),
        ("vars.ph >= 14.0", Truth::Sometimes),
        ("vars.ph <= 14", Truth::Always),
        ("vars.ph == 7.3", Truth::Sometimes),
        ("vars.ph > 7.0 && vars.ph < 7.0", Truth::Never),
        (
            "vars.ph > 5.0 && vars.volume < 3.0 && vars.ph < 3.0",
            Truth::Never,
        ),
        ("vars.ph >= 7.0 && vars.ph <= 7.0", Truth::Sometimes),
        ("vars.open || !vars.open", Truth::Always),
        ("vars.open && vars.lit && !vars.open", Truth::Never),
        ("vars.open == vars.lit", Truth::Sometimes),
        ("vars.mode == 'idle' && vars.mode == 'fill'", Truth::Never),
        (
            "vars.mode != 'idle' && vars.mode != 'fill' && vars.mode != 'drain'",
            Truth::Never,
        ),
        (
            "vars.mode == 'idle' || vars.mode == 'fill' || vars.mode == 'drain'",
            Truth::Always,
        ),
        ("vars.mode == vars.colour", Truth::Never),
        ("vars.drops % 2 == 1", Truth::Sometimes),
        ("vars.drops * 2 == 41", Truth::Never),
        ("vars.drops * 2 == 40", Truth::Sometimes),
        ("vars.drops - vars.turns > 25", Truth::Never),
        ("vars.volume - vars.ph >= -15.0", Truth::Always),
        // It is not true where the divisor is 0.
        ("10 / vars.turns <= 10", Truth::Sometimes),
        ("10 / vars.drops >= 0 || vars.drops == 0", Truth::Always),
        ("vars.drops + 9223372036854775807 > 0", Truth::Sometimes),
        ("1 < 2", Truth::Always),
        ("false", Truth::Never),
        // Every double in it would have to be tried.
        ("vars.ph - vars.ph == 0.0", Truth::Undecided),
    ] {
        assert_eq!(gate(text).truth(), truth, "{text}");
    }
}

#[test]
fn several_gates_at_once() {
    let [above, between, other] = [
        "vars.ph > 8.0",
        "vars.ph > 4.0 && vars.drops > 2",
        "vars.open",
    ]
    .map(gate);
    assert_eq!(can_be(&[], &[]), Answer::Yes);
    assert_eq!(can_be(&[&above, &between, &other], &[]), Answer::Yes);
    assert_eq!(can_be(&[&above], &[&between]), Answer::Yes);
    assert_eq!(can_be(&[&above], &[&gate("vars.ph > 4.0")]), Answer::No);
    assert_eq!(can_be(&[&above, &other], &[&other]), Answer::No);
}

#[test]
fn many_gates_are_searched_quickly() {
    let texts = [
        "vars.ph > 1.0",
        "vars.volume >= 2.0",
        "vars.drops > 3",
        "vars.turns < 3",
        "vars.open",
        "!vars.lit",
        "vars.mode == 'drain'",
        "vars.colour != 'clear'",
        "vars.ph < 13.0 || vars.open",
        "vars.volume != 7.0",
    ];
    let gates = texts.map(gate);
    let all: Vec<_> = gates.iter().collect();
    assert_eq!(can_be(&all, &[]), Answer::Yes);
    let (last, before) = all.split_last().unwrap();
    assert_eq!(can_be(before, &[last]), Answer::Yes);
    assert_eq!(can_be(&all, &[&gate("vars.ph >= 1.0")]), Answer::No);
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn samples_agree(text in any_text(), samples in prop::collection::vec(any_values(), 24)) {
        let gate = gate(&text);
        let held = samples.iter().filter(|now| gate.holds(now)).count();
        match gate.truth() {
            Truth::Never => prop_assert_eq!(held, 0),
            Truth::Always => prop_assert_eq!(held, samples.len()),
            Truth::Sometimes | Truth::Undecided => {}
        }
    }

    #[test]
    fn samples_agree_of_two(texts in [any_text(), any_text()], samples in prop::collection::vec(any_values(), 24)) {
        let [hold, fail] = texts.map(|text| gate(&text));
        if can_be(&[&hold], &[&fail]) == Answer::No {
            prop_assert!(samples.iter().all(|now| !hold.holds(now) || fail.holds(now)));
        }
    }
}
