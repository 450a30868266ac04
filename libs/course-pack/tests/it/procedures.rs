//! `procedures/ID/`: what is read, the defaults, the bounds, and every fault with its file and line.

use std::fs;

use tempfile::TempDir;
use turnwise_course_pack::gates::{Kind, Value};
use turnwise_course_pack::{Procedure, load};

use crate::fixture::{bad, good, list, one, pack, write};

const STEPS: &str = "procedures/tea/procedure.yaml";
const TELEMETRY: &str = "procedures/tea/telemetry.yaml";
const UI: &str = "procedures/tea/ui.yaml";
const STEPS_TEXT: &str = "\
title: Make tea
contract_version: v1
phases:
  - {id: boil, title: Boil}
  - {id: brew, title: Brew}
steps:
  - id: fill
    phase: boil
    official_step: Fill the kettle with 0.5 L to 1 L of water.
    short_explanation: The kettle needs enough water.
    tutor_prompts: [How much water is in it?]
    completion: vars.water >= 0.5
    target: tap
    settle_ms: 0
  - id: heat
    phase: boil
    official_step: Heat the water to at least 95 °C.
    short_explanation: Tea needs hot water.
    entry: vars.lid == 'closed'
    completion: vars.water >= 0.5 && vars.heat > 94
    target: switch
  - id: steep
    phase: brew
    official_step: Put a bag in.
    short_explanation: One bag is enough.
    completion: vars.bags == 1 || vars.cup_full
    allowed_targets: [tap]
";
const TELEMETRY_TEXT: &str = "\
telemetry:
  - {raw: KETTLE_L, var: water, type: double, unit: L, range: [0, 1.7]}
  - {raw: KETTLE_T, var: heat, type: int, unit: °C, range: [0, 100]}
  - {raw: lid state, var: lid, type: enum, values: [open, closed]}
  - {raw: BAGS, var: bags, type: int, range: [0, 9]}
  - raw: CUP
    var: cup_full
    type: bool
";
const UI_TEXT: &str = "\
targets:
  - {target: bag, element: bag-1, label: A bag}
  - {target: switch, element: '#switch', label: The switch}
  - {target: tap, element: dcs/12, label: The tap}
";

fn with(file: &str, from: &str, to: &str) -> TempDir {
    let dir = pack();
    for (name, text) in [
        (STEPS, STEPS_TEXT),
        (TELEMETRY, TELEMETRY_TEXT),
        (UI, UI_TEXT),
    ] {
        assert!(name != file || text.contains(from), "{from}");
        let text = if name == file {
            text.replacen(from, to, 1)
        } else {
            text.to_owned()
        };
        write(dir.path(), name, text);
    }
    dir
}

fn tea() -> Procedure {
    good(with("", "", "").path()).procedures.remove(0)
}

#[track_caller]
fn fault(file: &str, from: &str, to: &str, line: usize, says: &str) {
    one(with(file, from, to).path(), file, line, says);
}

/// A fault of a gate in place of the completion of the last step.
#[track_caller]
fn no_gate(text: &str, says: &str) {
    fault(STEPS, "vars.bags == 1 || vars.cup_full", text, 26, says);
}

#[test]
fn a_procedure_is_read_whole() {
    let pack = good(with("", "", "").path());
    assert!(pack.warnings.is_empty(), "{}", list(&pack.warnings));
    let tea = tea();
    assert_eq!(
        (
            tea.id.as_str(),
            tea.locale.as_str(),
            tea.contract_version.as_str()
        ),
        ("tea", "en", "v1")
    );
    let [fill, heat, steep] = tea.steps.as_slice() else {
        panic!("{:?}", tea.steps)
    };
    assert_eq!((fill.settle_ms, heat.settle_ms), (0, 500));
    assert_eq!(fill.tutor_prompts, ["How much water is in it?"]);
    assert!(fill.entry.is_none() && heat.tutor_prompts.is_empty());
    assert_eq!(heat.entry.as_ref().unwrap().text(), "vars.lid == 'closed'");
    assert_eq!(steep.target, None);
    // Its own and those of its phase, in the map's order; or what it allows.
    assert_eq!(fill.allowed_targets, ["switch", "tap"]);
    assert_eq!(steep.allowed_targets, ["tap"]);
    assert_eq!(
        tea.var_of("KETTLE_T").unwrap().kind,
        Kind::Int { min: 0, max: 100 }
    );
    assert_eq!(
        tea.var_of("lid state")
            .unwrap()
            .admit(&Value::Text("ajar".to_owned())),
        None
    );
    assert_eq!(tea.var_of("water"), None);
    assert_eq!(tea.target("switch").unwrap().element, "#switch");
    let german = with(
        STEPS,
        "contract_version: v1",
        "contract_version: v1\nlocale: de-CH",
    );
    assert_eq!(good(german.path()).procedures[0].locale, "de-CH");
    let owned = with(
        STEPS,
        "allowed_targets: [tap]",
        "allowed_targets: []\n    target: bag",
    );
    assert_eq!(
        good(owned.path()).procedures[0].steps[2].allowed_targets,
        ["bag"]
    );
}

#[test]
fn a_course_may_do_without_and_the_hash_holds_them_all() {
    let without = good(pack().path());
    assert!(without.procedures.is_empty());
    let mut hashes = vec![without.hash, good(with("", "", "").path()).hash];
    for (file, from, to) in [
        (STEPS, "Make tea", "Make Tea"),
        (TELEMETRY, "1.7", "1.8"),
        (UI, "A bag", "The bag"),
    ] {
        hashes.push(good(with(file, from, to).path()).hash);
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 5);
}

#[test]
fn files_and_folders() {
    for file in [STEPS, TELEMETRY, UI] {
        let dir = with("", "", "");
        fs::remove_file(dir.path().join(file)).unwrap();
        let faults = bad(dir.path());
        assert!(
            faults.iter().all(|fault| fault.file.ends_with(file)),
            "{}",
            list(&faults)
        );
        write(dir.path(), file, "- text\n");
        one(dir.path(), file, 1, "but this is a list");
    }
    for (name, blamed, says) in [
        (
            "procedures/tea/steps.yaml",
            "procedures/tea/steps.yaml",
            "no part `steps.yaml`",
        ),
        (
            "procedures/tea/ui/x.yaml",
            "procedures/tea/ui",
            "no part `ui`",
        ),
        (
            "procedures/readme.md",
            "procedures/readme.md",
            "cannot be a procedure",
        ),
        (
            "procedures/green tea/ui.yaml",
            "procedures/green tea",
            "cannot be a procedure",
        ),
    ] {
        let dir = with("", "", "");
        write(dir.path(), name, "x");
        one(dir.path(), blamed, None, says);
    }
}

#[test]
fn steps_that_are_not_in_order() {
    fault(STEPS, "title: Make tea\n", "", 1, "no `title`");
    fault(STEPS, "version: v1", "version: v2", 2, "cannot be `v2`");
    fault(
        STEPS,
        "title: Make tea",
        "title: Make tea\nlocale: tea time",
        2,
        "not a language tag",
    );
    fault(STEPS, "phase: brew", "phase: brow", 23, "no phase `brow`");
    fault(STEPS, "id: heat", "id: fill", 15, "a second time");
    fault(
        STEPS,
        "title: Boil}",
        "title: Boil}\n  - {id: boil, title: Boil}",
        5,
        "a second time",
    );
    fault(
        STEPS,
        "    completion: vars.water >= 0.5\n",
        "",
        7,
        "no `completion`",
    );
    fault(
        STEPS,
        "settle_ms: 0",
        "settle_ms: 60001",
        14,
        "`settle_ms` cannot be",
    );
    fault(
        STEPS,
        "target: switch",
        "target: swich",
        21,
        "the target `swich` has no element",
    );
    fault(
        STEPS,
        "targets: [tap]",
        "targets: [tap, bags]",
        27,
        "the target `bags` has no element",
    );
    fault(STEPS, "targets: [tap]", "targets: [tap, tap]", 27, "twice");
    fault(
        STEPS,
        "Put a bag in.",
        &"x".repeat(1_001),
        24,
        "has 1001 characters",
    );
    fault(
        STEPS,
        "[How much water is in it?]",
        "[a, b, c, d, e, f]",
        11,
        "more than 5 tutor prompts",
    );
    fault(
        STEPS,
        "tutor_prompts",
        "tutor_prompt",
        11,
        "no key `tutor_prompt`",
    );
    let dir = with(
        STEPS,
        STEPS_TEXT,
        "title: T\ncontract_version: v1\nphases: []\nsteps: []\n",
    );
    one(dir.path(), STEPS, 1, "has no steps");
}

#[test]
fn telemetry_that_is_not_in_order() {
    let file = TELEMETRY;
    fault(file, "raw: BAGS, ", "", 5, "no `raw`");
    fault(
        file,
        "raw: BAGS",
        "raw: CUP",
        6,
        "feeds a variable already (line 5)",
    );
    let dir = with(file, "var: bags, ", "");
    one(dir.path(), file, 5, "no `var`");
    fault(
        file,
        "[0, 9]}",
        "[0, 9]}\n  - {raw: X, var: heat, type: bool}",
        6,
        "a second time",
    );
    fault(
        file,
        "[0, 9]}",
        "[0, 9]}\n  - {raw: X, var: in, type: bool}",
        6,
        "cannot be a variable's name",
    );
    fault(file, "type: bool", "type: truth", 8, "cannot be `truth`");
    fault(
        file,
        "type: bool",
        "type: bool\n    range: [0, 1]",
        9,
        "has no `range`",
    );
    fault(file, ", range: [0, 9]", "", 5, "needs `range`");
    fault(file, ", values: [open, closed]", "", 4, "needs `values`");
    fault(file, "[open, closed]", "[]", 4, "at least one value");
    fault(file, "[open, closed]", "[open, open, closed]", 4, "twice");
    for range in ["[9, 0]", "[0]", "[0, 9.5]", "[0, many]"] {
        fault(
            file,
            "[0, 9]",
            range,
            5,
            "not the least and the greatest int",
        );
    }
    for range in ["[0, .inf]", "[0, inf]", "[NaN, 1]", "[2, 1]"] {
        fault(
            file,
            "[0, 1.7]",
            range,
            2,
            "not the least and the greatest double",
        );
    }
    fault(
        file,
        "unit: L",
        &format!("unit: {}", "l".repeat(21)),
        2,
        "has 21 characters",
    );
}

#[test]
fn a_map_that_is_not_in_order() {
    fault(UI, "element: bag-1, ", "", 2, "no `element`");
    fault(UI, "dcs/12", "bag-1", 4, "has a target already (line 2)");
    fault(UI, "target: bag", "target: tap", 4, "a second time");
    fault(UI, "bag-1", "bag 1", 2, "is no element's id");
    fault(UI, ", label: A bag", "", 2, "no `label`");
}

#[test]
fn gates_that_are_none() {
    no_gate(
        "vars.bugs == 1",
        "`completion` gate of the step `steep`, line 1, column 1: there is no variable `bugs`",
    );
    no_gate("vars.bags = 1", "column 11: this is no CEL expression");
    no_gate(
        "vars.bags == 1 && vars.lid",
        "column 19: `&&` takes conditions",
    );
    no_gate("vars.lid == 'shut'", "never this; it is open or closed");
    no_gate("vars.bags > 9", "never holds");
    no_gate("vars.bags >= 0", "always holds");
    fault(
        STEPS,
        "vars.lid == 'closed'",
        "vars.bags <= 9",
        19,
        "the `entry` gate of the step `heat` always holds",
    );
    fault(
        STEPS,
        "vars.lid == 'closed'",
        "vars.shut",
        19,
        "no variable `shut`",
    );
}

#[test]
fn steps_that_nobody_gets_to() {
    let last = "vars.bags == 1 || vars.cup_full";
    let says = "the step `steep` is never reached: it is complete whenever those before it are";
    fault(STEPS, last, "vars.heat > 90", 22, says);
    let says = "the step `heat` can never be begun";
    fault(STEPS, "vars.lid == 'closed'", "vars.water < 0.4", 15, says);
    let says = "nothing behind the step `steep` is ever reached";
    fault(STEPS, last, "vars.water < 0.5", 22, says);
    // What lies behind is not blamed as well.
    fault(
        STEPS,
        "vars.water >= 0.5 && vars.heat > 94",
        "vars.water < 0.3",
        15,
        "nothing behind the step `heat`",
    );
}

#[test]
fn what_cannot_be_decided_is_a_warning() {
    let dir = with(STEPS, "vars.bags == 1 ||", "vars.water * 0.0 == 0.0 &&");
    let pack = load(dir.path()).unwrap();
    assert!(pack.warnings.is_empty(), "{}", list(&pack.warnings));
    let dir = with(
        STEPS,
        "vars.bags == 1 || vars.cup_full",
        "vars.water - vars.water == 0.0",
    );
    let warnings = good(dir.path()).warnings;
    assert_eq!(warnings[0].line, Some(26), "{}", list(&warnings));
    assert!(
        warnings[0]
            .message
            .contains("cannot be decided whether the `completion` gate")
    );
}

#[test]
fn more_steps_than_there_may_be_are_one_fault() {
    let steps: String = (0..101)
        .map(|n| {
            format!(
                "  - {{id: s{n}, phase: all, official_step: S, short_explanation: S, completion: vars.bags > 3}}\n"
            )
        })
        .collect();
    let text = format!(
        "title: T\ncontract_version: v1\nphases: [{{id: all, title: All}}]\nsteps:\n{steps}"
    );
    let dir = with(STEPS, STEPS_TEXT, &text);
    one(dir.path(), STEPS, 105, "has 101 entries, but at most 100");
}
