//! A small data set to import, and its import.

use std::fs;
use std::process::ExitCode;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{course, text};

/// A small data set: rows by file name.
pub struct Rows(Vec<(&'static str, Vec<Value>)>);

impl Rows {
    pub fn small() -> Self {
        let unit = |id: &str, order: u32, prerequisites: &[&str]| {
            json!({
                "course_id": "sums-1e", "unit_id": id, "order": order, "chapter": 1, "chapter_title": "Numbers",
                "section": format!("1.{order}"), "title": format!("Sums {order}: \"plain\""),
                "objectives": ["Add", "Add: more"], "prereq_unit_ids": prerequisites,
                "prereq_source": "x", "module": "m1", "url": "https://example.org/1"
            })
        };
        let chunk = |id: &str, unit: &str, heading: &str, body: &str| {
            json!({
                "chunk_id": id, "course_id": "sums-1e", "unit_id": unit, "seq": 1, "kind": "key-concepts",
                "objective": "Add", "text": body,
                "citation": {"book": "Sums 1e", "section": "1.1 Sums", "heading": heading, "module": "m1",
                             "element": "e", "url": "https://example.org/1#e"}
            })
        };
        let exam = |id: &str, unit: &str, tier: &str, instruction: &str, answer: &str| {
            json!({
                "exam_id": id, "course_id": "sums-1e", "unit_id": unit, "chapter": 1, "objective": "Add",
                "block": "practice", "instruction": instruction, "question": "−3 + 8 = ?", "answer": answer,
                "tier": tier, "citation": {}
            })
        };
        let quiz = |id: &str, question: &str, answer: &str| json!({"id": id, "gate_unit_id": "s-2", "tests_unit_id": "s-1", "question": question, "answer": answer});
        Self(vec![
            (
                "units.jsonl",
                vec![
                    unit("s-2", 2, &["s-1"]),
                    unit("s-1", 1, &[]),
                    unit("s-3", 3, &[]),
                ],
            ),
            (
                "anchors.jsonl",
                vec![
                    json!({"anchor_id": "a", "course_id": "sums-1e", "unit_id": "s-1", "kind": "title", "text": "Sums: 'all'", "element": null}),
                    json!({"anchor_id": "b", "course_id": "sums-1e", "unit_id": "s-1", "kind": "title", "text": "Add", "element": null}),
                ],
            ),
            (
                "chunks.jsonl",
                vec![
                    chunk("s-1-c1", "s-1", "Factor {.5} \"x\"", NASTY),
                    chunk("s-2-c1", "s-2", "", "Text."),
                    chunk("s-1-c2", "s-1", "Again", "More − text."),
                ],
            ),
            (
                "exam_candidates.jsonl",
                vec![
                    exam("s-1-x1", "s-1", "easy", "Add: now.", "−5"),
                    exam("s-1-x2", "s-1", "medium", "", "five, or so"),
                    exam("s-1-x3", "s-1", "hard", "Add.", "Answers will vary."),
                    exam("s-2-x1", "s-2", "hard", "Add.", "x = 1/2"),
                    exam("s-3-x1", "s-3", "easy", "Add.", "12/3"),
                ],
            ),
            (
                "readiness_quiz.jsonl",
                vec![
                    quiz("rq1", "Add: 1 + 1.", "2"),
                    quiz("rq2", "If x = 1 and y = 2, add.", "3"),
                ],
            ),
        ])
    }

    pub fn rows(&mut self, file: &str) -> &mut Vec<Value> {
        &mut self.0.iter_mut().find(|(name, _)| *name == file).unwrap().1
    }

    pub fn write(&self) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, rows) in &self.0 {
            let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
            fs::write(dir.path().join(name), lines).unwrap();
        }
        dir
    }
}

/// Text that would end a chunk, or break a file, if it were written as it is.
pub const NASTY: &str = "## no heading\n  ### nor this\n```\n\\# odd\n\\\\~~~ odder\n---\n> \"quoted\" {#x} 'text': - [a](b) #c";

/// Imports the rows into a fresh folder; gives the exit code or error, what was printed, and the folder.
pub fn import(rows: &Rows, extra: &[&str]) -> (Result<ExitCode, String>, String, TempDir) {
    let from = rows.write();
    let to = tempfile::tempdir().unwrap();
    let mut args = vec![
        "import",
        "--from",
        text(from.path()),
        "--to",
        text(to.path()),
    ];
    args.extend(extra);
    let (code, out) = course(&args);
    (code, out, to)
}
