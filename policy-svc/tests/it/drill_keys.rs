//! Drills with parameters: which keys are refused, what is served, and what helps on a wrong answer.

use std::{fs, path::Path};

use tempfile::TempDir;
use turnwise_course_pack::{LibrarySettings, load};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, drill_keys};
use turnwise_proto::policy::v1::{
    CheckDrillRequest, DrillVerdict, OpenDrill, ResolveGradeRequest, resolve_grade_request::Outcome,
};

use crate::fixture::*;

const WRITTEN: &str =
    "        prompt: Work out the value.\n        question_latex: '2 + 3'\n        answer: '5'\n";

const SUM: [&str; 6] = [
    "parameters:",
    "  - a in 2..3",
    "  - b in 2..3",
    "prompt: Work out the value.",
    "question_latex: '[[a]] + [[b]]'",
    "answer: '[[a + b]]'",
];

/// The small pack, in a folder of courses, with these lines below the id of ONE's drill.
pub fn pack_with(lines: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join(COURSE);
    write_pack(&pack, COURSE);
    let units = pack.join("units/units.yaml");
    let text = fs::read_to_string(&units).unwrap();
    assert!(text.contains(WRITTEN));
    let lines: String = lines
        .iter()
        .map(|line| format!("        {line}\n"))
        .collect();
    fs::write(&units, text.replacen(WRITTEN, &lines, 1)).unwrap();
    folder
}

/// What is wrong with the keys, as `course check` tells it.
fn faults(folder: &Path) -> Vec<String> {
    let pack = load(&folder.join(COURSE)).unwrap();
    let faults = drill_keys::faults(&pack, usize::MAX);
    faults.iter().map(ToString::to_string).collect()
}

/// A drill that asks to solve an equation with a number in it.
fn equation(question: &str, answer: &str) -> TempDir {
    pack_with(&[
        "parameters:",
        "  - a in 2..9",
        "prompt: Solve the equation.",
        &format!("question_latex: '{question}'"),
        &format!("answer: '{answer}'"),
    ])
}

#[test]
fn good_keys_have_no_faults() {
    assert_eq!(faults(pack_with(&SUM).path()), [""; 0]);
    let folder = equation("[[a]]x = [[a*a]]", "x = [[a]]");
    assert_eq!(faults(folder.path()), [""; 0]);
}

#[test]
fn keys_that_are_not_the_answer() {
    for (question, answer, says) in [
        ("x + 1 = [[a]]", "x = [[a]]", "(not_a_solution)"),
        // Two keys: the other solution is right as well.
        ("x^{2} = [[a^2]]", "x = [[a]]", "(incomplete_solution_set)"),
        // Nothing solves it.
        ("x^{2} = -[[a^2]]", "x = [[a]]", "is not the whole answer"),
    ] {
        let folder = equation(question, answer);
        let found = faults(folder.path());
        assert_eq!(found.len(), 1, "{found:?}");
        let units = folder.path().join(COURSE).join("units/units.yaml");
        let place = format!("{}:", units.display());
        assert!(found[0].starts_with(&place), "{}", found[0]);
        for part in [
            "the drill `ONE-D1` with seed 0 (a = ",
            "its key `x = ",
            says,
        ] {
            assert!(found[0].contains(part), "{part}: {}", found[0]);
        }
        // Nor is the course served.
        let refused = courses::open(
            &LibrarySettings::new(folder.path().to_owned(), 0),
            &Kit::for_tests(),
        );
        let refused = refused.err().map(|error| error.to_string());
        let refused = refused.unwrap_or_default();
        assert!(refused.contains("`ONE-D1` with seed 0"), "{refused}");
    }
}

#[tokio::test]
async fn instances_are_served_but_for_exam_questions() {
    let folder = pack_with(&SUM);
    let pack = load(&folder.path().join(COURSE)).unwrap();
    let mut client = start(folder.path(), &Kit::for_tests()).await;
    let mut seen = Vec::new();
    for instance in &pack.units[1].templates[0].instances {
        let drill = &instance.drill;
        let request = CheckDrillRequest {
            course_id: COURSE.to_owned(),
            unit_id: "ONE".to_owned(),
            prompt: drill.prompt.clone(),
            question_latex: drill.question_latex.clone(),
            answer: drill.answer.clone(),
            drill_id: drill.id.clone(),
            ..CheckDrillRequest::default()
        };
        let checked = client.check_drill(request).await.unwrap().into_inner();
        let verdict = checked.check.unwrap().verdict();
        seen.push((drill.question_latex.clone(), checked.key, verdict));
    }
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    let seen: Vec<_> = seen
        .iter()
        .map(|(question, key, verdict)| (question.as_str(), key.as_str(), *verdict))
        .collect();
    assert_eq!(
        seen,
        [
            // ONE-B1 asks it.
            ("2 + 2", "", DrillVerdict::CannotTell),
            ("2 + 3", "5", DrillVerdict::Right),
            ("3 + 2", "5", DrillVerdict::Right),
            ("3 + 3", "6", DrillVerdict::Right),
        ]
    );
}

#[tokio::test]
async fn a_hint_stands_behind_our_own_words_on_a_wrong_answer() {
    let folder = pack_with(&[
        "prompt: Work out the value.",
        "question_latex: '2 + 3'",
        "answer: '5'",
        "hints: [Count on from the larger number.]",
    ]);
    let client = start(folder.path(), &Kit::for_tests()).await;
    let feedback = |answer: &'static str, question: &'static str, outcome: Option<Outcome>| {
        let mut client = client.clone();
        async move {
            let request = CheckDrillRequest {
                course_id: COURSE.to_owned(),
                unit_id: "ONE".to_owned(),
                prompt: "Work out the value.".to_owned(),
                question_latex: question.to_owned(),
                answer: answer.to_owned(),
                drill_id: "ONE-D1".to_owned(),
                ..CheckDrillRequest::default()
            };
            let checked = client.check_drill(request).await.unwrap().into_inner();
            let request = ResolveGradeRequest {
                check: checked.check,
                outcome,
                drill: Some(OpenDrill {
                    unit_id: "ONE".to_owned(),
                    prompt: "Work out the value.".to_owned(),
                    question_latex: question.to_owned(),
                    said: answer.to_owned(),
                }),
                ..ResolveGradeRequest::default()
            };
            let grade = client.resolve_grade(request).await.unwrap().into_inner();
            grade.feedback_text
        }
    };
    let hint = " Count on from the larger number.";
    let wrong = feedback("6", "2 + 3", None).await;
    assert!(wrong.ends_with(hint), "{wrong}");
    let other = feedback("6", "2 + 5", None).await;
    assert!(!other.contains(hint), "{other}");
    let right = feedback("5", "2 + 3", None).await;
    assert!(!right.contains(hint), "{right}");
    let words = r#"{"isCorrect": false, "feedbackText": "Once more.", "commonMistakeTag": null}"#;
    let model = Outcome::Completion(words.as_bytes().into());
    assert_eq!(feedback("6", "2 + 3", Some(model)).await, "Once more.");
}
