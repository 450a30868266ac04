//! What mathematics does not decide: programs, and answers that are handed over.

use turnwise_chat_reply::{Limits, Withheld, code_given, handed_over};

use crate::{STRICT, answer};

const PROGRAM: &str =
    "```python\nfor i in range(3):\n    print(i)\n    x = i\n    y = x\n    print(y)\n```";

#[test]
fn a_program_as_a_whole_is_withheld_where_the_lesson_asks_for_programs() {
    let limits = Limits {
        writes_programs: true,
        ..STRICT
    };
    let found = answer(&["write the loop for me"], PROGRAM.as_bytes(), &limits);
    assert_eq!(found.withheld, Some(Withheld::AnswerGiven));
    assert_eq!(found.violation, "code_given");
    assert!(found.text.contains("small pieces"), "{}", found.text);
    assert_eq!(
        answer(&["write the loop for me"], PROGRAM.as_bytes(), &STRICT).withheld,
        None
    );
}

#[test]
fn a_few_lines_are_an_example() {
    for (text, expected) in [
        (PROGRAM, true),
        (
            "Try:\n\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n",
            true,
        ),
        ("```\na\n\nb\n\nc\n\nd\n```", false),
        ("~~~\na\nb\nc\nd\ne", true),
        ("```\na\nb\n```\nthen\n```\nc\nd\ne\n```", false),
        ("1. First\n    a\n    b\n    c\n    d\n    e\n", false),
        ("No code at all.", false),
        // In pieces it is a program all the same.
        (
            "total = 0\nfor i in range(5):\n  n = int(input())\n  total += n\nmean = total / 5\nprint(mean)",
            true,
        ),
        (
            "1. `total = 0`\n2. `n = int(input())`\n3. `total += n`\n4. `n = 2`\n5. `m = 3`\n6. `print(total)`",
            true,
        ),
        ("a = 1; b = 2; c = a + b; d = c * 2; e = d; print(e)", true),
        (
            "```\na\nb\n```\nthen\n```\nc\nd\n```\nthen\n```\ne\nf\n```",
            true,
        ),
        (
            "Start with `total = 0`. If the loop ends, print it: what comes first?\nfor the loop, think of range(5).",
            false,
        ),
        ("First: x = 2.\nThen look at\ny = 3\nWhat is left?", false),
    ] {
        assert_eq!(code_given(text), expected, "{text}");
    }
}

#[test]
fn an_answer_that_is_handed_over_is_withheld() {
    for text in [
        "The answer is Paris.",
        "The correct answer is B.",
        "**Answer:** the mitochondrion",
        "Here is your essay: Rome was founded long ago.",
        "Here's the full solution to your homework.",
        "Here you go, the finished summary of the chapter.",
        "You can copy this into your notebook.",
        "Just hand in the following.",
        "I've written your report for you.",
        "I have solved it all for you.",
        "Die Lösung lautet Bern.",
        "Die richtige Antwort ist B.",
        "Lösung: 12 Äpfel",
        "Das Ergebnis beträgt zwölf Äpfel.",
        "Hier ist dein Aufsatz über Rom.",
        "Hier hast du die fertige Zusammenfassung.",
        "Schreib das einfach ab.",
        "Du kannst das so abgeben.",
        "Ich habe dir den Text geschrieben.",
    ] {
        assert!(handed_over(text), "{text}");
        let found = answer(&["do it for me"], text.as_bytes(), &STRICT);
        // Some are withheld before, for what else they sound like.
        assert!(found.withheld.is_some(), "{text}");
    }
    for text in [
        "The answer is not Paris.",
        "What is the answer?",
        "I can't give you the answer, but I can help.",
        "The answer is in the second paragraph.",
        "The answer is up to you.",
        "Do you know what the answer is?",
        "Check whether the answer is B.",
        "Your answer is right.",
        "Here is a hint for your essay.",
        "Here is a question about the text.",
        "Don't copy this.",
        "Die Antwort ist nicht Bern.",
        "Was ist die Lösung?",
        "Wie lautet die Antwort?",
        "Die Lösung ist im Text versteckt.",
        "Deine Antwort ist richtig.",
        "Hier ist ein Tipp für deinen Aufsatz.",
        "Schreib auf, was du schon weißt.",
        "Du kannst das schon.",
        "Prüfe, ob die Lösung stimmt.",
    ] {
        assert!(!handed_over(text), "{text}");
    }
}

#[test]
fn a_mistake_in_the_students_own_working_frees_nothing() {
    for said in [
        "I divided 3x + 5 = 20 by 3 and got x + 5 = 6.67, where is my mistake?",
        "Ich habe 3x + 5 = 20 durch 3 geteilt und x + 5 = 6,67 bekommen, wo ist mein Fehler?",
        "Aus 3x + 5 = 20 habe ich 3x = 25 gemacht, stimmt das?",
    ] {
        for leak in [
            "x = 5",
            "You should get x = 5 in the end.",
            "Am Ende ist x gleich 5.",
        ] {
            let found = answer(&[said], leak.as_bytes(), &STRICT);
            assert_eq!(
                found.withheld,
                Some(Withheld::AnswerGiven),
                "{said}: {leak}"
            );
        }
    }
}
