//! What is no gate, and where it says so.

use proptest::prelude::*;
use turnwise_gates::{Gate, MAX_BYTES, is_var_name};
use turnwise_testing::properties;

use crate::fixture::{declared, gate};

#[track_caller]
fn refused(text: &str, line: usize, column: usize, says: &str) {
    let error = Gate::parse(text, &declared()).unwrap_err();
    assert_eq!(
        (error.line, error.column),
        (line, column),
        "{text}: {error}"
    );
    assert!(error.message.contains(says), "{text}: {error}");
}

#[test]
fn what_is_no_cel() {
    refused("", 1, 1, "no CEL expression");
    refused("vars.ph >", 1, 10, "the end");
    refused("vars.ph >= 7 &&\n  && vars.open", 2, 3, "no CEL expression");
    refused("vars.ph > 99999999999999999999", 1, 11, "invalid int");
    refused("vars.ph = 7.0", 1, 9, "no CEL expression");
    refused(&"(".repeat(100), 1, 34, "nests more than 32 levels");
    refused(
        &format!("vars.open{}", " ".repeat(MAX_BYTES)),
        1,
        1,
        "at most 1000",
    );
}

#[test]
fn what_the_language_leaves_out() {
    for (text, column) in [
        ("vars.open ? vars.lit : true", 1),
        ("true && has(vars.open)", 12),
        ("vars.mode in ['idle']", 1),
        ("vars.open && size(vars.mode) > 3", 18),
        ("vars.mode.startsWith('i')", 1),
        ("vars.open == null", 14),
        ("vars.drops > 5u", 14),
        ("vars['open']", 1),
        ("[true].exists(x, x)", 14),
        ("vars.open && vars.mode.x", 14),
        ("{'a': 1} == vars.drops", 1),
        ("vars.mode == b'idle'", 14),
    ] {
        refused(text, 1, column, "and nothing else");
    }
    refused(
        "vars.lit && ph > 7",
        1,
        13,
        "`ph` is not known; variables are written `vars.NAME`",
    );
    refused("vars", 1, 1, "`vars` is not known");
    refused("vars.open &&\n vars.phh > 7.0", 2, 2, "no variable `phh`");
}

#[test]
fn kinds_that_do_not_fit() {
    refused(
        "vars.ph",
        1,
        1,
        "a number (double), but a gate is true or false",
    );
    refused(
        "'äö' != vars.mode && vars.drops",
        1,
        1,
        "never this; it is idle or fill or drain",
    );
    refused("vars.mode == 'full'", 1, 14, "`mode` is never this");
    refused("'a' == 'b'", 1, 1, "a word is compared with a variable");
    refused(
        "vars.mode < 'idle'",
        1,
        1,
        "`<` does not compare a word (enum)",
    );
    refused(
        "vars.mode == vars.drops",
        1,
        1,
        "does not compare a word (enum) with a whole number",
    );
    refused(
        "vars.open > vars.lit",
        1,
        1,
        "does not compare true or false",
    );
    refused(
        "vars.open && vars.drops",
        1,
        14,
        "`&&` takes conditions, but this is a whole number",
    );
    refused("!vars.ph", 1, 2, "`!` takes conditions");
    refused("-vars.open > 3", 1, 2, "`-` takes a number");
    refused("vars.ph + 1 > 3", 1, 1, "has a decimal point");
    refused("vars.ph % 2.0 > 1.0", 1, 1, "takes whole numbers");
    refused("vars.open + vars.lit > 1", 1, 1, "joins numbers");
    gate("vars.ph >= 7 && vars.drops < 2.5");
}

#[test]
fn names_of_variables() {
    for name in ["ph", "valve_open", "t2", &"a".repeat(64)] {
        assert!(is_var_name(name), "{name}");
    }
    for name in [
        "",
        "_x",
        "2t",
        "Ph",
        "a-b",
        "ä",
        "in",
        "true",
        "a.b",
        &"a".repeat(65),
    ] {
        assert!(!is_var_name(name), "{name}");
    }
}

#[test]
fn long_gates_fit_the_stack_of_a_small_thread() {
    let deep = [
        format!("{}true", "!".repeat(995)),
        format!("{}1 > 1", "-".repeat(990)),
        ["true"; 166].join("&&"),
        format!("{}>1", ["1"; 499].join("+")),
        format!("vars{}", ".a".repeat(498)),
        format!("{}true{}", "(".repeat(30), ")".repeat(30)),
        "(".repeat(1_000),
        "f(".repeat(500),
        "[".repeat(1_000),
        "{1:".repeat(333),
        "true?".repeat(200),
        "true?true:".repeat(100),
        "[1].all(x,".repeat(100),
    ];
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let run = move || {
        for text in &deep {
            if let Ok(gate) = Gate::parse(text, &declared()) {
                let _ = gate.check(&turnwise_gates::Vars::new());
                let _ = gate.truth();
            }
        }
    };
    small.spawn(run).unwrap().join().unwrap();
}

const PIECES: [&str; 34] = [
    "vars", ".", "open", "ph", "&&", "||", "!", "(", ")", "1", "2.5", "'x'", "\"", "<", ">=", "==",
    "+", "-", "*", "/", "%", " ", "[", "]", "{", ",", "?", ":", "in", "has(", "\n", "\\", "ü",
    "b'''",
];

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn no_text_stops_the_reader(
        pieces in prop::collection::vec(prop_oneof![
            8 => prop::sample::select(PIECES.map(str::to_owned).to_vec()),
            1 => ".{0,3}",
        ], 0..16),
    ) {
        let text = pieces.concat();
        if let Err(error) = Gate::parse(&text, &declared()) {
            prop_assert!(error.line >= 1 && error.line <= 1 + text.matches('\n').count());
            prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 2, "{:?}: {}", text, error);
        }
    }
}
