//! The demo course's own drills: each key is right by its drill, alone as well where the task can be read.

use std::path::Path;

use turnwise_grading::{Drill, Verdict, grade};

/// A ready-made drill.
pub struct Canned {
    /// Its id.
    pub id: String,
    /// What to do.
    pub prompt: String,
    /// With which formula.
    pub question: String,
    /// The key.
    pub answer: String,
}

/// The drills of the course, read by line: the files are ours, and flat.
pub fn canned() -> Vec<Canned> {
    let directory =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations/units");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut drills = Vec::new();
    for file in files {
        let (mut id, mut prompt, mut question) = (String::new(), String::new(), String::new());
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let line = line.trim();
            let value = |name: &str| {
                line.strip_prefix(name)
                    .map(|rest| rest.trim().trim_matches('\'').to_owned())
            };
            if let Some(text) = value("- id:") {
                id = text;
            } else if let Some(text) = value("prompt:") {
                prompt = text;
            } else if let Some(text) = value("question_latex:") {
                question = text;
            } else if let Some(answer) = value("answer:") {
                drills.push(Canned {
                    id: id.clone(),
                    prompt: prompt.clone(),
                    question: question.clone(),
                    answer,
                });
            }
        }
    }
    drills
}

#[test]
fn every_key_is_right_and_every_copy_is_not() {
    let drills = canned();
    assert!(drills.len() >= 30, "{} drills", drills.len());
    let mut alone = 0;
    for drill in &drills {
        let with = Drill {
            prompt: &drill.prompt,
            question_latex: &drill.question,
            key: Some(&drill.answer),
        };
        let without = Drill { key: None, ..with };
        let name = format!("{} {}", drill.prompt, drill.question);
        assert_eq!(
            grade(&with, &drill.answer).verdict,
            Verdict::Right,
            "{name}"
        );
        assert_ne!(
            grade(&with, &drill.question).verdict,
            Verdict::Right,
            "{name}"
        );
        assert_ne!(
            grade(&without, &drill.answer).verdict,
            Verdict::Wrong,
            "{name}"
        );
        alone += usize::from(grade(&without, &drill.answer).verdict == Verdict::Right);
    }
    assert!(alone * 4 >= drills.len() * 3, "{alone} of {}", drills.len());
}
