//! Faults of units, their drills and their graph.

use super::{UNITS, check};
use crate::fixture::{COURSE, bad, list, one, spoiled, write};

#[test]
fn the_fields_of_a_unit() {
    check(UNITS, "  - id: B\n    title", "  - title", 19, "no `id`");
    check(
        UNITS,
        "    title: Sums",
        "    titel: Sums\n    title: Sums",
        6,
        "no key `titel`",
    );
    check(UNITS, "    title: Sums\n", "", 5, "no `title`");
    check(
        UNITS,
        "summary: Adding numbers.",
        "summary: ''",
        7,
        "`summary` is empty",
    );
    check(
        UNITS,
        "summary: Adding numbers.",
        "summary:",
        7,
        "`summary` is empty",
    );
    check(
        UNITS,
        "assessable: false",
        "assessable: maybe",
        4,
        "`assessable` cannot be `maybe`",
    );
    check(
        UNITS,
        "      - add two numbers",
        "      - {add: two}",
        10,
        "`anchors` is text",
    );
    check(
        UNITS,
        "      - add two numbers",
        "      - ''",
        10,
        "`anchors` is empty",
    );
    check(
        UNITS,
        "prerequisites: [ENTRY-00]",
        "prerequisites: ENTRY-00",
        8,
        "`prerequisites` is a list",
    );
    check(
        UNITS,
        "id: off_by_one",
        "id: off by one",
        12,
        "not well formed",
    );
    check(
        UNITS,
        "        meaning: One too many or too few.\n",
        "",
        12,
        "no `meaning`",
    );
    check(
        UNITS,
        "      - id: off_by_one\n",
        "      - {id: off_by_one, meaning: Twice.}\n      - id: off_by_one\n",
        13,
        "stands twice",
    );
}

#[test]
fn the_fields_of_a_drill() {
    check(UNITS, "        answer: '5'\n", "", 15, "no `answer`");
    check(UNITS, "'2 + 3'", "'x = 2y = 6'", 17, "2 equals signs");
    check(
        UNITS,
        "'2 + 3'\n        answer",
        "'2 + 3'\n        note: no\n        answer",
        18,
        "no key `note`",
    );
    check(
        UNITS,
        "prompt: Work it out.",
        "prompt: ' '",
        16,
        "`prompt` is empty",
    );
    check(
        UNITS,
        "prerequisites: [ENTRY-00, A]",
        "prerequisites: [ENTRY-00, A]\n    drills:\n      - {id: A-D1, prompt: Again., answer: 1}",
        23,
        "drill `A-D1` stands here a second time",
    );
}

#[test]
fn the_graph() {
    let last = "[ENTRY-00, A]";
    check(
        UNITS,
        last,
        "[ENTRY-00, NOPE]",
        21,
        "`NOPE`, which is no unit",
    );
    check(UNITS, last, "[ENTRY-00, B]", 21, "prerequisite of itself");
    check(
        UNITS,
        last,
        "[ENTRY-00, A, ENTRY-00]",
        21,
        "`ENTRY-00` twice",
    );
    check(
        UNITS,
        last,
        "[]",
        19,
        "cannot be reached from the entry unit `ENTRY-00`",
    );
    check(
        UNITS,
        last,
        "[ENTRY-00, A]\n  - {id: C, title: Products, assessable: false, prerequisites: [NOPE]}",
        22,
        "`NOPE`, which is no unit",
    );
    check(
        UNITS,
        "prerequisites: [ENTRY-00]",
        "prerequisites: [ENTRY-00, B]",
        8,
        "circle: A → B → A",
    );
    check(
        UNITS,
        "assessable: false",
        "assessable: false\n    prerequisites: [B]",
        5,
        "circle: ENTRY-00 → B → ENTRY-00",
    );
}

#[test]
fn a_course_without_units() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "course.yaml", COURSE);
    one(dir.path(), "course.yaml", 5, "the course has no units");
    write(dir.path(), UNITS, "units: []\n");
    one(dir.path(), "course.yaml", 5, "the course has no units");
    let remedy = &bad(dir.path())[0].remedy;
    assert!(
        remedy.contains("units/") && remedy.contains("ENTRY-00"),
        "{remedy}"
    );
    write(dir.path(), UNITS, "units:\n");
    one(dir.path(), UNITS, 1, "`units` has no value");
}

#[test]
fn a_repeated_unit() {
    let dir = spoiled(UNITS, "units:\n", "units:\n  - {id: B, title: Early}\n");
    let faults = bad(dir.path());
    let repeated: Vec<_> = faults
        .iter()
        .filter(|f| f.message.contains("unit `B` stands here a second time"))
        .collect();
    assert_eq!(
        (repeated.len(), repeated[0].line),
        (1, Some(20)),
        "{}",
        list(&faults)
    );
    assert!(repeated[0].message.contains("10-all.yaml:2)"));
}

#[test]
fn every_repeated_mistake_tag_is_told_with_the_first() {
    let list: String = "abacab"
        .chars()
        .map(|id| format!("\n      - {{id: {id}, meaning: Wrong.}}"))
        .collect();
    let dir = spoiled(
        UNITS,
        "    mistake_tags:\n      - id: off_by_one\n        meaning: One too many or too few.",
        &format!("    mistake_tags:{list}"),
    );
    let told: Vec<_> = bad(dir.path())
        .into_iter()
        .map(|fault| (fault.line.unwrap(), fault.message))
        .collect();
    let again = |id: &str, first: usize| {
        format!("the mistake tag `{id}` stands twice in this unit (first on line {first})")
    };
    assert_eq!(
        told,
        [
            (14, again("a", 12)),
            (16, again("a", 12)),
            (17, again("b", 13))
        ]
    );
}

#[test]
fn a_drill_that_a_lesson_solves() {
    for (drill, lesson, says) in [
        ("'2 + 3'", "So $2 + 3 = 5$.", true),
        ("'2 + 3'", "Is $2+3$ more?", true),
        ("'2 + 3'", "So $12 + 3 = 15$, and $2 + 31 = 33$.", false),
        ("'2(x + 3) = 8'", "Solve $2\\left(x+3\\right) = 8$.", true),
        ("'2(x + 3) = 8'", "Solve $2(x+3) = 9$.", false),
        ("'(1, 2),\\ (4, 11)'", "Take $(1, 2)$ and $(4, 11)$.", true),
        ("'(1, 2),\\ (4, 11)'", "Take $(1, 2)$ and $(4, 12)$.", false),
        (
            "'\\text{6 pens cost } 9'",
            "Here six pens cost $9$ euros in all.",
            false,
        ),
        (
            "'\\text{6 pens cost 9 euros}'",
            "Here six pens cost $9$ euros in all.",
            true,
        ),
        (
            "'\\text{slope } 3 \\text{ through } (2, 10)'",
            "The slope is $3$, and it passes through $(2, 10)$.",
            true,
        ),
    ] {
        let dir = spoiled(UNITS, "'2 + 3'", drill);
        write(
            dir.path(),
            "content/a.md",
            crate::fixture::LESSON.replace("Count on.", lesson),
        );
        if says {
            one(
                dir.path(),
                UNITS,
                15,
                "the drill `A-D1` is solved in a lesson",
            );
        } else {
            crate::fixture::good(dir.path());
        }
    }
}

/// The good pack with these lines in the place of A's mistake tags.
fn taught(lines: &[&str]) -> tempfile::TempDir {
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    spoiled(
        "units/10-all.yaml",
        "    mistake_tags:\n      - id: off_by_one\n        meaning: One too many or too few.\n",
        &lines,
    )
}

#[test]
fn what_a_tutor_teaches_with() {
    let long = "long ".repeat(101);
    for (lines, below, says) in [
        (
            vec!["misconceptions:", "  - question: Why?"],
            1,
            "no `text`",
        ),
        (
            vec![
                "misconceptions:",
                "  - text: Wrong.",
                "    question: Say why.",
            ],
            2,
            "this question has 0 question marks",
        ),
        (
            vec![
                "misconceptions:",
                "  - text: Wrong.",
                "    question: A? B? C?",
            ],
            2,
            "this question has 3 question marks",
        ),
        (
            vec![
                "mistake_tags:",
                "  - id: a",
                "    meaning: b",
                "    feedback: []",
            ],
            3,
            "`feedback` is text",
        ),
        (vec!["key_idea: {text: Put together.}"], 0, "no `chunk`"),
        (
            vec!["key_idea:", "  chunk: a-c1", &format!("  text: {long}")],
            2,
            "more than 500",
        ),
        (
            vec!["key_idea: {text: Put together., chunk: b-c1}"],
            0,
            "the key idea of `A` stands in `b-c1`, which is no section of its lesson",
        ),
    ] {
        let dir = taught(&lines);
        one(dir.path(), "units/10-all.yaml", 11 + below, says);
    }
}
