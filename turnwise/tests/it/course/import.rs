//! `turnwise course import`: what becomes of rows, which of them are refused, and when a pack is replaced.

use std::fs;
use std::process::ExitCode;

use serde_json::{Value, json};
use turnwise_course_pack::{Pack, Question, load};

use super::rows::{NASTY, Rows, import};
use super::{course, text};

fn question<'p>(pack: &'p Pack, id: &str) -> &'p Question {
    pack.questions.iter().find(|q| q.id == id).unwrap()
}

/// Four options each, and the answer is one of them.
pub fn assert_choices_are_sound(pack: &Pack) {
    for question in pack.questions.iter().filter(|q| q.is_multiple_choice()) {
        assert_eq!(question.options.len(), 4, "{}", question.id);
        assert!(
            question.options.iter().any(|o| o.id == question.answer),
            "{}",
            question.id
        );
    }
}

#[test]
fn rows_become_a_pack() {
    let (code, out, to) = import(&Rows::small(), &[]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    let pack = load(&to.path().join("sums-1e")).unwrap();
    assert_eq!(
        (pack.course.id.as_str(), pack.course.title.as_str()),
        ("sums-1e", "Sums 1e")
    );

    let ids: Vec<_> = pack
        .units
        .iter()
        .map(|u| (u.id.as_str(), u.assessable))
        .collect();
    assert_eq!(
        ids,
        [
            ("ENTRY-00", false),
            ("s-1", true),
            ("s-2", false),
            ("s-3", true)
        ]
    );
    assert_eq!(pack.units[0].title, "Sums 1e");
    assert_eq!(pack.units[1].prerequisites, ["ENTRY-00"]);
    assert_eq!(pack.units[2].prerequisites, ["s-1"]);
    assert_eq!(pack.units[1].title, "Sums 1: \"plain\"");
    assert_eq!(pack.units[1].anchors, ["Sums: 'all'", "Add", "Add: more"]);
    let drills: Vec<_> = pack.units[1]
        .drills
        .iter()
        .map(|d| (d.id.as_str(), d.question_latex.as_str()))
        .collect();
    assert_eq!(
        drills,
        [("rq1", "Add: 1 + 1.")],
        "two equals signs are no drill"
    );

    let chunks: Vec<_> = pack
        .chunks
        .iter()
        .map(|c| (c.id.as_str(), c.text.as_str()))
        .collect();
    assert_eq!(
        chunks,
        [
            ("s-1-c1", NASTY),
            ("s-1-c2", "More − text."),
            ("s-2-c1", "Text.")
        ]
    );
    assert_eq!(pack.chunks[0].section, "1.1 Sums: Factor {.5} \"x\"");
    assert_eq!(pack.chunks[0].section_kind, "key-concepts");
    assert_eq!(pack.chunks[0].url, "https://example.org/1#e");
    assert_eq!(
        pack.chunks[2].section, "1.1 Sums: Sums 2: \"plain\"",
        "without a heading, the unit's title"
    );
    assert_eq!(pack.lessons[0].allowed_topics, ["Add", "Add: more"]);

    let first = question(&pack, "s-1-x1");
    assert_eq!(
        (first.prompt.as_str(), first.question_latex.as_str()),
        ("Add: now.", "−3 + 8 = ?")
    );
    assert_eq!(
        first
            .options
            .iter()
            .find(|o| o.id == first.answer)
            .unwrap()
            .text,
        "−5"
    );
    assert!(!question(&pack, "s-1-x2").is_multiple_choice());
    assert_eq!(question(&pack, "s-1-x2").prompt, "Answer the question.");
    assert!(
        question(&pack, "s-2-x1")
            .options
            .iter()
            .all(|o| o.text.starts_with("x = "))
    );
    assert!(
        !question(&pack, "s-3-x1").is_multiple_choice(),
        "1 2/3, printed without its space"
    );
    assert_choices_are_sound(&pack);

    let comment = fs::read_to_string(to.path().join("sums-1e/course.yaml")).unwrap();
    assert!(comment.contains("CC BY 4.0") && comment.contains("Access for free at openstax.org"));
    assert!(
        out.contains("sums-1e: 4 units, 3 edges, 3 chunks, 4 questions, 0 documents, hash "),
        "{out}"
    );
    assert!(
        out.contains("not assessable, so always met: ENTRY-00, s-2"),
        "{out}"
    );
    assert!(out.contains("answers vary (1): s-1-x3"), "{out}");
}

#[test]
fn the_same_rows_give_the_same_pack() {
    let hashes: Vec<String> = (0..2)
        .map(|_| {
            load(&import(&Rows::small(), &[]).2.path().join("sums-1e"))
                .unwrap()
                .hash
        })
        .collect();
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_bad_row_is_named_by_file_and_line() {
    let spoil = |file: &'static str, row: usize, key: &str, value: Value, says: &str| {
        let mut rows = Rows::small();
        rows.rows(file)[row][key] = value;
        let (code, _, to) = import(&rows, &[]);
        let error = code.unwrap_err();
        assert!(
            error.contains(&format!("{file}:{}: ", row + 1)) && error.contains(says),
            "{error}"
        );
        assert_eq!(
            fs::read_dir(to.path()).unwrap().count(),
            0,
            "nothing is left behind"
        );
    };
    spoil(
        "units.jsonl",
        1,
        "title",
        json!(7),
        "not a row of this file",
    );
    spoil(
        "units.jsonl",
        1,
        "unit_id",
        json!("../x"),
        "not well formed",
    );
    spoil(
        "units.jsonl",
        1,
        "course_id",
        json!(".."),
        "not well formed",
    );
    spoil("units.jsonl", 1, "unit_id", json!("s-2"), "second time");
    spoil(
        "units.jsonl",
        1,
        "unit_id",
        json!("ENTRY-00"),
        "kept for the entry unit",
    );
    spoil(
        "anchors.jsonl",
        0,
        "unit_id",
        json!("s-9"),
        "not in units.jsonl",
    );
    spoil(
        "chunks.jsonl",
        2,
        "unit_id",
        json!("s-9"),
        "not in units.jsonl",
    );
    spoil(
        "chunks.jsonl",
        2,
        "chunk_id",
        json!("a b"),
        "not well formed",
    );
    spoil("chunks.jsonl", 0, "kind", json!("a b"), "not well formed");
    spoil("chunks.jsonl", 0, "text", json!(" "), "has no text");
    spoil(
        "exam_candidates.jsonl",
        3,
        "tier",
        json!("impossible"),
        "unknown variant",
    );
    spoil(
        "exam_candidates.jsonl",
        3,
        "answer",
        json!(""),
        "lacks a question or an answer",
    );
    spoil(
        "readiness_quiz.jsonl",
        1,
        "tests_unit_id",
        json!("s-9"),
        "not in units.jsonl",
    );
    spoil(
        "readiness_quiz.jsonl",
        1,
        "answer",
        json!(null),
        "invalid type",
    );

    let from = Rows::small().write();
    fs::write(from.path().join("chunks.jsonl"), "{\n").unwrap();
    let to = tempfile::tempdir().unwrap();
    let (code, _) = course(&[
        "import",
        "--from",
        text(from.path()),
        "--to",
        text(to.path()),
    ]);
    assert!(code.unwrap_err().contains("chunks.jsonl:1: "));
    let (code, _) = course(&["import", "--from", "/nowhere", "--to", text(to.path())]);
    assert!(
        code.unwrap_err()
            .contains("--from names a folder with units.jsonl")
    );
}

#[test]
fn one_course_of_several() {
    let mut rows = Rows::small();
    let mut other = rows.rows("units.jsonl")[2].clone();
    other["course_id"] = json!("other-1e");
    other["unit_id"] = json!("o-1");
    rows.rows("units.jsonl").push(other);
    let (code, out, to) = import(&rows, &["--course", "sums-1e"]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(!to.path().join("other-1e").exists());
    let (code, out, to) = import(&rows, &[]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert_eq!(load(&to.path().join("other-1e")).unwrap().units.len(), 2);
    let (code, ..) = import(&rows, &["--course", "none"]);
    let error = code.unwrap_err();
    assert!(
        error.contains("no course `none`; it has other-1e, sums-1e"),
        "{error}"
    );
}

#[test]
fn a_pack_is_replaced_only_by_force_and_only_by_a_good_one() {
    let to = tempfile::tempdir().unwrap();
    let run = |rows: &Rows, force: bool| {
        let from = rows.write();
        let mut args = vec![
            "import",
            "--from",
            text(from.path()),
            "--to",
            text(to.path()),
        ];
        args.extend(force.then_some("--force"));
        course(&args)
    };
    let pack = to.path().join("sums-1e");
    fs::create_dir(&pack).unwrap();
    assert_eq!(
        run(&Rows::small(), false).0,
        Ok(ExitCode::SUCCESS),
        "an empty folder is free"
    );
    let hash = load(&pack).unwrap().hash;

    let error = run(&Rows::small(), false).0.unwrap_err();
    assert!(
        error.contains("is there already; --force replaces it"),
        "{error}"
    );

    let mut circle = Rows::small();
    circle.rows("units.jsonl")[1]["prereq_unit_ids"] = json!(["s-2"]);
    let (code, out) = run(&circle, true);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    assert!(
        out.contains("circle: s-1 → s-2 → s-1") && out.contains("  remedy: "),
        "{out}"
    );
    assert!(
        out.contains(".sums-1e.import") && out.contains("refused"),
        "{out}"
    );
    assert_eq!(
        load(&pack).unwrap().hash,
        hash,
        "the good pack is as it was"
    );

    let mut more = Rows::small();
    more.rows("chunks.jsonl").pop();
    assert_eq!(run(&more, true).0, Ok(ExitCode::SUCCESS));
    assert_ne!(load(&pack).unwrap().hash, hash);
    let names: Vec<_> = fs::read_dir(to.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["sums-1e"]);

    fs::remove_file(pack.join("course.yaml")).unwrap();
    let error = run(&Rows::small(), true).0.unwrap_err();
    assert!(error.contains("no course pack"), "{error}");
}
