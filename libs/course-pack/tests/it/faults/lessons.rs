//! Faults of lessons and references.

use super::check;
use crate::fixture::{COURSE, good, one, pack, write};

#[test]
fn a_lesson() {
    let file = "content/a.md";
    check(file, "unit: A", "unit: C", 2, "about `C`, which is no unit");
    check(file, "source: lesson-a\n", "", 2, "no `source`");
    check(
        file,
        "type: text",
        "type: film",
        4,
        "`type` cannot be `film`",
    );
    check(
        file,
        "reference: sums",
        "reference: products",
        7,
        "no reference `products`",
    );
    check(
        file,
        "reference: sums",
        "refrence: sums",
        7,
        "no key `refrence`",
    );
    check(
        file,
        "---\nunit",
        "unit",
        1,
        "does not begin with front matter",
    );
    check(file, "\n---\n# Sums", "\n# Sums", 1, "does not end");
    check(file, "# Sums\n", "Sums first.\n", 9, "before the first");
    check(file, "Put together.\n", "", 11, "has no text");
    check(
        file,
        "{#a-c1 .explanation}",
        "{#a/c1}",
        11,
        "`a/c1` is not well formed",
    );
    check(
        file,
        "## How to add",
        "## How to add {#a-c1}",
        15,
        "chunk `a-c1` stands here a second time",
    );
    check(file, "Count on.", "```\n## Count", 17, "never closed");
}

#[test]
fn a_reference() {
    let dir = pack();
    write(dir.path(), "references/Sums Two.md", "text");
    one(
        dir.path(),
        "references/Sums Two.md",
        None,
        "reference's key",
    );
    let dir = pack();
    write(dir.path(), "references/empty.md", "\n");
    one(dir.path(), "references/empty.md", 1, "empty");
    let dir = pack();
    write(dir.path(), "references/long.md", "x".repeat(65_536));
    assert_eq!(good(dir.path()).references.len(), 2);
    write(dir.path(), "references/long.md", "x".repeat(65_537));
    one(dir.path(), "references/long.md", 1, "has 65537 bytes");
}

#[test]
fn the_reference_of_a_course_or_a_lesson() {
    let dir = pack();
    write(
        dir.path(),
        "course.yaml",
        format!("{COURSE}reference: sum\n"),
    );
    one(dir.path(), "course.yaml", 6, "no reference `sum`");
    write(
        dir.path(),
        "course.yaml",
        format!("{COURSE}reference: sums\nhelper_reference: sums\n"),
    );
    one(dir.path(), "course.yaml", 7, "are one key");
    check(
        "content/a.md",
        "reference: sums",
        "helper_reference: products",
        7,
        "no reference `products`",
    );
}

#[test]
fn what_a_lesson_says_to_the_helper() {
    let with = |line: &str, says: &str| {
        let front = format!("reference: sums\n{line}");
        check("content/a.md", "reference: sums", &front, 8, says);
    };
    with("helper_allowed_topics: [sums]", "are one key");
    with("helper_topic_synonyms: [adding]", "this is a list");
    with(
        "helper_topic_synonyms: {adding: plus}",
        "`adding` is a list",
    );
    with("helper_topic_synonyms: {ading: [plus]}", "no such topic");
    with("helper_redirect: ''", "`helper_redirect` is empty");
    with(
        &format!("helper_redirect: {}", "x".repeat(501)),
        "has 501 characters",
    );
    with("helper_check_question: Tell me why.", "not one question");
    with("helper_check_question: Why? How?", "not one question");
    with(
        &format!("helper_check_question: {}?", "x".repeat(300)),
        "has 301 characters",
    );
    let words = |count: usize| vec!["plus"; count].join(", ");
    with(
        &format!("helper_topic_synonyms: {{adding: [{}]}}", words(201)),
        "more than 200 synonyms",
    );
    let topics = format!("allowed_topics: [{}]", words(51));
    check(
        "content/a.md",
        "allowed_topics: [adding]",
        &topics,
        6,
        "has 51 topics",
    );
    let long = format!("allowed_topics: [{}]", "x".repeat(101));
    check(
        "content/a.md",
        "allowed_topics: [adding]",
        &long,
        6,
        "has 101 characters",
    );
}
