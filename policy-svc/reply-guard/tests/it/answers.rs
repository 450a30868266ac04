//! The answer of the exercise that the student works on.

use turnwise_reply_guard::{Context, Form, OpenDrill, Reason};

use crate::{nothing_known, withheld};

fn judged(open: OpenDrill<'_>, text: &str) -> Option<Reason> {
    let context = Context {
        open_drill: Some(open),
        ..nothing_known()
    };
    withheld(text, Form::Prose, &context)
}

const SUM: OpenDrill<'_> = OpenDrill {
    prompt: "Work out the value.",
    question_latex: "-17 + 29",
    key: None,
    said: "",
};
const EQUATION: OpenDrill<'_> = OpenDrill {
    prompt: "Solve for x.",
    question_latex: "x + 7 = 12",
    key: Some("5"),
    said: "is it 4?",
};

#[test]
fn the_answer_is_withheld_however_it_is_told() {
    for (open, text) in [
        (SUM, "The answer is 12."),
        (SUM, "It is twelve, just type it."),
        (SUM, "-17 + 29 = 12"),
        (SUM, "$29 - 17 = 12$, so write it down."),
        (SUM, "Es ist zwölf."),
        (SUM, "Count on: 10, 11, 12."),
        (EQUATION, "x = 5"),
        (EQUATION, "So $x=5$."),
        (EQUATION, "x is five."),
        (EQUATION, "12 - 7 = 5"),
        (EQUATION, "Take 7 away: x = 12 - 7 = 5."),
        (EQUATION, "The solution is fünf."),
    ] {
        assert_eq!(judged(open, text), Some(Reason::AnswerGiven), "{text}");
    }
}

#[test]
fn a_hint_is_no_answer() {
    for (open, text) in [
        (SUM, "Where is -17 on the number line?"),
        (SUM, "What is bigger, 17 or 29?"),
        (SUM, "Step 12: look at the signs."),
        (EQUATION, "What undoes adding 7?"),
        (
            EQUATION,
            "You have x + 7 = 12. What do you do with both sides?",
        ),
        (EQUATION, "You said 4. Put it in: what is 4 + 7?"),
        (EQUATION, "One of them is left. What is that one?"),
    ] {
        assert_eq!(judged(open, text), None, "{text}");
    }
}

#[test]
fn what_the_student_said_is_no_news() {
    let open = OpenDrill {
        said: "I think it is 5",
        ..EQUATION
    };
    assert_eq!(judged(open, "Why do you think that it is 5?"), None);
}
