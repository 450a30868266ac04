//! `turnwise course check`: faults and packs, for people and for programs.

use std::fs;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::rows::imported;
use super::{course, text};

#[test]
fn check_prints_faults_and_a_line_for_each_pack() {
    let to = imported();
    let (code, out) = course(&["check", text(to.path())]);
    assert_eq!(code, Ok(ExitCode::SUCCESS));
    assert!(
        out.starts_with("sums-1e: 4 units, 3 edges, 3 chunks, 3 questions, 0 documents, hash "),
        "{out}"
    );
    assert!(
        out.contains("…, ok\n  not assessable, so always met: START, s-2\n"),
        "{out}"
    );

    let course_file = to.path().join("sums/course.yaml");
    let good = fs::read_to_string(&course_file).unwrap();
    fs::write(
        &course_file,
        good.replace("locale: en", "locale: en\ncolour: red"),
    )
    .unwrap();
    let line = 1 + good.lines().position(|l| l == "locale: en").unwrap() + 1;
    let (code, out) = course(&["check", text(&to.path().join("sums"))]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        format!(
            "{}:{line}: the course has no key `colour`",
            course_file.display()
        )
    );
    assert!(lines[1].starts_with("  remedy: "), "{out}");
    assert_eq!(lines[2], "sums: 1 fault, refused");
}

#[test]
fn check_prints_json() {
    let to = imported();
    let empty = tempfile::tempdir().unwrap();
    let (code, out) = course(&["check", "--json", text(to.path()), text(empty.path())]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["packs"][0]["ok"], true);
    assert_eq!(report["packs"][0]["summary"]["units"], 4);
    assert_eq!(
        report["packs"][0]["summary"]["not_assessable"],
        json!(["START", "s-2"])
    );
    assert_eq!(
        report["packs"][0]["summary"]["hash"]
            .as_str()
            .unwrap()
            .len(),
        64
    );
    assert!(
        report["faults"][0]["message"]
            .as_str()
            .unwrap()
            .contains("no pack here")
    );
    assert!(!report["faults"][0]["remedy"].as_str().unwrap().is_empty());
}
