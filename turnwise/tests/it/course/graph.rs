//! `turnwise course graph`: what is drawn, in DOT and as a picture, and what is refused.
//!
//! Through the binary itself, as it matters what goes to standard output and what beside it.

mod faults;
mod graphviz;
mod pack;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::text;
use pack::Units;

/// What a run left.
struct Run {
    ok: bool,
    out: String,
    notes: String,
}

/// A run of `turnwise course graph` that is still to be started.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command.args(["course", "graph"]).args(args);
    command
}

fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        ok: output.status.success(),
        out: String::from_utf8(output.stdout).unwrap(),
        notes: String::from_utf8(output.stderr).unwrap(),
    }
}

fn graph(args: &[&str]) -> Run {
    finish(command(args))
}

/// A run that succeeds and has nothing to say beside the drawing.
fn drawn(args: &[&str]) -> String {
    let run = graph(args);
    assert!(run.ok, "{}", run.notes);
    assert_eq!(run.notes, "");
    run.out
}

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../courses/algebra-foundations")
}

fn ada() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/course/graph/ada.json")
}

/// The lines that begin with this unit's box or, with an arrow behind it, this edge.
fn line<'o>(out: &'o str, of: &str) -> &'o str {
    let start = format!("  {of}");
    let mut lines = out.lines().filter(|line| {
        line.strip_prefix(&start)
            .is_some_and(|rest| rest == ";" || rest.starts_with(" ["))
    });
    let line = lines.next().unwrap_or_else(|| panic!("no {of} in:\n{out}"));
    assert_eq!(lines.next(), None);
    line
}

#[test]
fn the_demo_course() {
    insta::assert_snapshot!(drawn(&[text(&demo())]));
}

#[test]
fn the_demo_course_for_a_student() {
    insta::assert_snapshot!(drawn(&[text(&demo()), "--snapshot", text(&ada())]));
}

#[test]
fn a_folder_with_one_pack_will_do() {
    let pack = Units::new(&[("a", "A", &[])]).write();
    let parent = tempfile::tempdir().unwrap();
    std::fs::rename(pack.path(), parent.path().join("one")).unwrap();
    assert!(drawn(&[text(parent.path())]).starts_with("digraph \"titles\" {\n"));
}

#[test]
fn a_record_without_evidence_is_drawn_from_the_entry_unit_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("new.json");
    std::fs::write(&file, r#"{"courseId": "algebra-foundations"}"#).unwrap();
    let out = drawn(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(
        out.contains("a student: 0 bronze, 0 silver, 0 gold of 19"),
        "{out}"
    );
    assert!(
        line(&out, "\"ENTRY-00\"").contains(r"entry unit\nfocus"),
        "{out}"
    );
    assert!(line(&out, "\"ALG-01\"").contains("none · open"), "{out}");
    assert!(line(&out, "\"ALG-02\"").contains("none · blocked"), "{out}");
}

#[test]
fn stuck_is_what_the_course_says_it_is() {
    let units = Units::new(&[("a", "A", &[])]);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("record.json");
    let record = r#"{"courseId": "titles", "unitProgress": {"a": {"masteryTier": "none",
        "drill": {"attempts": 2, "correct": 0, "streakCorrect": 0, "streakWrong": 2}}}}"#;
    std::fs::write(&file, record).unwrap();
    let is_stuck = |policy: &str| {
        let pack = units.clone().policy(policy).write();
        let out = drawn(&[text(pack.path()), "--snapshot", text(&file)]);
        line(&out, "\"a\"").contains("stuck")
    };
    assert!(is_stuck("{}"));
    assert!(!is_stuck("{stuck_attempts: 3}"));
    assert!(is_stuck("{stuck_rule: consecutive_wrong}"));
    assert!(!is_stuck(
        "{stuck_rule: consecutive_wrong, stuck_attempts: 3}"
    ));
}

#[test]
fn a_part_holds_all_that_its_units_build_on() {
    let out = drawn(&[text(&demo()), "--unit", "ALG-10", "--unit", "ALG-05"]);
    let boxes: Vec<_> = out
        .lines()
        .filter(|line| line.starts_with("  \"") && !line.contains(" -> "))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert_eq!(
        boxes,
        [
            "ENTRY-00", "ALG-01", "ALG-02", "ALG-03", "ALG-05", "ALG-06", "ALG-09", "ALG-10"
        ]
    );
    assert!(
        out.contains("ALG-10, ALG-05 with all that comes before"),
        "{out}"
    );
    line(&out, r#""ALG-09" -> "ALG-10""#);
    assert!(!out.contains("\"ALG-11\""), "{out}");

    let many = ["--unit", "ALG-01"].repeat(6);
    let out = drawn(&[&[text(&demo())], many.as_slice()].concat());
    assert!(
        out.contains("ALG-01, ALG-01, ALG-01, ALG-01, ALG-01 … with"),
        "{out}"
    );
}

#[test]
fn a_drawing_goes_to_the_file_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("graph.dot");
    std::fs::write(&file, "what was there before").unwrap();
    assert_eq!(drawn(&[text(&demo()), "--out", text(&file)]), "");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        drawn(&[text(&demo())])
    );
}

#[test]
fn a_course_of_a_hundred_thousand_units() {
    let ids: Vec<String> = (0..100_000).map(|n| format!("u{n}")).collect();
    // A chain in which each unit needs the one before it and the first, which so has as many dependents.
    let units: Vec<(&str, &str, Vec<&str>)> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| match n {
            0 => (id.as_str(), "First", vec![]),
            1 => (id.as_str(), "Second", vec!["u0"]),
            n => (id.as_str(), "Another", vec!["u0", ids[n - 1].as_str()]),
        })
        .collect();
    let units: Vec<(&str, &str, &[&str])> = units
        .iter()
        .map(|(id, title, needs)| (*id, *title, needs.as_slice()))
        .collect();
    let pack = Units::new(&units).not_assessable().write();
    let out = drawn(&[text(pack.path())]);
    assert_eq!(out.matches(" -> ").count(), 2 + 2 * 99_998);
}
