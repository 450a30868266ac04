//! Limits of a reply: its texts, its cards, its lists.

use super::*;

#[test]
fn a_reply_that_says_nothing_is_refused() {
    for text in ["", "   ", "\n\t", "\u{a0}"] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| r["tutor_text"] = json!(text),
            "empty_message",
        );
    }
}

#[test]
fn texts_are_bounded() {
    for (chars, expected) in [(2200, "accepted"), (2201, "limits_exceeded")] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| r["tutor_text"] = json!("ü".repeat(chars)),
            expected,
        );
    }
    check(
        plain_policy,
        DrillCard,
        |r| r["drill_card"]["prompt"] = json!("x".repeat(601)),
        "limits_exceeded",
    );
}

#[test]
fn damaged_latex_is_refused() {
    // `\frac` with a single backslash, as JSON reads it.
    check(
        plain_policy,
        DrillCard,
        |r| r["drill_card"]["question_latex"] = json!("\u{c}rac{1}{2}"),
        "schema_violation",
    );
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["tutor_text"] = json!("Hello\u{0}"),
        "schema_violation",
    );
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["tutor_text"] = json!("Two lines.\n\tWhat next?"),
        "accepted",
    );
}

#[test]
fn more_than_two_questions_are_refused() {
    for (text, expected) in [
        ("Think about it.", "accepted"),
        ("Why?", "accepted"),
        ("Why? How?", "accepted"),
        ("Why? How? When?", "limits_exceeded"),
        ("为什么？怎么？何时？", "limits_exceeded"),
    ] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| r["tutor_text"] = json!(text),
            expected,
        );
    }
    check(
        plain_policy,
        DrillCard,
        |r| r["tutor_text"] = json!("Ready? Sure? Go?"),
        "accepted",
    );
}

#[test]
fn concept_cards_are_bounded() {
    let ideas = |count: usize, words: usize| json!(vec![vec!["word"; words].join(" "); count]);
    for (key_ideas, expected) in [
        (ideas(3, 20), "accepted"),
        (ideas(4, 1), "limits_exceeded"),
        (ideas(0, 1), "schema_violation"),
        (ideas(1, 170), "limits_exceeded"),
        (json!(["  "]), "schema_violation"),
        (json!([1]), "schema_violation"),
    ] {
        check(
            stuck_policy,
            ConceptCard,
            |r| r["concept_card"]["key_ideas"] = key_ideas,
            expected,
        );
    }
    let exact = |words: usize| json!({"key_ideas": [vec!["a"; words - 60].join(" "), vec!["a"; 60].join(" ")]});
    for (words, expected) in [(170, "accepted"), (171, "limits_exceeded")] {
        check(
            stuck_policy,
            ConceptCard,
            |r| r["concept_card"] = exact(words),
            expected,
        );
    }
}

#[test]
fn a_course_may_forbid_worked_examples() {
    let course = course_with(|spec| spec.rules.max_worked_examples = 0);
    let policy = stuck_policy(&course);
    let mut reply = reply(&policy, ConceptCard);
    assert_eq!(verdict(&course, &policy, &reply), "limits_exceeded");
    reply["concept_card"]
        .as_object_mut()
        .unwrap()
        .remove("worked_example");
    assert_eq!(verdict(&course, &policy, &reply), "accepted");
}

#[test]
fn a_drill_is_short() {
    for (prompt, latex, expected) in [
        ("Solve.", "2x = 4", "accepted"),
        (
            "A shirt costs 20 euro. What is half of that?",
            "",
            "accepted",
        ),
        ("Solve.", "x + y = 3 \\\\ x - y = 1", "limits_exceeded"),
        ("Solve.", "x = 1\ny = 2", "limits_exceeded"),
        ("Do a) 1+1 and b) 2+2", "", "limits_exceeded"),
        ("Work out:", "1+2+3+4+5+6+7+8+9+10", "limits_exceeded"),
        ("What is x? And what is y?", "x + y", "limits_exceeded"),
    ] {
        check(
            plain_policy,
            DrillCard,
            |r| r["drill_card"] = json!({"prompt": prompt, "question_latex": latex}),
            expected,
        );
    }
}

#[test]
fn lists_of_units_are_bounded() {
    let unit = json!({"unit_id": "A", "confidence": 0.1});
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["mapped_units"] = json!(vec![unit; 7]),
        "limits_exceeded",
    );
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["turn_analysis"]["suggested_prereq_units"] = json!(vec!["A"; 7]),
        "limits_exceeded",
    );
}
