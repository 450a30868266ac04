//! One pack for each kind of fault: file, line, message, and a remedy every time.

use crate::fixture::{COURSE, bad, good, list, one, pack, spoiled, write};

const UNITS: &str = "units/10-all.yaml";
const EXAMS: &str = "exams/10-all.yaml";

/// Replaces one text of the good pack and expects one fault.
#[track_caller]
fn check(name: &str, from: &str, to: &str, line: usize, says: &str) {
    let dir = spoiled(name, from, to);
    one(dir.path(), name, line, says);
}

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
    check("max_scoped_units: 0", "`max_scoped_units` cannot be `0`");
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
    check(
        UNITS,
        "[ENTRY-00]",
        &format!("{}A{}", "[".repeat(40), "]".repeat(40)),
        8,
        "nesting",
    );
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
        "'2 + 3'\n        hint: no\n        answer",
        18,
        "no key `hint`",
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
fn the_fields_of_a_question() {
    check(EXAMS, "    tier: bronze\n", "", 2, "no `tier`");
    check(
        EXAMS,
        "tier: bronze",
        "tier: platinum",
        4,
        "`tier` cannot be `platinum`",
    );
    check(
        EXAMS,
        "    units: [B]\n",
        "    units: [B, C]\n",
        12,
        "about `C`, which is no unit",
    );
    check(
        EXAMS,
        "    units: [B]\n",
        "    units: [B, B]\n",
        12,
        "names the unit `B` twice",
    );
    check(EXAMS, "answer: a", "answer: c", 10, "not an option's id");
    check(
        EXAMS,
        "{id: b, text: '9'}",
        "{id: a, text: '9'}",
        9,
        "option id `a` stands twice",
    );
    check(
        EXAMS,
        "{id: b, text: '9'}",
        "{id: b, text: '8'}",
        9,
        "option text `8` stands twice",
    );
    check(
        EXAMS,
        "{id: b, text: '9'}",
        "{id: b, text: ''}",
        9,
        "`text` is empty",
    );
    check(
        EXAMS,
        "      - {id: b, text: '9'}\n",
        "",
        7,
        "fewer than two options",
    );
    check(EXAMS, "    answer: 1.50\n", "", 11, "no `answer`");
    check(
        EXAMS,
        "id: B-B1",
        "id: A-B1",
        11,
        "question `A-B1` stands here a second time",
    );
    check(EXAMS, "questions:", "question:", 1, "no key `question`");
}

#[test]
fn a_question_about_nothing() {
    let dir = spoiled(EXAMS, "    units: [B]\n", "");
    let faults = bad(dir.path());
    assert_eq!(faults.len(), 2, "{}", list(&faults));
    assert!(faults[0].message.contains("names no unit") && faults[0].line == Some(11));
    assert!(faults[1].message.contains("no bronze question"));
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
fn a_unit_without_a_bronze_question() {
    let dir = spoiled(
        EXAMS,
        "tier: bronze\n    prompt: Work it out.\n    answer",
        "tier: silver\n    prompt: Work it out.\n    answer",
    );
    one(dir.path(), UNITS, 19, "`B` has no bronze question");
    let remedy = &bad(dir.path())[0].remedy;
    assert!(
        remedy.contains("tier: bronze") && remedy.contains("assessable: false"),
        "{remedy}"
    );
}

#[test]
fn a_unit_whose_bronze_questions_are_all_shared() {
    let dir = spoiled(EXAMS, "    units: [B]\n", "    units: [B, A]\n");
    one(
        dir.path(),
        UNITS,
        19,
        "every bronze question of the unit `B` is shared with another unit",
    );
    let remedy = &bad(dir.path())[0].remedy;
    assert!(remedy.contains("units: [B]"), "{remedy}");

    let own = "  - {id: B-B2, units: [B], tier: bronze, prompt: Again., answer: '2'}\n";
    let shared = std::fs::read_to_string(dir.path().join(EXAMS)).unwrap();
    write(dir.path(), EXAMS, shared + own);
    assert_eq!(good(dir.path()).questions[1].units, ["B", "A"]);
}

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
fn a_support() {
    let file = "support/A-B1.md";
    check(
        file,
        "question: A-B1",
        "question: A-B9",
        2,
        "no question `A-B9`",
    );
    check(
        file,
        "kind: memo",
        "kind: song",
        3,
        "`kind` cannot be `song`",
    );
    check(file, "Use your fingers.\n", "", 5, "no text");
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
fn all_faults_come_at_once_in_one_order() {
    let dir = spoiled(UNITS, "title: Sums", "titel: Sums");
    write(
        dir.path(),
        "exams/20-more.yaml",
        "questions:\n  - {id: Q 1, units: [Z], tier: tin, prompt: '', answer: 1}\n",
    );
    write(dir.path(), "references/none.md", "");
    let places: Vec<String> = bad(dir.path())
        .iter()
        .map(|f| {
            format!(
                "{}:{}",
                f.file.strip_prefix(dir.path()).unwrap().display(),
                f.line.unwrap()
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            "exams/20-more.yaml:2",
            "exams/20-more.yaml:2",
            "exams/20-more.yaml:2",
            "references/none.md:1",
            "units/10-all.yaml:5",
            "units/10-all.yaml:6",
        ]
    );
    assert_eq!(bad(dir.path()), bad(dir.path()));
}
