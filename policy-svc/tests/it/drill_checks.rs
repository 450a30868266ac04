//! What `course check` says of a course's drills beside their keys.

use tempfile::TempDir;
use turnwise_course_pack::{LibrarySettings, Pack, load};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, drill_checks};

use crate::{drill_keys::pack_with, fixture::*};

fn pack(folder: &TempDir) -> Pack {
    load(&folder.path().join(COURSE)).unwrap()
}

fn warnings(folder: &TempDir) -> Vec<String> {
    let found = drill_checks::warnings(&pack(folder));
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn two_equations_are_refused_wherever_they_stand() {
    for parameters in ["", "parameters: [a in 3..9]"] {
        let mut lines = vec![
            "prompt: Solve 3y = 12 as well.",
            "question_latex: 'x + 2 = 5'",
            "answer: 'x = 3'",
        ];
        if !parameters.is_empty() {
            lines.insert(0, parameters);
            lines[2] = "question_latex: 'x + 2 = [[a]]'";
            lines[3] = "answer: 'x = [[a - 2]]'";
        }
        let folder = pack_with(&lines);
        let faults = drill_checks::faults(&pack(&folder));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].line.is_some());
        let fault = faults[0].to_string();
        assert!(
            fault.contains("`ONE-D1` has an equals sign in its `prompt`"),
            "{fault}"
        );
        let refused = courses::open(
            &LibrarySettings::new(folder.path().to_owned(), 0),
            &Kit::for_tests(),
        )
        .err();
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("`ONE-D1`"), "{refused}");
    }
    for (prompt, question, answer) in [
        ("Work out y for x = 4.", "y = 3x - 7", "5"),
        ("Solve $x + 2 = 5$.", "x + 2 = 5", "x = 3"),
    ] {
        let folder = pack_with(&[
            &format!("prompt: {prompt}"),
            &format!("question_latex: '{question}'"),
            &format!("answer: '{answer}'"),
        ]);
        assert_eq!(drill_checks::faults(&pack(&folder)), [], "{prompt}");
    }
}

#[test]
fn text_that_cannot_be_seen_is_refused() {
    for hidden in ['\u{202e}', '\u{2066}', '\u{200b}'] {
        let folder = pack_with(&[
            &format!("prompt: Work out {hidden} the value."),
            "question_latex: '3 + 4'",
            "answer: '7'",
        ]);
        let faults = drill_checks::faults(&pack(&folder));
        assert_eq!(faults.len(), 1, "{hidden:?} {faults:?}");
        let fault = faults[0].to_string();
        assert!(
            fault.contains("the drill `ONE-D1` has characters"),
            "{fault}"
        );
    }
}

#[test]
fn units_with_few_exercises_are_told() {
    let found = warnings(&pack_with(&[
        "parameters: [a in 2..3]",
        "prompt: Work out the value.",
        "question_latex: '[[a]] + 5'",
        "answer: '[[a + 5]]'",
    ]));
    assert_eq!(found.len(), 1, "{found:?}");
    for part in ["less than 4 different exercises", "`ONE` (2)", "`TWO` (1)"] {
        assert!(found[0].contains(part), "{found:?}");
    }
    let found = warnings(&pack_with(&[
        "parameters: [a in 2..9]",
        "prompt: Work out the value.",
        "question_latex: '[[a]] + 5'",
        "answer: '[[a + 5]]'",
    ]));
    assert!(!found[0].contains("`ONE`"), "{found:?}");
}

#[test]
fn keys_that_nobody_works_out_are_told() {
    let found = warnings(&pack_with(&[
        "prompt: How many corners does a cube have?",
        "answer: '8'",
    ]));
    let told = "drills whose key mathematics cannot work out: `ONE-D1`";
    assert!(
        found.iter().any(|warning| warning.contains(told)),
        "{found:?}"
    );
    let found = warnings(&pack_with(&[
        "prompt: Work out the value.",
        "question_latex: '3 + 4'",
        "answer: '7'",
    ]));
    assert!(
        !found
            .iter()
            .any(|warning| warning.contains("cannot work out")),
        "{found:?}"
    );
}
