//! The real course and the real students' messages, where the data is at hand.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::PathBuf};

use serde_json::Value;
use turnwise_redaction::{Roster, find, redact_with};

/// Every change on a student's message, reviewed: from the MIT source before and after, from others the kinds alone.
const GOLDEN: &str = "tests/it/golden/student_messages.txt";

/// Names that stand in the chats, and names that are words of every lesson.
const ROSTER: [&str; 12] = [
    "Kiara",
    "Pablo",
    "Jason",
    "Kevin",
    "Will",
    "Mark",
    "May",
    "Max",
    "Ray",
    "Tan",
    "Grace",
    "Rich Miles",
];

const HEADER: &str = "\
# Every change that the redaction makes on the real messages of students and the turns of their chats, reviewed.
# The roster's names are of the chats (Kiara, Pablo, Jason, Kevin) and words of the lessons (Will, Mark, Ray, Tan ...).
# Of messages under the MIT licence: source, id, what was removed, and the text before and after.
# Of others: source, id, and the kinds. TURNWISE_UPDATE_GOLDEN=1 writes this file anew; read what it wrote.
";

fn shared() -> PathBuf {
    std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    )
}

/// The rows of a file of the data; without it, says so.
fn rows(file: &str) -> Option<Vec<Value>> {
    let path = shared().join("data").join(file);
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: {} is not here", path.display());
        return None;
    };
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    Some(rows.collect())
}

fn strings<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, out)),
        Value::Object(values) => values.values().for_each(|value| strings(value, out)),
        _ => {}
    }
}

#[test]
fn no_text_of_the_course_and_the_drills_changes() {
    // Without a roster, and with one of words that the course is full of.
    let rosters = [Roster::default(), Roster::new(&ROSTER[4..]).unwrap()];
    let mut seen = 0;
    for file in [
        "course/exam_candidates.jsonl",
        "course/readiness_quiz.jsonl",
        "course/chunks.jsonl",
        "course/anchors.jsonl",
        "course/units.jsonl",
        "drills/oatutor_drills.jsonl",
        "drills/mae_misconceptions.jsonl",
        "drills/mathdial_wrong_solutions.jsonl",
    ] {
        let Some(rows) = rows(file) else { return };
        for row in &rows {
            let mut texts = Vec::new();
            strings(row, &mut texts);
            for text in texts {
                for roster in &rosters {
                    assert_eq!(redact_with(text, roster), text, "{file}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 50_000, "{seen} texts");
}

#[test]
fn every_change_of_a_students_message_was_reviewed() {
    let (Some(messages), Some(queries)) = (
        rows("messages/student_messages.jsonl"),
        rows("queries/queries.jsonl"),
    ) else {
        return;
    };
    let mut texts = BTreeSet::new();
    for row in &messages {
        let (source, id) = (row["source"].as_str().unwrap(), row["id"].as_str().unwrap());
        texts.insert((source, id, row["text"].as_str().unwrap()));
    }
    for row in &queries {
        let (source, id) = (
            row["source"].as_str().unwrap(),
            row["query_id"].as_str().unwrap(),
        );
        let mut turns = vec![row["text"].as_str().unwrap()];
        strings(&row["context"], &mut turns);
        texts.extend(turns.into_iter().map(|turn| (source, id, turn)));
    }
    assert!(texts.len() > 3_000, "{} texts", texts.len());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    let found = report(&Roster::new(ROSTER).unwrap(), texts.into_iter());
    if std::env::var_os("TURNWISE_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(
        found,
        fs::read_to_string(&path).unwrap(),
        "review the change, then update {GOLDEN}"
    );
}

/// The golden file's text for texts with their source and id.
fn report<'a>(roster: &Roster, texts: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let mut report = HEADER.to_owned();
    for (source, id, text) in texts {
        let findings = find(text, roster);
        if findings.is_empty() {
            continue;
        }
        let kinds: Vec<_> = findings
            .iter()
            .map(|finding| finding.kind.to_string())
            .collect();
        writeln!(report, "\n{source} {id} {}", kinds.join(" ")).unwrap();
        if matches!(source, "bridge" | "bridge-chat") {
            writeln!(report, "- {text:?}\n+ {:?}", redact_with(text, roster)).unwrap();
        }
    }
    report
}

#[test]
fn a_change_would_stand_in_the_golden_file() {
    let texts = [
        ("bridge", "1", "my mail is ada@school.example"),
        ("mathdial", "2", "my mail is ada@school.example"),
        ("bridge", "3", "x = 4"),
    ];
    let expected = format!(
        "{HEADER}\nbridge 1 [e-mail]\n- \"my mail is ada@school.example\"\n+ \"my mail is [e-mail]\"\n\nmathdial 2 [e-mail]\n"
    );
    assert_eq!(
        report(&Roster::new(ROSTER).unwrap(), texts.into_iter()),
        expected
    );
}
