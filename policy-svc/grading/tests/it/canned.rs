//! The ready-made drills of the demo course that are written out.

use std::path::Path;

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

/// The drills of the course that have no parameters, read by line: the files are ours, and flat.
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
        let mut has_parameters = false;
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let line = line.trim();
            let value = |name: &str| {
                line.strip_prefix(name)
                    .map(|rest| rest.trim().trim_matches('\'').to_owned())
            };
            if let Some(text) = value("- id:") {
                id = text;
                has_parameters = false;
            } else if line == "parameters:" {
                has_parameters = true;
            } else if let Some(text) = value("prompt:") {
                prompt = text;
            } else if let Some(text) = value("question_latex:") {
                question = text;
            } else if let Some(answer) = value("answer:").filter(|_| !has_parameters) {
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
