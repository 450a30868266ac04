//! `turnwise course`: checking packs, and importing course data.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use serde_json::{Value, json};
use tempfile::TempDir;
use turnwise::course::{CourseArgs, run};
use turnwise_course_pack::{Pack, Question, load};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    course: CourseArgs,
}

/// Runs `course …` and gives its exit code, or its error in full, and what it printed.
fn course(args: &[&str]) -> (Result<ExitCode, String>, String) {
    let cli = Cli::try_parse_from(["turnwise"].iter().chain(args)).unwrap();
    let mut out = Vec::new();
    let code = run(&cli.course, &mut out).map_err(|error| format!("{error:#}"));
    (code, String::from_utf8(out).unwrap())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A small data set: rows by file name.
struct Rows(Vec<(&'static str, Vec<Value>)>);

impl Rows {
    fn small() -> Self {
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

    fn rows(&mut self, file: &str) -> &mut Vec<Value> {
        &mut self.0.iter_mut().find(|(name, _)| *name == file).unwrap().1
    }

    fn write(&self) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, rows) in &self.0 {
            let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
            fs::write(dir.path().join(name), lines).unwrap();
        }
        dir
    }
}

/// Text that would end a chunk, or break a file, if it were written as it is.
const NASTY: &str = "## no heading\n  ### nor this\n```\n\\# odd\n\\\\~~~ odder\n---\n> \"quoted\" {#x} 'text': - [a](b) #c";

fn import(rows: &Rows, extra: &[&str]) -> (Result<ExitCode, String>, String, TempDir) {
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

fn question<'p>(pack: &'p Pack, id: &str) -> &'p Question {
    pack.questions.iter().find(|q| q.id == id).unwrap()
}

fn assert_choices_are_sound(pack: &Pack) {
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
        out.contains("sums-1e: 4 units, 3 edges, 3 chunks, 4 questions, hash "),
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

#[test]
fn check_prints_faults_and_a_line_for_each_pack() {
    let (_, _, to) = import(&Rows::small(), &[]);
    let (code, out) = course(&["check", text(to.path())]);
    assert_eq!(code, Ok(ExitCode::SUCCESS));
    assert!(
        out.starts_with("sums-1e: 4 units, 3 edges, 3 chunks, 4 questions, hash "),
        "{out}"
    );
    assert!(
        out.contains("…, ok\n  not assessable, so always met: ENTRY-00, s-2\n"),
        "{out}"
    );

    let course_file = to.path().join("sums-1e/course.yaml");
    let good = fs::read_to_string(&course_file).unwrap();
    fs::write(
        &course_file,
        good.replace("locale: en", "locale: en\ncolour: red"),
    )
    .unwrap();
    let line = 1 + good.lines().position(|l| l == "locale: en").unwrap() + 1;
    let (code, out) = course(&["check", text(&to.path().join("sums-1e"))]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        format!(
            "{}:{line}: the course has no key `colour`",
            course_file.display()
        )
    );
    assert!(lines[1].starts_with("  remedy: "), "{out}");
    assert_eq!(lines[2], "sums-1e: 1 fault, refused");
}

#[test]
fn check_prints_json() {
    let (_, _, to) = import(&Rows::small(), &[]);
    let empty = tempfile::tempdir().unwrap();
    let (code, out) = course(&["check", "--json", text(to.path()), text(empty.path())]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["packs"][0]["ok"], true);
    assert_eq!(report["packs"][0]["summary"]["units"], 4);
    assert_eq!(
        report["packs"][0]["summary"]["not_assessable"],
        json!(["ENTRY-00", "s-2"])
    );
    assert_eq!(
        report["packs"][0]["summary"]["hash"]
            .as_str()
            .unwrap()
            .len(),
        64
    );
    assert!(
        report["faults"][0]["message"]
            .as_str()
            .unwrap()
            .contains("no pack here")
    );
    assert!(!report["faults"][0]["remedy"].as_str().unwrap().is_empty());
}

/// The folder with the real course data, if this machine has it.
fn shared_course() -> Option<PathBuf> {
    let root = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let dir = root.join("data/course");
    if dir.is_dir() {
        return Some(dir);
    }
    println!(
        "SKIPPED: no {}; set TURNWISE_SHARED_DIR to the folder that holds data/course",
        dir.display()
    );
    None
}

fn count(path: &Path, course: &str) -> usize {
    let wanted = format!("\"course_id\":\"{course}\"");
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|l| l.contains(&wanted))
        .count()
}

#[test]
fn the_real_courses_become_packs() {
    let Some(from) = shared_course() else { return };
    let to = tempfile::tempdir().unwrap();
    let (code, out) = course(&["import", "--from", text(&from), "--to", text(to.path())]);
    println!("{out}");
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    let mut units = 0;
    for (id, title) in [
        ("prealgebra-2e", "Prealgebra 2e"),
        ("elementary-algebra-2e", "Elementary Algebra 2e"),
    ] {
        let pack = load(&to.path().join(id)).unwrap();
        assert_eq!(pack.course.title, title);
        assert_eq!(pack.units.len(), count(&from.join("units.jsonl"), id) + 1);
        assert_eq!(pack.chunks.len(), count(&from.join("chunks.jsonl"), id));
        let exams = fs::read_to_string(from.join("exam_candidates.jsonl")).unwrap();
        let open = exams
            .lines()
            .filter(|l| l.contains(&format!("\"course_id\":\"{id}\"")))
            .map(|l| {
                serde_json::from_str::<Value>(l).unwrap()["answer"]
                    .as_str()
                    .unwrap()
                    .to_lowercase()
            })
            .filter(|answer| answer.contains("may vary") || answer.contains("will vary"))
            .count();
        assert_eq!(
            pack.questions.len(),
            count(&from.join("exam_candidates.jsonl"), id) - open
        );
        assert_choices_are_sound(&pack);
        assert!(
            pack.questions
                .iter()
                .filter(|q| q.is_multiple_choice())
                .count()
                > 300
        );
        assert!(pack.units.iter().any(|u| u.assessable) && !pack.units[0].assessable);
        assert!(pack.units[1..].iter().all(|u| !u.prerequisites.is_empty()));
        units += pack.units.len();
    }
    assert_eq!(units, 122 + 9 + 2);
}
