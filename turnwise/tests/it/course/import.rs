//! `turnwise course import`: what becomes of rows, which of them are refused, and when a pack is replaced.

use std::fs;
use std::process::ExitCode;

use serde_json::{Value, json};
use turnwise_course_pack::load;

use super::rows::{COURSE, NASTY, Rows, import, imported};

#[test]
fn rows_become_a_pack() {
    let to = imported();
    let pack = load(&to.path().join("sums")).unwrap();
    assert_eq!(pack.course.title, "Sums 1e");

    let units: Vec<_> = pack
        .units
        .iter()
        .map(|u| (u.id.as_str(), u.assessable))
        .collect();
    assert_eq!(
        units,
        [
            ("START", false),
            ("s-1", true),
            ("s-2", false),
            ("s-3", true)
        ]
    );
    let unit = &pack.units[1];
    assert_eq!(unit.title, "Sums s-1: \"plain\"");
    assert_eq!(unit.prerequisites, ["START"]);
    assert_eq!(unit.anchors, ["Sums: 'all'", "− null"]);
    assert_eq!(unit.mistake_tags[0].meaning, "Wrong sign: {x}, [y]");
    let drill = &unit.drills[0];
    assert_eq!(
        (drill.id.as_str(), drill.question_latex.as_str()),
        ("s-1-d1", "1 + 1")
    );

    let chunks: Vec<_> = pack
        .chunks
        .iter()
        .map(|c| (c.id.as_str(), c.section.as_str(), c.text.as_str()))
        .collect();
    assert_eq!(
        chunks,
        [
            ("s-1-c1", "1.1 \"Sums\" \\", NASTY),
            ("s-1-c2", "Again", "More − text."),
            ("s-2-c1", "Sums s-2: \"plain\"", "Text."),
        ]
    );
    assert_eq!(pack.chunks[0].section_kind, "key-concepts");
    assert_eq!(pack.chunks[0].url, "https://example.org/1#e");
    let lessons: Vec<_> = pack
        .lessons
        .iter()
        .map(|l| (l.source.as_str(), l.title.as_str()))
        .collect();
    assert_eq!(
        lessons,
        [("s-1", "Sums, the lesson"), ("s-2", "Sums s-2: \"plain\"")]
    );
    assert_eq!(pack.lessons[0].allowed_topics, ["Add: more"]);

    let [first, second, third] = pack.questions.as_slice() else {
        panic!("{:?}", pack.questions)
    };
    assert_eq!(
        (first.prompt.as_str(), first.question_latex.as_str()),
        ("Add: now.", "−3 + 8 = ?")
    );
    assert_eq!(
        (first.options[1].text.as_str(), first.answer.as_str()),
        ("5, or so", "b")
    );
    assert_eq!(second.units, ["s-2", "s-1"]);
    assert_eq!(
        (second.answer.as_str(), third.answer.as_str()),
        ("1.50", "yes")
    );
}

#[test]
fn a_pack_is_summed_up_and_stands_alone_in_its_folder() {
    let (from, to) = (Rows::small().write(), tempfile::tempdir().unwrap());
    let pack = to.path().join("deep/sums");
    let (_, out) = import(from.path(), &pack, &[]);
    assert!(
        out.starts_with("sums-1e: 4 units, 3 edges, 3 chunks, 3 questions, 0 documents, hash "),
        "{out}"
    );
    assert!(out.ends_with(&format!("  written to {}\n", pack.display())));
    let folder = pack.parent().unwrap();
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn the_same_rows_give_the_same_pack() {
    let hash = || load(&imported().path().join("sums")).unwrap().hash;
    assert_eq!(hash(), hash());
}

#[test]
fn an_attribution_comes_from_the_input_alone() {
    let from = Rows::small().write();
    let to = tempfile::tempdir().unwrap();
    let pack = to.path().join("sums");
    import(from.path(), &pack, &[]).0.unwrap();
    assert_eq!(
        fs::read_to_string(pack.join("course.yaml")).unwrap(),
        COURSE
    );
    assert!(!pack.join("ATTRIBUTION.md").exists());
    let hash = load(&pack).unwrap().hash;

    let attribution = "Sums, by Ada; CC BY 4.0\n";
    fs::write(from.path().join("ATTRIBUTION.md"), attribution).unwrap();
    import(from.path(), &pack, &["--force"]).0.unwrap();
    assert_eq!(
        fs::read_to_string(pack.join("ATTRIBUTION.md")).unwrap(),
        attribution
    );
    assert_eq!(load(&pack).unwrap().hash, hash, "rows give the same pack");
}

/// Imports the small course with one value replaced; the output must name this row.
#[track_caller]
fn spoil(file: &'static str, row: usize, key: &str, value: Value, says: &str) {
    let mut rows = Rows::small();
    rows.rows(file)[row][key] = value;
    let (from, to) = (rows.write(), tempfile::tempdir().unwrap());
    let (code, out) = import(from.path(), &to.path().join("sums"), &[]);
    assert_eq!(code, Ok(ExitCode::FAILURE), "{out}");
    let place = format!("{}:{}: ", from.path().join(file).display(), row + 1);
    let told = out.lines().find(|line| line.starts_with(&place));
    assert!(told.is_some_and(|told| told.contains(says)), "{out}");
    assert!(
        out.contains("\n  remedy: ") && out.contains("sums: "),
        "{out}"
    );
    assert_eq!(
        fs::read_dir(to.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn a_bad_row_is_named_by_file_and_line() {
    let (units, chunks, exercises) = ("units.jsonl", "chunks.jsonl", "exercises.jsonl");
    spoil(
        units,
        1,
        "id",
        json!("../x"),
        "no `id`, or one that is not well formed",
    );
    spoil(
        units,
        1,
        "id",
        json!(".x"),
        "no `id`, or one that is not well formed",
    );
    spoil(
        units,
        1,
        "id",
        json!(null),
        "no `id`, or one that is not well formed",
    );
    spoil(
        units,
        2,
        "id",
        json!("s-1"),
        "second time (first on line 2)",
    );
    spoil(units, 1, "title", json!(7), "a number stands here");
    spoil(
        units,
        1,
        "anchors",
        json!([["x", 1]]),
        "a number stands here",
    );
    spoil(units, 1, "lesson", json!("x"), "`lesson` is not an object");
    spoil(
        units,
        1,
        "lesson",
        json!({"unit": "s-2"}),
        "or it names a unit",
    );
    spoil(chunks, 2, "unit", json!("s-9"), "there is no unit `s-9`");
    spoil(chunks, 2, "unit", json!(null), "invalid type: null");
    spoil(chunks, 2, "colour", json!("red"), "unknown field `colour`");
    spoil(chunks, 0, "kind", json!("a b"), "not well formed");
    spoil(
        exercises,
        1,
        "units",
        json!(["s-9"]),
        "there is no unit `s-9`",
    );
    spoil(
        exercises,
        1,
        "units",
        json!(["s-1", "s-2"]),
        "does not name one unit",
    );
    spoil(exercises, 1, "units", json!(null), "does not name one unit");
}

#[test]
fn what_the_loader_finds_is_told_of_the_row() {
    let (units, chunks, exercises) = ("units.jsonl", "chunks.jsonl", "exercises.jsonl");
    spoil(units, 1, "titel", json!("Sums"), "no key `titel`");
    spoil(units, 1, "a: b", json!("Sums"), "no key `a: b`");
    spoil(units, 1, "title", json!(""), "`title` is empty");
    spoil(units, 1, "tags", json!([{"x": "y"}]), "`tags` is text");
    spoil(
        units,
        1,
        "prerequisites",
        json!(["s-2"]),
        "circle: s-1 → s-2 → s-1",
    );
    spoil(
        units,
        3,
        "prerequisites",
        json!(["s-9"]),
        "`s-9`, which is no unit",
    );
    spoil(
        units,
        2,
        "assessable",
        json!(true),
        "`s-2` has no bronze question",
    );
    spoil(
        units,
        3,
        "lesson",
        json!({"url": "u"}),
        "this lesson has no content",
    );
    spoil(
        units,
        1,
        "lesson",
        json!({"type": "film"}),
        "`type` cannot be `film`",
    );
    spoil(chunks, 2, "text", json!(" \n"), "has no text");
    spoil(exercises, 0, "tier", json!("tin"), "`tier` cannot be `tin`");
    spoil(exercises, 0, "answer", json!("c"), "not an option's id");
    spoil(
        exercises,
        0,
        "units",
        json!(["s-1", "s-9"]),
        "`s-9`, which is no unit",
    );
    spoil(exercises, 1, "prompt", json!("a = b = c"), "2 equals signs");
    spoil(exercises, 1, "answer", json!(null), "`answer` is empty");
}

#[test]
fn files_that_are_missing_or_no_rows() {
    let from = Rows::small().write();
    let to = tempfile::tempdir().unwrap();
    let told = |says: &str| {
        let (code, out) = import(from.path(), &to.path().join("sums"), &[]);
        assert_eq!(code, Ok(ExitCode::FAILURE));
        let place = from.path().display();
        assert!(out.starts_with(&format!("{place}/{says}")), "{out}");
    };
    fs::write(
        from.path().join("course.yaml"),
        COURSE.replace("locale", "local"),
    )
    .unwrap();
    told("course.yaml:2: this course has no `locale`");
    fs::remove_file(from.path().join("course.yaml")).unwrap();
    told("course.yaml: the pack has no course.yaml");
    fs::write(from.path().join("chunks.jsonl"), "\n{\n").unwrap();
    told("chunks.jsonl:2: this line is not a JSON object: ");
    fs::write(from.path().join("chunks.jsonl"), b"{\"id\": \"\xff\"}").unwrap();
    told("chunks.jsonl:1: this line is not a JSON object: ");
    fs::remove_file(from.path().join("units.jsonl")).unwrap();
    told("units.jsonl: this file cannot be read: ");

    let bare = Rows::small().write();
    for name in ["chunks.jsonl", "exercises.jsonl"] {
        fs::remove_file(bare.path().join(name)).unwrap();
    }
    fs::write(
        bare.path().join("units.jsonl"),
        "{\"id\": \"START\", \"title\": \"All\", \"assessable\": false}",
    )
    .unwrap();
    let (code, out) = import(bare.path(), &to.path().join("bare"), &[]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
}

#[test]
fn a_pack_is_replaced_only_by_force_and_only_by_a_good_one() {
    let to = tempfile::tempdir().unwrap();
    let pack = to.path().join("sums");
    let run = |rows: &Rows, extra: &[&str]| import(rows.write().path(), &pack, extra);
    fs::create_dir(&pack).unwrap();
    assert_eq!(
        run(&Rows::small(), &[]).0,
        Ok(ExitCode::SUCCESS),
        "an empty folder is free"
    );
    let hash = load(&pack).unwrap().hash;

    let error = run(&Rows::small(), &[]).0.unwrap_err();
    assert!(
        error.contains("is there already; --force replaces it"),
        "{error}"
    );

    let mut circle = Rows::small();
    circle.rows("units.jsonl")[1]["prerequisites"] = json!(["s-2"]);
    assert_eq!(run(&circle, &["--force"]).0, Ok(ExitCode::FAILURE));
    assert_eq!(
        load(&pack).unwrap().hash,
        hash,
        "the good pack is as it was"
    );

    let mut more = Rows::small();
    more.rows("chunks.jsonl").pop();
    assert_eq!(run(&more, &["--force"]).0, Ok(ExitCode::SUCCESS));
    assert_ne!(load(&pack).unwrap().hash, hash);
    let names: Vec<_> = fs::read_dir(to.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["sums"]);

    fs::remove_file(pack.join("course.yaml")).unwrap();
    let error = run(&Rows::small(), &["--force"]).0.unwrap_err();
    assert!(error.contains("no course pack"), "{error}");
}

#[test]
fn an_interrupted_import_loses_no_pack() {
    let to = imported();
    let pack = to.path().join("sums");
    let hash = load(&pack).unwrap().hash;
    let mut circle = Rows::small();
    circle.rows("units.jsonl")[1]["prerequisites"] = json!(["s-2"]);
    for (rows, extra, code) in [
        (&circle, ["--force"].as_slice(), Some(ExitCode::FAILURE)),
        (&Rows::small(), &[], None),
    ] {
        // Ended when the old pack was moved away and the new one not there yet.
        fs::rename(&pack, to.path().join(".sums.old")).unwrap();
        fs::create_dir(to.path().join(".sums.import")).unwrap();
        let (ended, out) = import(rows.write().path(), &pack, extra);
        assert_eq!(ended.as_ref().ok(), code.as_ref(), "{ended:?} {out}");
        assert_eq!(load(&pack).unwrap().hash, hash);
    }
}
