//! Files that cannot be read at all.

use super::{EXAMS, UNITS, check};
use crate::fixture::{bad, list, one, pack, spoiled, write};

#[test]
fn yaml_that_cannot_be_read() {
    check(UNITS, "    title: Sums", "    title: 'Sums", 7, "not YAML");
    check(
        UNITS,
        "    title: Sums",
        "    title: Sums: more",
        6,
        "not YAML",
    );
    check(UNITS, "    title: Sums", "  \ttitle: Sums", 5, "not YAML");
    check(
        EXAMS,
        "    tier: bronze",
        "    tier: *bronze",
        4,
        "not YAML",
    );
    check(
        EXAMS,
        "    tier: bronze",
        "    tier: &b bronze",
        4,
        "anchors",
    );
    check(EXAMS, "    tier: bronze", "    tier: !t bronze", 4, "tags");
    check(
        EXAMS,
        "questions:",
        "a: 1\n---\nquestions:",
        2,
        "second YAML document",
    );
}

#[test]
fn nesting_is_read_as_deep_as_it_may_be() {
    // The file, its units and the unit are three of the levels.
    let nested = |levels: usize| {
        let lists = levels - 3;
        format!("{}A{}", "[".repeat(lists), "]".repeat(lists))
    };
    let deepest = spoiled(UNITS, "[ENTRY-00]", &nested(32));
    one(
        deepest.path(),
        UNITS,
        8,
        "`prerequisites` is text, but this is a list",
    );
    check(UNITS, "[ENTRY-00]", &nested(33), 8, "32 levels of nesting");
}

#[test]
fn a_syntax_error_hides_only_what_rests_on_the_file() {
    let dir = spoiled(UNITS, "title: Sums", "title: 'Sums");
    write(dir.path(), "references/Bad Name.md", "text");
    let faults = bad(dir.path());
    assert_eq!(faults.len(), 2, "{}", list(&faults));
}

#[test]
fn text_that_is_not_utf8() {
    let dir = pack();
    write(dir.path(), EXAMS, b"questions:\n  - id: \xff\n".as_slice());
    one(dir.path(), EXAMS, 2, "not UTF-8");
}
