//! Markdown is made plain, and mathematics is left.

use turnwise_reply_guard::plain_text;

#[test]
fn marks_go_and_what_they_mark_stays() {
    for (text, plain) in [
        ("Look at the **sign** again.", "Look at the sign again."),
        ("The ***last* step**", "The last step"),
        (
            "An *inverse* operation, or _undoing_.",
            "An inverse operation, or undoing.",
        ),
        (
            "## Try this\nWhat comes first?",
            "Try this\nWhat comes first?",
        ),
        ("> Undo the last step.", "Undo the last step."),
        ("* one\n* two", "• one\n• two"),
        ("```text\nx = 4\n```", "x = 4"),
        ("Write `x = 4` here.", "Write x = 4 here."),
        ("One.\n\n---\n\nTwo.", "One.\n\n\nTwo."),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "| a | b |\n| 1 | 2 |"),
        ("__Now__ you, ~~not~~ I.", "Now you, not I."),
        ("(**bold**)", "(bold)"),
    ] {
        assert_eq!(plain_text(text), plain, "{text}");
    }
}

#[test]
fn mathematics_and_plain_texts_are_left() {
    for text in [
        "What undoes adding 3?",
        "2*x*3 is 6x",
        "2 * x * 3",
        "2**3 = 8 and 3**2 = 9",
        "2 ** 3",
        "a_1 and a_2, x_{10}",
        "$a_1 * b_1$",
        "> 3",
        "- 3x + 4",
        "* ",
        "***",
        "5 - 3",
        "#1 of 2",
        "snake_case_name",
        "a -- b",
        "",
    ] {
        assert_eq!(plain_text(text), text);
    }
}

#[test]
fn a_long_row_of_marks_takes_no_time_to_speak_of() {
    for mark in ["*", "**a ", "_", "`", "* ", "~~", "#"] {
        let text = mark.repeat(20_000);
        let once = plain_text(&text).into_owned();
        assert!(once.len() <= text.len() + 2, "{mark}");
    }
}
