//! Small packs to draw.

use std::fmt::Write;
use std::fs;

use tempfile::TempDir;

/// A pack with the course `titles`: the unit `start`, where every student starts, and others.
#[derive(Clone)]
pub struct Units {
    units: String,
    questions: String,
    policy: String,
}

impl Units {
    /// Units with their titles and prerequisites; one without a prerequisite gets `start`.
    pub fn new(units: &[(&str, &str, &[&str])]) -> Self {
        let mut yaml =
            "units:\n  - id: start\n    title: Start\n    assessable: false\n".to_owned();
        let mut questions = "questions:\n".to_owned();
        for (id, title, needs) in units {
            let needs = if needs.is_empty() {
                "start".to_owned()
            } else {
                needs.join(", ")
            };
            let title = quoted(title);
            write!(
                yaml,
                "  - id: {id}\n    title: {title}\n    prerequisites: [{needs}]\n"
            )
            .unwrap();
            write!(
                questions,
                "  - id: {id}-q\n    units: [{id}]\n    tier: bronze\n    prompt: Add.\n    answer: \"2\"\n"
            )
            .unwrap();
        }
        Self {
            units: yaml,
            questions,
            policy: "{}".to_owned(),
        }
    }

    /// The same with what the course sets otherwise.
    pub fn policy(mut self, policy: &str) -> Self {
        self.policy = policy.to_owned();
        self
    }

    /// The same without exam questions.
    pub fn not_assessable(mut self) -> Self {
        self.units = self.units.replace(
            "    prerequisites:",
            "    assessable: false\n    prerequisites:",
        );
        self.questions = "questions: []\n".to_owned();
        self
    }

    /// Writes the pack into a fresh folder.
    pub fn write(&self) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["units", "exams"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let course = format!(
            "format: 1\nid: titles\ntitle: {}\nlocale: en\nentry_unit: start\npolicy: {}\n",
            quoted("Titles & <more>\n\"here\""),
            self.policy
        );
        fs::write(dir.path().join("course.yaml"), course).unwrap();
        fs::write(dir.path().join("units/all.yaml"), &self.units).unwrap();
        fs::write(dir.path().join("exams/all.yaml"), &self.questions).unwrap();
        dir
    }
}

/// Any text as a YAML scalar in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            ' '..='~' if c != '"' && c != '\\' => out.push(c),
            c => write!(out, "\\U{:08x}", u32::from(c)).unwrap(),
        }
    }
    out.push('"');
    out
}
