//! Faults of exam questions, what each unit needs of them, and their help.

use super::{EXAMS, UNITS, check};
use crate::fixture::{bad, good, list, one, spoiled, write};

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

    // A unit without badges takes no pass away.
    let dir = spoiled(EXAMS, "    units: [B]\n", "    units: [B, ENTRY-00]\n");
    good(dir.path());
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
