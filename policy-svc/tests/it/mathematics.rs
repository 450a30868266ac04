//! False mathematics in a course's texts: told with its place.

use std::{fs, path::Path};

use turnwise_course_pack::load;
use turnwise_policy_svc::{mathematics, taught};

use crate::{drill_keys::pack_with, fixture::*};

/// What is told of a drill, `2 + 3`, that has this line.
fn told(line: &str) -> Vec<String> {
    let folder = pack_with(&[
        "prompt: Add.",
        "question_latex: '2 + 3'",
        "answer: '5'",
        line,
    ]);
    let pack = load(&folder.path().join(COURSE)).unwrap();
    let faults = taught::faults(&pack, 4);
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_false_hint_is_told_with_its_line() {
    for (hint, is_false) in [
        ("'Try $2 + 2 = 6$ first.'", true),
        ("'Not 2 + 2 = 6: count again.'", false),
        ("'What is 2 + 1?'", false),
    ] {
        let faults = told(&format!("hints: [{hint}]"));
        assert_eq!(faults.len(), usize::from(is_false), "{hint}: {faults:?}");
        for fault in faults {
            assert!(fault.contains("units.yaml:"), "{fault}");
            assert!(
                fault.contains("the drill `ONE-D1` says `2 + 2 = 6`"),
                "{fault}"
            );
        }
    }
}

#[test]
fn a_solution_must_follow() {
    for (lines, wrong) in [
        ("['$2 + 3$', '$2 + 3 = 5$']", None),
        ("['$2 + 3$', '$1 + 4$', '$5$']", None),
        ("['$2 + 3$', '$2 + 4$', '$5$']", Some("says `$2 + 4$`")),
        ("['$2 + 3$', '$1 + 4$', '$6$']", Some("says `$6$`")),
        // It may begin with a step.
        ("['$1 + 4$', '$5$']", None),
        ("['$2 + 4$', '$5$']", Some("says `$2 + 4$`")),
    ] {
        let faults = told(&format!("solution: {lines}"));
        match wrong {
            None => assert!(faults.is_empty(), "{lines}: {faults:?}"),
            Some(wrong) => assert!(
                faults.len() == 1 && faults[0].contains(wrong),
                "{lines}: {faults:?}"
            ),
        }
    }
}

#[test]
fn a_courses_own_wording_says_nothing_false() {
    let folder = pack_with(&["prompt: Add.", "question_latex: '2 + 3'", "answer: '5'"]);
    let pack = folder.path().join(COURSE);
    for (wording, is_false) in [("Well done.", false), ("That is it, as 2 + 2 = 5.", true)] {
        fs::write(pack.join("texts.yaml"), format!("exam-passed: {wording}\n")).unwrap();
        let faults = taught::faults(&load(&pack).unwrap(), 4);
        assert_eq!(faults.len(), usize::from(is_false), "{faults:?}");
        for fault in faults {
            let fault = fault.to_string();
            assert!(fault.contains("texts.yaml:1: "), "{fault}");
            assert!(fault.contains("`exam-passed` says `2 + 2 = 5`"), "{fault}");
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
fn the_courses_say_nothing_false() {
    for course in ["algebra-foundations", "terme-und-gleichungen"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../courses")
            .join(course);
        let mut found = taught::faults(&load(&dir).unwrap(), 4);
        found.extend(mathematics::lesson_warnings(&dir));
        assert!(found.is_empty(), "{found:?}");
    }
}
