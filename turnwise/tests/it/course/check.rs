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
        out.contains("\nsums-1e: 4 units, 3 edges, 3 chunks, 3 questions, 0 documents, hash "),
        "{out}"
    );
    assert!(
        out.contains("…, ok\n  not assessable, so always met: START, s-2\n"),
        "{out}"
    );
    // The rows have few drills.
    assert!(
        out.contains("warning: units with less than 4 different exercises of their own: "),
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

#[test]
fn check_works_out_the_keys_of_drills_with_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let units = "units:\n  - {id: START, title: Welcome, assessable: false}\n  - id: EQ\n    title: Equations\n    \
                 prerequisites: [START]\n    drills:\n      - id: EQ-D1\n        parameters:\n          - a in 2..9\n        \
                 prompt: Solve the equation.\n        question_latex: 'x^{2} = [[a^2]]'\n        answer: 'x = [[a]]'\n";
    let exams = "questions:\n  - {id: EQ-B1, units: [EQ], tier: bronze, prompt: Solve for x., question_latex: 'x + 1 = 3', \
                 answer: x = 2}\n";
    for (name, text) in [
        (
            "course.yaml",
            "format: 1\nid: roots\ntitle: Roots\nlocale: en\nentry_unit: START\n",
        ),
        ("units/all.yaml", units),
        ("exams/all.yaml", exams),
    ] {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let (code, out) = course(&["check", text(dir.path())]);
    assert_eq!(code, Ok(ExitCode::FAILURE), "{out}");
    let place = format!("{}:7: ", dir.path().join("units/all.yaml").display());
    let line = out.lines().next().unwrap();
    assert!(line.starts_with(&place), "{out}");
    for part in [
        "the drill `EQ-D1` with seed 0 (a = ",
        "is not the whole answer (incomplete_solution_set)",
    ] {
        assert!(line.contains(part), "{out}");
    }
    // Nor may a drill be an exam question.
    let asked = units
        .replace("        parameters:\n          - a in 2..9\n", "")
        .replace("'x^{2} = [[a^2]]'", "'x + 1 = 3'")
        .replace("'x = [[a]]'", "x = 2");
    fs::write(dir.path().join("units/all.yaml"), asked).unwrap();
    let (code, out) = course(&["check", text(dir.path())]);
    assert_eq!(code, Ok(ExitCode::FAILURE), "{out}");
    let line =
        format!("{place}the drill `EQ-D1` asks what the exam question `EQ-B1` asks, and would");
    assert!(out.starts_with(&line), "{out}");
    let good = units.replace("'x^{2} = [[a^2]]'", "'[[a]]x = [[a^2]]'");
    fs::write(dir.path().join("units/all.yaml"), good).unwrap();
    let (code, out) = course(&["check", text(dir.path())]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
}
