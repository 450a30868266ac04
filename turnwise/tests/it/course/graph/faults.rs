//! What is refused: faulty packs, and records that are broken or of another course.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{course, text};
use super::pack::Units;
use super::{ada, demo, graph};

#[test]
fn a_faulty_pack_is_refused_as_by_check() {
    let pack = Units::new(&[
        ("a", "A", &["start", "c"]),
        ("b", "B", &["a"]),
        ("c", "C", &["b"]),
    ])
    .write();
    let run = graph(&[text(pack.path())]);
    assert!(!run.ok);
    assert_eq!(run.out, "", "half a drawing is none");
    assert!(run.notes.contains("circle: a → b → c → a"), "{}", run.notes);
    assert_eq!(run.notes, course(&["check", text(pack.path())]).1);
}

#[test]
fn a_folder_without_a_pack_or_with_several_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let dir = text(parent.path());
    let run = graph(&[dir]);
    assert!(!run.ok);
    assert_eq!(
        run.notes,
        format!(
            "{dir}: there is no pack here, nor in a folder right below\n  remedy: name a folder that holds a course.yaml\n"
        )
    );
    for name in ["one", "two"] {
        let pack = Units::new(&[("a", "A", &[])]).write();
        fs::rename(pack.path(), parent.path().join(name)).unwrap();
    }
    let run = graph(&[dir]);
    assert!(!run.ok);
    assert_eq!(
        run.notes,
        format!("{dir}: there are 2 packs here\n  remedy: name the folder of the one to draw\n")
    );
    let run = graph(&["/nowhere"]);
    assert!(
        run.notes
            .starts_with("/nowhere: this folder cannot be read: "),
        "{}",
        run.notes
    );
}

#[test]
fn a_unit_that_is_not_there_is_refused() {
    let run = graph(&[text(&demo()), "--unit", "ALG-01", "--unit", "ALG-99"]);
    assert!(!run.ok);
    assert_eq!(run.out, "");
    assert!(
        run.notes
            .contains("there is no unit `ALG-99` in this course\n  remedy: "),
        "{}",
        run.notes
    );
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let run = graph(&[text(&demo()), "--out", "/nowhere/graph.dot"]);
    assert!(!run.ok);
    assert!(
        run.notes.contains("/nowhere/graph.dot cannot be written"),
        "{}",
        run.notes
    );
}

/// A file with this text.
fn file(with: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("record.json");
    fs::write(&file, with).unwrap();
    (dir, file)
}

/// Draws the demo course with this text as the record; it must be refused with the file, this line and this message.
fn refused(record: &str, line: Option<usize>, says: &str) {
    let (_dir, file) = file(record);
    let run = graph(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(!run.ok, "{record}");
    assert_eq!(run.out, "");
    let place = line.map_or_else(
        || format!("{}: ", file.display()),
        |line| format!("{}:{line}: ", file.display()),
    );
    assert!(
        run.notes.starts_with(&format!("{place}{says}")),
        "{}",
        run.notes
    );
    assert!(run.notes.contains("\n  remedy: "), "{}", run.notes);
    assert_eq!(run.notes.lines().count(), 2, "{}", run.notes);
}

/// The good record with one line of it changed; gives that line's number, too.
fn spoilt(old: &str, new: &str) -> (String, usize) {
    let good = fs::read_to_string(ada()).unwrap();
    assert!(good.contains(old));
    let before = &good[..good.find(old).unwrap()];
    (good.replacen(old, new, 1), 1 + before.matches('\n').count())
}

#[test]
fn a_broken_record_is_refused_with_its_line() {
    let (record, line) = spoilt("\"silver\",", "\"platinum\",");
    refused(
        &record,
        Some(line),
        "this is no student's record: unknown variant `platinum`, expected one of `none`, `bronze`, `silver`, `gold`\n",
    );
    let (record, line) = spoilt("\"attempts\": 3", "\"attempts\": -3");
    refused(
        &record,
        Some(line),
        "this is no student's record: invalid value: integer `-3`, expected u32\n",
    );
    let (record, line) = spoilt("2026-08-30T09:00:00Z", "yesterday");
    refused(&record, Some(line), "this is no student's record: ");
    let (record, line) = spoilt("\"ALG-02\": {", "\"ALG-01\": {");
    refused(
        &record,
        Some(line),
        "this is no student's record: the unit `ALG-01` stands here twice\n",
    );
    let (record, line) = spoilt("\"unitsInProgress\": [", "\"unitsInProgress\": [,");
    refused(&record, Some(line), "this is no JSON: expected value\n");
    let good = fs::read_to_string(ada()).unwrap();
    let cut = &good[..good.len() / 2];
    refused(
        cut,
        Some(1 + cut.matches('\n').count()),
        "this is no JSON: EOF while parsing",
    );
    refused(
        &format!("{good}x"),
        Some(1 + good.matches('\n').count()),
        "this is no JSON: trailing characters\n",
    );

    refused("", Some(1), "this is no JSON: EOF while parsing a value\n");
    refused("[]", Some(1), "this is no student's record: ");
    refused(
        "{}",
        Some(1),
        "this is no student's record: missing field `courseId`\n",
    );
    refused(
        "{\"courseId\": \"algebra-foundations\",\n\"unitProgress\": {\"ALG-01\": {\"drill\": {}}}}",
        Some(2),
        "this is no student's record: missing field `masteryTier`\n",
    );
    let deep = format!("{{\"courseId\": \"x\", \"a\": {}", "[".repeat(100_000));
    refused(
        &deep,
        Some(1),
        "this is no JSON: recursion limit exceeded\n",
    );
}

#[test]
fn a_record_that_is_no_text_or_not_there_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("record.json");
    let run = graph(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(!run.ok);
    assert!(
        run.notes
            .starts_with(&format!("{}: this file cannot be read: ", file.display())),
        "{}",
        run.notes
    );
    fs::write(&file, b"{\n\"courseId\": \"\xff\"}").unwrap();
    let run = graph(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(!run.ok);
    assert!(
        run.notes
            .starts_with(&format!("{}:2: this is no JSON: ", file.display())),
        "{}",
        run.notes
    );
}

#[test]
fn a_record_of_another_course_is_refused() {
    let (record, _) = spoilt(
        "\"courseId\": \"algebra-foundations\"",
        "\"courseId\": \"other\"",
    );
    refused(
        &record,
        None,
        "this is a record of the course `other`, and the drawing is of `algebra-foundations`\n",
    );
}

#[test]
fn units_that_are_gone_and_keys_that_are_unknown_are_named_and_left_out() {
    let good: Value = serde_json::from_str(&fs::read_to_string(ada()).unwrap()).unwrap();
    let mut odd = good.clone();
    odd["focusUnitId"] = json!("OLD-1");
    odd["unitsInProgress"] = json!(["OLD-2", "ALG-05", "ALG-08", "ALG-03"]);
    odd["prerequisiteOverrides"] = json!(["ALG-07", "ALG-10", "OLD-3"]);
    odd["unitProgress"]["OLD-2"] = good["unitProgress"]["ALG-01"].clone();
    odd["unitProgress"]["ALG-01"]["masterytier"] = json!("none");
    odd["unitProgress"]["ALG-02"]["drill"]["streak"] = json!(1);
    odd["colour"] = json!("red");
    let (_dir, file) = file(&odd.to_string());
    let run = graph(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(run.ok, "{}", run.notes);
    let shown = file.display();
    assert_eq!(
        run.notes,
        format!(
            "warning: {shown}: left out, as the course has no such unit: `OLD-1`, `OLD-2`, `OLD-3`\n\
             warning: {shown}: left out, as no such key is known: `colour`, `unitProgress.*.drill.streak`, \
             `unitProgress.*.masterytier`\n"
        )
    );
    // The rest is drawn as ever, but for the focus, which falls back to the entry unit.
    let whole = graph(&[text(&demo()), "--snapshot", text(&ada())]).out;
    let differing: Vec<_> = whole
        .lines()
        .zip(run.out.lines())
        .filter(|(a, b)| a != b)
        .collect();
    assert_eq!(differing.len(), 2, "{differing:?}");
    assert!(super::line(&run.out, "\"ENTRY-00\"").contains("focus"));
    assert!(!super::line(&run.out, "\"ALG-05\"").contains("focus"));
}

#[test]
fn a_warning_names_the_first_of_many() {
    let units: Vec<String> = (10..100).map(|n| format!("OLD-{n}")).collect();
    let record = json!({"courseId": "algebra-foundations", "prerequisiteOverrides": units});
    let (_dir, file) = file(&record.to_string());
    let run = graph(&[text(&demo()), "--snapshot", text(&file)]);
    assert!(run.ok);
    assert!(
        run.notes.contains("`OLD-10`, ") && run.notes.ends_with("`OLD-29`, and 70 more\n"),
        "{}",
        run.notes
    );
}
