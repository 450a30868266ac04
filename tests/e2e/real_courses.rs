//! A real data set, as courses to import: two textbooks, which stand beside the repository and never in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Value, json};
use turnwise_course_pack::load;
use turnwise_tests::{
    process::{binary, clean_command},
    shared_data,
};

const ENTRY: &str = "START";

#[test]
fn the_real_courses_become_packs() {
    let Some(data) = shared_data::folder() else {
        return;
    };
    let packs = tempfile::tempdir().unwrap();
    let ids = import(&data, packs.path());
    assert_eq!(ids, ["elementary-algebra-2e", "prealgebra-2e"]);
    let mut units = 0;
    for (id, title) in ids.iter().zip(["Elementary Algebra 2e", "Prealgebra 2e"]) {
        let of_course = |file: &str| {
            let mut rows = rows(&data, file);
            rows.retain(|row| row["course_id"] == id.as_str());
            rows
        };
        let pack = load(&packs.path().join(id)).unwrap();
        assert_eq!(pack.course.title, title);
        assert_eq!(pack.units.len(), of_course("units").len() + 1);
        assert_eq!(pack.chunks.len(), of_course("chunks").len());
        let mut exams = of_course("exam_candidates");
        exams.retain(|row| !is_open(row));
        assert_eq!(pack.questions.len(), exams.len());
        assert!(pack.units.iter().any(|u| u.assessable) && !pack.units[0].assessable);
        assert!(pack.units[1..].iter().all(|u| !u.prerequisites.is_empty()));
        assert!(pack.units.iter().any(|u| !u.drills.is_empty()));
        let attribution = fs::read(packs.path().join(id).join("ATTRIBUTION.md")).unwrap();
        assert_eq!(attribution, fs::read(data.join("README.md")).unwrap());
        units += pack.units.len();
    }
    assert_eq!(units, 122 + 9 + 2);
}

/// Imports every course of the data set into a folder of its own below `packs`; gives their ids.
pub fn import(data: &Path, packs: &Path) -> Vec<String> {
    let mut units: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows(data, "units") {
        units.entry(text(&row, "course_id")).or_default().push(row);
    }
    for (id, units) in &mut units {
        units.sort_by_key(|row| row["order"].as_u64());
        let from = tempfile::tempdir().unwrap();
        write(data, from.path(), id, units);
        let import = clean_command(&binary("turnwise"), from.path())
            .args(["course", "import", "--from"])
            .arg(from.path())
            .arg("--to")
            .arg(packs.join(id))
            .output()
            .unwrap();
        assert!(import.status.success(), "{import:?}");
    }
    units.into_keys().collect()
}

/// Writes a course in the form that is imported.
fn write(data: &Path, from: &Path, course: &str, units: &[Value]) {
    let ids: BTreeSet<&str> = units
        .iter()
        .filter_map(|row| row["unit_id"].as_str())
        .collect();
    let of_course = |file: &str, unit: &str| -> Vec<Value> {
        let mut rows = rows(data, file);
        rows.retain(|row| ids.contains(row[unit].as_str().unwrap()));
        rows
    };
    let chunks = of_course("chunks", "unit_id");
    let mut exams = of_course("exam_candidates", "unit_id");
    exams.retain(|row| !is_open(row));
    let mut quiz = of_course("readiness_quiz", "tests_unit_id");
    quiz.retain(|row| !is_open(row) && text(row, "question").matches('=').count() <= 1);
    let mut anchors: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for mut row in of_course("anchors", "unit_id") {
        anchors
            .entry(text(&row, "unit_id"))
            .or_default()
            .push(row["text"].take());
    }
    let bronze: BTreeSet<&str> = exams
        .iter()
        .filter(|row| row["tier"] == "easy")
        .filter_map(|row| row["unit_id"].as_str())
        .collect();

    let title = text(&chunks[0]["citation"], "book");
    let course =
        format!("format: 1\nid: {course}\ntitle: {title}\nlocale: en\nentry_unit: {ENTRY}\n");
    fs::write(from.join("course.yaml"), course).unwrap();
    fs::copy(data.join("README.md"), from.join("ATTRIBUTION.md")).unwrap();
    let entry = json!({"id": ENTRY, "title": title, "assessable": false});
    let units = units.iter().map(|row| {
        let id = row["unit_id"].as_str().unwrap();
        let prerequisites = match row["prereq_unit_ids"].as_array().unwrap().as_slice() {
            [] => json!([ENTRY]),
            some => json!(some),
        };
        json!({
            "id": id, "title": row["title"], "prerequisites": prerequisites, "tags": [row["chapter_title"]],
            "assessable": bronze.contains(id), "anchors": anchors.get(id),
            "lesson": {"allowed_topics": row["objectives"], "url": row["url"]},
        })
    });
    lines(from, "units", [entry].into_iter().chain(units));
    let chunks = chunks.iter().map(|row| {
        let citation = &row["citation"];
        json!({
            "id": row["chunk_id"], "unit": row["unit_id"], "kind": row["kind"], "text": row["text"],
            "heading": citation["heading"], "url": citation["url"],
            "section": format!("{}: {}", text(citation, "section"), text(citation, "heading")),
        })
    });
    lines(from, "chunks", chunks);
    let exams = exams.iter().map(|row| {
        let tier = match row["tier"].as_str().unwrap() {
            "easy" => "bronze",
            "medium" => "silver",
            _ => "gold",
        };
        json!({
            "id": row["exam_id"], "units": [row["unit_id"]], "tier": tier, "prompt": prompt(row),
            "question_latex": row["question"], "answer": row["answer"],
        })
    });
    let drills = quiz.iter().map(|row| {
        json!({
            "id": row["id"], "units": [row["tests_unit_id"]], "prompt": prompt(row),
            "question_latex": row["question"], "answer": row["answer"],
        })
    });
    lines(from, "exercises", exams.chain(drills));
}

fn rows(data: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(data.join(format!("course/{file}.jsonl"))).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn lines(dir: &Path, file: &str, rows: impl Iterator<Item = Value>) {
    let lines: String = rows.map(|row| format!("{row}\n")).collect();
    fs::write(dir.join(format!("{file}.jsonl")), lines).unwrap();
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap().to_owned()
}

/// What the exercise asks for, if its row does not say.
fn prompt(row: &Value) -> &str {
    match row["instruction"].as_str() {
        Some(instruction) if !instruction.trim().is_empty() => instruction,
        _ => "Answer the question.",
    }
}

/// Whether the printed answer leaves the answer open, so that nothing can grade it.
fn is_open(row: &Value) -> bool {
    let answer = text(row, "answer").to_lowercase();
    answer.contains("may vary") || answer.contains("will vary")
}
