//! `documents/*.md`: what is read, the bounds, and every fault with its line.

use std::fmt::Write;
use std::path::Path;

use tempfile::TempDir;

use crate::fixture::{COURSE, good, one, pack, write};

const FILE: &str = "documents/late-work.md";
const DOCUMENT: &str = "\
---
title: Late work
unit: B
clarifying_questions:
  - Which piece is it?
  - 'When was it due: what day?'
requires_handoff: true
---
# Late work

It is read, and marked.
";

/// The good pack with this document.
fn with(text: &str) -> TempDir {
    let dir = pack();
    write(dir.path(), FILE, text);
    dir
}

#[track_caller]
fn fault(from: &str, to: &str, line: impl Into<Option<usize>>, says: &str) {
    assert!(DOCUMENT.contains(from), "{from}");
    let dir = with(&DOCUMENT.replacen(from, to, 1));
    one(dir.path(), FILE, line, says);
}

#[test]
fn a_document_is_read_whole() {
    let dir = with(DOCUMENT);
    write(
        dir.path(),
        "documents/early-work.md",
        "---\ntitle: Early work\nunit: A\nclarifying_questions: []\n---\nIt waits.\n",
    );
    let pack = good(dir.path());
    let [early, late] = pack.documents.as_slice() else {
        panic!("{:?}", pack.documents)
    };
    assert_eq!(
        (early.id.as_str(), early.unit.as_str()),
        ("early-work", "A")
    );
    assert!(early.questions.is_empty() && !early.requires_handoff);
    assert_eq!(
        (late.id.as_str(), late.title.as_str()),
        ("late-work", "Late work")
    );
    assert_eq!(
        late.questions,
        ["Which piece is it?", "When was it due: what day?"]
    );
    assert_eq!(late.content, "# Late work\n\nIt is read, and marked.");
    assert!(late.requires_handoff);
}

#[test]
fn documents_count_in_the_packs_hash() {
    let dir = with(DOCUMENT);
    let before = good(dir.path()).hash;
    assert_ne!(before, good(pack().path()).hash);
    write(dir.path(), FILE, DOCUMENT.replace("marked", "kept"));
    assert_ne!(before, good(dir.path()).hash);
}

#[test]
fn the_fields() {
    fault("title: Late work\n", "", 2, "no `title`");
    fault("unit: B\n", "", 2, "no `unit`");
    fault("unit: B", "unit: C", 3, "about `C`, which is no unit");
    fault("unit: B", "unit: B 1", 3, "not well formed");
    fault(
        "requires_handoff",
        "requires_hand_off",
        7,
        "no key `requires_hand_off`",
    );
    fault(
        "handoff: true",
        "handoff: perhaps",
        7,
        "cannot be `perhaps`",
    );
    fault("  - Which piece is it?", "  - ''", 5, "is empty");
    fault(
        "  - Which piece is it?",
        "  - {a: b}",
        5,
        "is text, but this is",
    );
    fault("---\ntitle", "title", 1, "does not begin with front matter");
    fault("true\n---\n", "true\n", 1, "does not end");
    fault("# Late work\n\nIt is read, and marked.\n", "", 9, "no text");
}

#[test]
fn the_name_of_the_file_is_the_id() {
    let dir = pack();
    write(dir.path(), "documents/late work.md", DOCUMENT);
    one(
        dir.path(),
        "documents/late work.md",
        None,
        "cannot be a document's id",
    );
    let dir = pack();
    write(dir.path(), "documents/old/late.md", DOCUMENT);
    one(dir.path(), "documents/old", None, "no folders inside");
}

#[test]
fn questions_stand_once() {
    fault(
        "'When was it due: what day?'",
        "Which piece is it?",
        6,
        "stands twice in this document (first on line 5)",
    );
}

/// The document with these questions.
fn asking(questions: &str) -> TempDir {
    let before = "---\ntitle: T\nunit: A\nclarifying_questions:";
    with(&format!("{before}{questions}\n---\nText.\n"))
}

#[test]
fn questions_may_stand_in_several_languages() {
    let both = "\n  de:\n    - Welches?\n    - 'Wann: an welchem Tag?'\n  en: [Which?, When?]\n  fr-CA: [Quoi?, Quand?]";
    let document = &good(asking(both).path()).documents[0];
    assert_eq!(document.questions, ["Which?", "When?"]);
    let others: Vec<_> = document.questions_by_locale.iter().collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        others,
        [
            (
                &text("de"),
                &vec![text("Welches?"), text("Wann: an welchem Tag?")]
            ),
            (&text("fr-CA"), &vec![text("Quoi?"), text("Quand?")]),
        ]
    );
    // A region's course is content with its language, and prefers its region.
    for (lists, first) in [
        (" {de: [Du?], en: [You?]}", "Du?"),
        (" {de: [Du?], DE-ch: [Sie?]}", "Sie?"),
    ] {
        let dir = asking(lists);
        write(
            dir.path(),
            "course.yaml",
            COURSE.replace("locale: en", "locale: de-CH"),
        );
        assert_eq!(good(dir.path()).documents[0].questions, [first]);
    }
}

#[test]
fn faults_of_questions_in_several_languages() {
    for (questions, line, says) in [
        (
            "\n  de: [Was?]",
            4,
            "no list for `en`, the course's language",
        ),
        (" {}", 4, "no list for `en`"),
        (
            "\n  en: [Which?, When?]\n  de: [Was?]",
            6,
            "`de` has 1 questions, but `en` has 2",
        ),
        (
            "\n  en: [Which?]\n  d: [Was?]",
            6,
            "`d` is not a language tag",
        ),
        (
            "\n  en: [Which?]\n  de: [Was?]\n  DE: [Wann?]",
            7,
            "same language as `de` on line 6",
        ),
        ("\n  en: [Which?]\n  de: Was?", 6, "`de` is a list"),
        ("\n  en: [Which?]\n  de:", 6, "`de` is a list"),
        (
            "\n  en: [Which?, When?]\n  de: [Was?, '']",
            6,
            "`de` is empty",
        ),
        (
            "\n  en: [Which?, When?]\n  de: [Was?, Was?]",
            6,
            "stands twice",
        ),
    ] {
        one(asking(questions).path(), FILE, line, says);
    }
    let long = format!("\n  en: [Which?]\n  de: [{}]", "ü".repeat(501));
    one(asking(&long).path(), FILE, 6, "has 501 characters");
}

#[test]
fn a_hand_off_follows_on_questions() {
    let without = "---\ntitle: T\nunit: A\nrequires_handoff: true\n---\nText.\n";
    one(with(without).path(), FILE, 4, "has no questions");
}

#[test]
fn the_bounds() {
    let document = |questions: usize, length: usize, bytes: usize| {
        let mut text = "---\ntitle: T\nunit: A\nclarifying_questions:\n".to_owned();
        for n in 0..questions {
            // Two bytes a character: it is characters that are counted.
            writeln!(text, "  - {n:02}{}", "ü".repeat(length - 2)).unwrap();
        }
        writeln!(text, "---\n{}", "x".repeat(bytes)).unwrap();
        with(&text)
    };
    let largest = good(document(20, 500, 16_384).path());
    assert_eq!(largest.documents[0].questions.len(), 20);
    assert_eq!(largest.documents[0].content.len(), 16_384);
    one(document(21, 10, 1).path(), FILE, 4, "has 21 questions");
    one(document(1, 501, 1).path(), FILE, 5, "has 501 characters");
    one(document(1, 10, 16_385).path(), FILE, 7, "has 16385 bytes");
}

#[test]
fn the_demo_course_has_documents_of_both_kinds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let documents = good(&root).documents;
    for document in &documents {
        let languages: Vec<_> = document.questions_by_locale.keys().collect();
        assert_eq!(languages, ["de"]);
    }
    let kinds = documents
        .iter()
        .map(|d| (d.questions.is_empty(), d.requires_handoff));
    assert_eq!(kinds.collect::<Vec<_>>(), [(false, true), (false, false)]);
}
