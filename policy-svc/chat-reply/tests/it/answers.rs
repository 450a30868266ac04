//! Answers, whatever came of the model.

use turnwise_chat_reply::{Limits, Outcome, Withheld};

use crate::{LIGHT, STRICT, answer, outcome};

const SAID: &[&str] = &["how do I solve 2x+3=11"];

#[test]
fn a_hint_is_read_as_it_is() {
    let hint = "Subtract 3 from both sides: 2x = 8. What now?";
    let found = answer(SAID, hint.as_bytes(), &STRICT);
    assert_eq!(
        (found.text.as_str(), found.withheld, found.violation),
        (hint, None, "")
    );
}

#[test]
fn a_solution_is_withheld_in_strict_mode_alone() {
    let given = "Take 3 away and halve: x = 4.";
    let found = answer(SAID, given.as_bytes(), &STRICT);
    assert_eq!(found.withheld, Some(Withheld::AnswerGiven));
    assert_eq!(found.violation, "answer_given");
    assert!(found.text.contains("2x+3=11"), "{}", found.text);
    let german = Limits {
        locale: "de-CH",
        ..STRICT
    };
    let found = answer(SAID, given.as_bytes(), &german);
    assert!(
        found.text.starts_with("Du arbeitest an 2x+3=11."),
        "{}",
        found.text
    );
    let found = answer(SAID, given.as_bytes(), &LIGHT);
    assert_eq!(found.withheld, None);
    assert_eq!(found.text, format!("{given}\n\nCan you say why?"));
    assert_eq!(found.observations, ["check_question_added"]);
}

#[test]
fn an_answer_keeps_its_own_question() {
    for own in ["x = 4. Why is that so?", "Siehst du, **warum?** x = 4."] {
        assert_eq!(answer(SAID, own.as_bytes(), &LIGHT).text, own);
    }
    let formula = "Fill in: $3 + ? = 7$.";
    assert!(
        answer(SAID, formula.as_bytes(), &LIGHT)
            .text
            .ends_with("Can you say why?")
    );
}

#[test]
fn what_no_student_should_read_is_withheld_in_any_mode() {
    for limits in [STRICT, LIGHT] {
        for (text, violation) in [
            ("You are stupid.", "insult"),
            ("See www.example.com for it.", "address"),
            ("<script>alert(1)</script>", "markup"),
            ("hidden\u{202e} text", "invisible_text"),
        ] {
            let found = answer(SAID, text.as_bytes(), &limits);
            assert_eq!(found.withheld, Some(Withheld::UnsafeMessage), "{text}");
            assert_eq!(found.violation, violation);
            assert!(found.text.starts_with("I can't say that here."));
        }
    }
}

#[test]
fn false_mathematics_gives_way_to_a_hint() {
    let found = answer(SAID, b"So 1/4 + 1/3 = 2/9.", &LIGHT);
    assert_eq!(found.withheld, Some(Withheld::FalseMathematics));
    assert_eq!(found.violation, "false_mathematics");
    assert!(found.text.contains("2x+3=11"), "{}", found.text);
    let found = answer(SAID, b"So 1/4 + 1/3 = 7/12. Why?", &LIGHT);
    assert_eq!(found.withheld, None);
}

#[test]
fn nothing_said_is_a_hint() {
    for nothing in ["", " \n\t", "\u{0}\u{7}", "[7]"] {
        let found = answer(SAID, nothing.as_bytes(), &LIGHT);
        assert_eq!((found.violation, found.withheld), ("empty", None));
        assert!(found.text.contains("both sides"), "{}", found.text);
    }
    let found = answer(&["help"], b"", &STRICT);
    assert!(found.text.contains("step by step"), "{}", found.text);
}

#[test]
fn characters_that_steer_a_terminal_are_left_out() {
    let found = answer(SAID, b"What\x07 comes\x1b first?\r\nSay it.", &STRICT);
    assert_eq!(found.text, "What comes first?\nSay it.");
}

#[test]
fn citations_are_of_sources() {
    let limits = Limits {
        source_count: 3,
        ..STRICT
    };
    for (text, expected, cited, removed) in [
        (
            "Look at the rule [2] and [1].",
            "Look at the rule [2] and [1].",
            vec![2, 1],
            false,
        ),
        (
            "The rule [2][9] says so [2].",
            "The rule [2] says so [2].",
            vec![2],
            true,
        ),
        ("As shown [1, 7].", "As shown [1].", vec![1], true),
        ("As shown [7].", "As shown.", vec![], true),
        (
            "As shown [1, 2][3].",
            "As shown [1, 2][3].",
            vec![1, 2, 3],
            false,
        ),
        (
            "All of $[7, 9]$ and \\([8, 9]\\).",
            "All of $[7, 9]$ and \\([8, 9]\\).",
            vec![],
            false,
        ),
        (
            "All of the interval [7, 9].",
            "All of the interval [7, 9].",
            vec![],
            false,
        ),
        ("All x ∈ [7, 9].", "All x ∈ [7, 9].", vec![], false),
        ("Look at `list[7]`.", "Look at `list[7]`.", vec![], false),
        ("Look at a[9] here.", "Look at a[9] here.", vec![], false),
        ("So it is alike[9].", "So it is alike.", vec![], true),
        ("As shown [1-3].", "As shown [1-3].", vec![1, 2, 3], false),
        ("As shown [2–9].", "As shown [2, 3].", vec![2, 3], true),
        (
            "So says [Source 1], so does [Quelle 9].",
            "So says [Source 1], so does.",
            vec![1],
            true,
        ),
        ("No [99999999999999999999].", "No.", vec![], true),
    ] {
        let found = answer(&["hello"], text.as_bytes(), &limits);
        assert_eq!(found.text, expected);
        assert_eq!(found.cited, cited, "{text}");
        assert_eq!(
            found.observations.contains(&"citation_removed"),
            removed,
            "{text}"
        );
    }
}

#[test]
fn a_long_answer_is_cut_where_it_hurts_least() {
    let limits = Limits {
        max_chars: 200,
        ..STRICT
    };
    let sentence = "Think about what the unknown is multiplied by, and undo that. ";
    let found = answer(&["hello"], sentence.repeat(9).as_bytes(), &limits);
    assert!(
        found.truncated && found.text.ends_with("undo that."),
        "{}",
        found.text
    );
    let words = "word ".repeat(90);
    let found = answer(&["hello"], words.as_bytes(), &limits);
    assert!(
        found.truncated && found.text.ends_with("word…"),
        "{}",
        found.text
    );
    let one = "ä".repeat(500);
    let found = answer(&["hello"], one.as_bytes(), &limits);
    assert_eq!(found.text.chars().count(), 200);
    let formula = format!(
        "{}${} = y$ and so on",
        "word ".repeat(30),
        "x + ".repeat(30)
    );
    let found = answer(&["hello"], formula.as_bytes(), &limits);
    assert!(found.text.ends_with("word…"), "{}", found.text);
    let found = answer(
        &["hello"],
        words.as_bytes(),
        &Limits {
            max_chars: 200,
            ..LIGHT
        },
    );
    assert!(
        found.text.ends_with("word…\n\nCan you say why?"),
        "{}",
        found.text
    );
    assert!(found.text.chars().count() <= 200);
}

#[test]
fn what_is_left_after_a_cut_is_judged_again() {
    // Cut before its last digit, a number becomes the solution.
    let limits = Limits {
        max_chars: 200,
        ..STRICT
    };
    let text = format!("{}x=4{}", "ab".repeat(98), "1".repeat(40));
    let found = answer(SAID, text.as_bytes(), &limits);
    assert!(!found.text.contains("x=4"), "{}", found.text);
}

#[test]
fn without_a_model_a_hint_or_the_reference_answers() {
    let limits = Limits {
        reference: "Equations are balanced.\n\nWhat you do on one side you do on the other.",
        ..STRICT
    };
    let found = outcome(SAID, Outcome::Off, &limits);
    assert!(found.text.contains("both sides") && found.withheld.is_none());
    let found = outcome(&["what is an equation"], Outcome::Off, &limits);
    assert!(
        found.text.ends_with(limits.reference) && !found.truncated,
        "{}",
        found.text
    );
    let long = format!("{}\n\n{}", "First. ".repeat(10), "Second. ".repeat(50));
    let limits = Limits {
        reference: &long,
        max_chars: 200,
        ..STRICT
    };
    let found = outcome(&["what is an equation"], Outcome::Off, &limits);
    assert!(
        found.truncated && found.text.ends_with("First."),
        "{}",
        found.text
    );
    assert_eq!(
        outcome(&["what is an equation"], Outcome::Off, &STRICT).text,
        ""
    );
}
