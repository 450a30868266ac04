//! A small course to import, and its import.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{course, text};

/// A small course: rows by file name.
pub struct Rows(Vec<(&'static str, Vec<Value>)>);

/// Its course.yaml.
pub const COURSE: &str = "\
# Written for a test.
format: 1
id: sums-1e
title: Sums 1e
locale: en
entry_unit: START
";

/// Text that would end a chunk, or break a file, if it were written as it is.
pub const NASTY: &str = "## no heading\n  ### nor this\n```\n\\# odd\n\\\\~~~ odder\n---\n> \"quoted\" {#x} 'text': - [a](b) #c";

impl Rows {
    pub fn small() -> Self {
        let unit = |id: &str, prerequisite: &str| json!({"id": id, "title": format!("Sums {id}: \"plain\""), "prerequisites": [prerequisite]});
        let mut first = unit("s-1", "START");
        first["anchors"] = json!(["Sums: 'all'", "− null"]);
        first["mistake_tags"] = json!([{"id": "sign", "meaning": "Wrong sign: {x}, [y]"}]);
        first["lesson"] = json!({"title": "Sums, the lesson", "allowed_topics": ["Add: more"]});
        let mut second = unit("s-2", "s-1");
        second["assessable"] = json!(false);
        Self(vec![
            (
                "units.jsonl",
                vec![
                    json!({"id": "START", "title": "Welcome", "assessable": false}),
                    first,
                    second,
                    unit("s-3", "START"),
                ],
            ),
            (
                "chunks.jsonl",
                vec![
                    json!({"id": "s-1-c1", "unit": "s-1", "heading": "Factor {.5}\n\"x\"", "kind": "key-concepts",
                           "section": "1.1 \"Sums\" \\", "url": "https://example.org/1#e", "text": NASTY}),
                    json!({"id": "s-2-c1", "unit": "s-2", "text": "Text."}),
                    json!({"id": "s-1-c2", "unit": "s-1", "heading": "Again", "text": "More − text."}),
                ],
            ),
            (
                "exercises.jsonl",
                vec![
                    json!({"id": "s-1-x1", "units": ["s-1"], "tier": "bronze", "tags": ["Add"], "prompt": "Add: now.",
                           "question_latex": "−3 + 8 = ?", "options": [{"id": "a", "text": "−5"}, {"id": "b", "text": "5, or so"}], "answer": "b"}),
                    json!({"id": "s-1-d1", "units": ["s-1"], "prompt": "Add.", "question_latex": "1 + 1", "answer": "2"}),
                    json!({"id": "s-2-x1", "units": ["s-2", "s-1"], "tier": "gold", "prompt": "Add.", "answer": "1.50"}),
                    json!({"id": "s-3-x1", "units": ["s-3"], "tier": "bronze", "prompt": "Add.", "answer": "yes"}),
                ],
            ),
        ])
    }

    pub fn rows(&mut self, file: &str) -> &mut Vec<Value> {
        &mut self.0.iter_mut().find(|(name, _)| *name == file).unwrap().1
    }

    pub fn write(&self) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("course.yaml"), COURSE).unwrap();
        for (name, rows) in &self.0 {
            let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
            fs::write(dir.path().join(name), lines).unwrap();
        }
        dir
    }
}

/// Imports what is in one folder into another; gives the exit code or error, and what was printed.
pub fn import(from: &Path, to: &Path, extra: &[&str]) -> (Result<ExitCode, String>, String) {
    let args = ["import", "--from", text(from), "--to", text(to)];
    course(&[&args, extra].concat())
}

/// A folder of packs with the small course in `sums`.
pub fn imported() -> TempDir {
    let to = tempfile::tempdir().unwrap();
    let (code, out) = import(Rows::small().write().path(), &to.path().join("sums"), &[]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    to
}
