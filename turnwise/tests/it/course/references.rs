//! `turnwise course references`: one reference a lesson, from a pack's own text.

use std::{fs, path::Path, process::ExitCode};

use super::{course, text};

/// A small pack with these lessons, by file name.
pub(super) fn pack(dir: &Path, lessons: &[(&str, &str)]) {
    fs::create_dir_all(dir.join("units")).unwrap();
    fs::create_dir_all(dir.join("content")).unwrap();
    fs::write(
        dir.join("course.yaml"),
        "format: 1\nid: small\ntitle: Small\nlocale: en\nentry_unit: U1\n",
    )
    .unwrap();
    fs::write(
        dir.join("units/units.yaml"),
        "units:\n  - id: U1\n    title: Unit one\n    summary: One thing.\n    assessable: false\n",
    )
    .unwrap();
    for (name, lesson) in lessons {
        fs::write(dir.join("content").join(name), lesson).unwrap();
    }
}

pub(super) fn lesson(source: &str, title: &str, body: &str) -> String {
    format!("---\nunit: U1\nsource: {source}\ntype: text\ntitle: {title}\n---\n{body}")
}

#[test]
fn each_lesson_gets_a_reference_and_none_is_overwritten_unasked() {
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    let first = lesson(
        "Lesson.1",
        "One",
        "## A\n\nText of a.\n\n## B {#b .howto}\n\nText of b.\n",
    );
    let second = lesson("lesson-2", "Two", "## C\n\nText of c.\n");
    pack(&small, &[("1.md", &first), ("2.md", &second)]);
    let args = ["references", "--course", text(&small)];

    let (code, out) = course(&args);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(out.ends_with("small: 2 references\n"), "{out}");
    let one = small.join("references/lesson-1.md");
    assert!(out.contains(&format!("{}: written\n", text(&one))), "{out}");
    let written = "# One\n\n## A\n\nText of a.\n\n## B\n\nText of b.\n";
    assert_eq!(fs::read_to_string(&one).unwrap(), written);
    assert!(small.join("references/lesson-2.md").exists());

    let (_, out) = course(&args);
    assert_eq!(out.matches(": unchanged\n").count(), 2, "{out}");

    fs::write(&one, "by hand").unwrap();
    let (code, out) = course(&args);
    assert_eq!(code, Ok(ExitCode::SUCCESS));
    assert!(out.contains("lesson-1.md: kept as it is\n"), "{out}");
    assert!(out.contains("--force overwrites"), "{out}");
    assert_eq!(fs::read_to_string(&one).unwrap(), "by hand");

    let (_, out) = course(&["references", "--course", text(&small), "--force"]);
    assert!(out.contains("lesson-1.md: overwritten\n"), "{out}");
    assert_eq!(fs::read_to_string(&one).unwrap(), written);
}

#[test]
fn a_long_lesson_ends_with_a_whole_paragraph_and_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    let body = format!("## A\n\n{}", "A paragraph of the lesson.\n\n".repeat(4_000));
    pack(&small, &[("1.md", &lesson("long", "Long", &body))]);
    let out_dir = dir.path().join("elsewhere");
    let (code, out) = course(&[
        "references",
        "--course",
        text(&small),
        "--out",
        text(&out_dir),
    ]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(out.contains("bytes at its end left out"), "{out}");
    let written = fs::read_to_string(out_dir.join("long.md")).unwrap();
    assert!(written.len() <= 65_536 && written.len() > 65_000);
    assert!(written.ends_with("A paragraph of the lesson.\n"));
    assert!(!small.join("references").exists());
}

#[test]
fn a_pack_with_faults_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out) = course(&["references", "--course", text(dir.path())]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    assert!(out.contains("refused"), "{out}");
}
