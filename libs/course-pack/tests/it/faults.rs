//! One pack for each kind of fault: file, line, message, and a remedy every time.

mod course;
mod lessons;
mod questions;
mod units;
mod yaml;

use crate::fixture::{bad, one, spoiled, write};

const UNITS: &str = "units/10-all.yaml";
const EXAMS: &str = "exams/10-all.yaml";

/// Replaces one text of the good pack and expects one fault.
#[track_caller]
fn check(name: &str, from: &str, to: &str, line: usize, says: &str) {
    let dir = spoiled(name, from, to);
    one(dir.path(), name, line, says);
}

#[test]
fn all_faults_come_at_once_in_one_order() {
    let dir = spoiled(UNITS, "title: Sums", "titel: Sums");
    write(
        dir.path(),
        "exams/20-more.yaml",
        "questions:\n  - {id: Q 1, units: [Z], tier: tin, prompt: '', answer: 1}\n",
    );
    write(dir.path(), "references/none.md", "");
    let places: Vec<String> = bad(dir.path())
        .iter()
        .map(|f| {
            format!(
                "{}:{}",
                f.file.strip_prefix(dir.path()).unwrap().display(),
                f.line.unwrap()
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            "exams/20-more.yaml:2",
            "exams/20-more.yaml:2",
            "exams/20-more.yaml:2",
            "references/none.md:1",
            "units/10-all.yaml:5",
            "units/10-all.yaml:6",
        ]
    );
    assert_eq!(bad(dir.path()), bad(dir.path()));
}
