//! False mathematics in a course's texts: told with its place.

use std::{fs, path::PathBuf};

use turnwise_course_pack::load;
use turnwise_policy_svc::mathematics::{self, Authored};

use crate::{drill_keys::pack_with, fixture::*};

#[test]
fn a_false_hint_is_told_with_its_line() {
    for (hint, is_false) in [
        ("'Try $2 + 2 = 5$ first.'", true),
        ("'Not 2 + 2 = 5: count again.'", false),
        ("'What is 2 + 1?'", false),
    ] {
        let hint = format!("hint: {hint}");
        let folder = pack_with(&[
            "prompt: Add.",
            "question_latex: '2 + 3'",
            "answer: '5'",
            &hint,
        ]);
        let pack = load(&folder.path().join(COURSE)).unwrap();
        let faults = mathematics::faults(&pack);
        assert_eq!(faults.len(), usize::from(is_false), "{hint}: {faults:?}");
        for fault in faults {
            assert!(fault.line.is_some());
            let fault = fault.to_string();
            assert!(fault.contains("units.yaml:"), "{fault}");
            assert!(
                fault.contains("the hint of the drill `ONE-D1` says `2 + 2 = 5`"),
                "{fault}"
            );
        }
    }
}

#[test]
fn a_false_line_of_a_lesson_is_a_warning() {
    let folder = pack_with(&["prompt: Add.", "question_latex: '2 + 3'", "answer: '5'"]);
    let pack = folder.path().join(COURSE);
    assert!(mathematics::lesson_warnings(&pack).is_empty());
    let lesson = pack.join("content/wrong.md");
    fs::create_dir_all(lesson.parent().unwrap()).unwrap();
    let text = "# Sums\n\nA common mistake: 1/2 + 1/3 = 2/5.\n\nSo 1/2 + 1/4 = 2/6.\n";
    fs::write(&lesson, text).unwrap();
    let warnings = mathematics::lesson_warnings(&pack);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0].line, Some(5));
    assert_eq!(warnings[0].file, lesson);
}

#[test]
fn a_worked_example_must_follow() {
    let authored = Authored {
        file: PathBuf::from("units/all.yaml"),
        line: Some(3),
        what: "the solution of the drill `D1`".to_owned(),
        text: "",
    };
    let fault = |lines: &[&str]| mathematics::example_fault("2x + 3 = 7", lines, &authored);
    assert_eq!(fault(&["$2x = 4$", "So $x = 2$."]), None);
    let found = fault(&["$2x = 10$", "So $x = 5$."]).unwrap();
    assert_eq!(found.line, Some(3));
    assert!(found.message.contains("says `$2x = 10$`"), "{found}");
}

#[test]
fn the_demo_course_says_nothing_false() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../courses/algebra-foundations");
    let pack = load(&dir).unwrap();
    let mut found = mathematics::faults(&pack);
    found.extend(mathematics::lesson_warnings(&dir));
    assert!(found.is_empty(), "{found:?}");
}
