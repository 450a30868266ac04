//! A small good pack on disk, to be spoiled by a test.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use turnwise_course_pack::{Pack, PackFault, load};

pub const COURSE: &str = "\
format: 1
id: tiny
title: A tiny course
locale: en
entry_unit: ENTRY-00
";

pub const UNITS: &str = "\
units:
  - id: ENTRY-00
    title: Welcome
    assessable: false
  - id: A
    title: Sums
    summary: Adding numbers.
    prerequisites: [ENTRY-00]
    anchors:
      - add two numbers
    mistake_tags:
      - id: off_by_one
        meaning: One too many or too few.
    drills:
      - id: A-D1
        prompt: Work it out.
        question_latex: '2 + 3'
        answer: '5'
  - id: B
    title: Differences
    prerequisites: [ENTRY-00, A]
";

pub const EXAMS: &str = "\
questions:
  - id: A-B1
    units: [A]
    tier: bronze
    prompt: Work it out.
    question_latex: '4 + 4'
    options:
      - {id: a, text: '8'}
      - {id: b, text: '9'}
    answer: a
  - id: B-B1
    units: [B]
    tier: bronze
    prompt: Work it out.
    answer: 1.50
";

pub const LESSON: &str = "\
---
unit: A
source: lesson-a
type: text
title: Sums
allowed_topics: [adding]
reference: sums
---
# Sums

## What a sum is {#a-c1 .explanation}

Put together.

## How to add

Count on.
";

pub const SUPPORT: &str = "\
---
question: A-B1
kind: memo
---
Use your fingers.
";

/// A good pack in a folder of its own.
pub fn pack() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("course.yaml", COURSE),
        ("units/10-all.yaml", UNITS),
        ("exams/10-all.yaml", EXAMS),
        ("content/a.md", LESSON),
        ("support/A-B1.md", SUPPORT),
        ("references/sums.md", "2 + 2 is 4.\n"),
    ] {
        write(dir.path(), name, text);
    }
    dir
}

/// Writes a file of the pack, and the folders above it.
pub fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The good pack with one text of one file replaced.
pub fn spoiled(name: &str, from: &str, to: &str) -> TempDir {
    let dir = pack();
    let text = fs::read_to_string(dir.path().join(name)).unwrap();
    assert!(text.contains(from), "{name} does not hold {from:?}");
    write(dir.path(), name, text.replacen(from, to, 1));
    dir
}

pub fn good(dir: &Path) -> Pack {
    load(dir).unwrap_or_else(|faults| panic!("faults: {}", list(&faults)))
}

pub fn bad(dir: &Path) -> Vec<PackFault> {
    let faults = load(dir).expect_err("the pack should be refused");
    for fault in &faults {
        assert!(
            !fault.message.is_empty() && !fault.remedy.is_empty(),
            "{fault}"
        );
        assert!(fault.file.starts_with(dir), "{fault}");
    }
    faults
}

/// Asserts that there is exactly one fault, in this file and line, that says this.
#[track_caller]
pub fn one(dir: &Path, name: &str, line: impl Into<Option<usize>>, says: &str) {
    let faults = bad(dir);
    assert_eq!(faults.len(), 1, "{}", list(&faults));
    let fault = &faults[0];
    assert_eq!(fault.file, dir.join(name), "{fault}");
    assert_eq!(fault.line, line.into(), "{fault}");
    assert!(fault.message.contains(says), "{fault}");
}

pub fn list(faults: &[PackFault]) -> String {
    faults.iter().map(|f| format!("\n  {f}")).collect()
}
