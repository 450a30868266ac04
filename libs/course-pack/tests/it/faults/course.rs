//! Faults of `course.yaml`.

use super::check;
use crate::fixture::{one, pack, write};

#[test]
fn the_course() {
    let file = "course.yaml";
    check(file, "format: 1", "format: 2", 1, "format `2`");
    check(file, "format: 1\n", "", 1, "no `format`");
    check(file, "id: tiny", "id: ti ny", 2, "not well formed");
    check(file, "title: A tiny course\n", "", 1, "no `title`");
    check(
        file,
        "title: A tiny course",
        "title: '  '",
        3,
        "`title` is empty",
    );
    check(
        file,
        "locale: en",
        "locale: english_us",
        4,
        "not a language tag",
    );
    check(
        file,
        "locale: en",
        "locale: [en]",
        4,
        "`locale` is text, but this is a list",
    );
    check(
        file,
        "locale: en",
        "locale: en\ncolour: red",
        5,
        "no key `colour`",
    );
    check(
        file,
        "entry_unit: ENTRY-00",
        "entry_unit: NOWHERE",
        5,
        "entry unit `NOWHERE`",
    );
    check(
        file,
        "locale: en",
        "locale: en\nlocale: de",
        5,
        "second time",
    );
}

#[test]
fn a_missing_or_empty_course_file() {
    let dir = pack();
    std::fs::remove_file(dir.path().join("course.yaml")).unwrap();
    one(dir.path(), "course.yaml", None, "no course.yaml");
    write(dir.path(), "course.yaml", "");
    one(dir.path(), "course.yaml", 1, "this is nothing");
    write(dir.path(), "course.yaml", "- a\n- b\n");
    one(dir.path(), "course.yaml", 1, "this is a list");
}

#[test]
fn the_policy_of_the_course() {
    let check = |to: &str, says: &str| {
        check(
            "course.yaml",
            "entry_unit: ENTRY-00",
            &format!("entry_unit: ENTRY-00\npolicy:\n  {to}"),
            7,
            says,
        );
    };
    check(
        "stuck_rule: sometimes",
        "`stuck_rule` cannot be `sometimes`",
    );
    check("prereq_walk: 2", "`prereq_walk` cannot be `2`");
    check("llm_grades: never", "`llm_grades` cannot be `never`");
    check("drills: none", "`drills` cannot be `none`");
    check("max_scoped_units: 2", "`max_scoped_units` cannot be `2`");
    check("max_scoped_units: 7", "`max_scoped_units` cannot be `7`");
    check("ready_streak: 2.5", "`ready_streak` cannot be `2.5`");
    check("ready_streak: -1", "`ready_streak` cannot be `-1`");
    check(
        "target_confidence: 1.1",
        "`target_confidence` cannot be `1.1`",
    );
    check(
        "target_confidence: .nan",
        "`target_confidence` cannot be `.nan`",
    );
    check("redy_streak: 2", "no key `redy_streak`");
}
