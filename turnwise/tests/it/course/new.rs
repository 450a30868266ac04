//! `turnwise course new`: a course that passes `course check` as it is.

use std::{fs, process::ExitCode};

use clap::Parser;

use super::{Cli, course, text};

fn new<'a>(dir: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "new",
        "--slug",
        "fractions-6",
        "--title",
        "Fractions: \"half\" & more",
    ];
    args.extend([
        "--sessions",
        "3",
        "--duration",
        "45",
        "--age-band",
        "10-12",
        "--dir",
        dir,
    ]);
    args.extend(more);
    args
}

#[test]
fn a_new_course_passes_the_check_as_it_is() {
    for (locale, words) in [
        ("en", "students aged 10 to 12"),
        ("de-CH", "10- bis 12-Jährige"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (code, out) = course(&new(text(dir.path()), &["--locale", locale]));
        assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
        let pack = dir.path().join("fractions-6");
        let (code, out) = course(&["check", text(dir.path())]);
        assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
        assert!(
            out.contains("fractions-6: 3 units, 2 edges, 12 chunks, "),
            "{out}"
        );

        let pack = turnwise_course_pack::load(&pack).unwrap();
        assert_eq!(pack.course.title, "Fractions: \"half\" & more");
        assert_eq!(pack.lessons.len(), 3);
        for lesson in &pack.lessons {
            assert_eq!(lesson.allowed_topics, ["Fractions: \"half\" & more"]);
            assert!(pack.references.contains_key(&lesson.reference));
        }
        assert!(
            pack.units[2].summary.contains(words),
            "{}",
            pack.units[2].summary
        );
        assert!(pack.units[2].summary.contains("45"));
        let names = fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["fractions-6"]);
    }
}

#[test]
fn nothing_that_is_there_is_touched() {
    let dir = tempfile::tempdir().unwrap();
    let taken = dir.path().join("fractions-6");
    fs::create_dir(&taken).unwrap();
    let (code, _) = course(&new(text(dir.path()), &[]));
    assert!(
        code.unwrap_err()
            .contains("is there already; choose another --slug")
    );
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 0);
}

#[test]
fn a_language_that_is_none_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out) = course(&new(text(dir.path()), &["--locale", "english please"]));
    assert_eq!(code, Ok(ExitCode::FAILURE));
    assert!(out.contains("is not a language tag"), "{out}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let bad = [
        ["--slug", ""],
        ["--slug", "../up"],
        ["--slug", "Big"],
        ["--slug", "-dash"],
        ["--title", " "],
        ["--title", "two\nlines"],
        ["--sessions", "0"],
        ["--sessions", "61"],
        ["--duration", "4"],
        ["--age-band", "12-10"],
        ["--age-band", "10"],
        ["--age-band", "1-12"],
    ];
    for [name, value] in bad {
        let mut args = new("nowhere", &[]);
        let at = args.iter().position(|arg| *arg == name).unwrap();
        args[at + 1] = value;
        let parsed = Cli::try_parse_from(["turnwise"].iter().chain(&args));
        assert!(parsed.is_err(), "{name} {value:?}");
    }
}
