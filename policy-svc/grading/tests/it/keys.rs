//! Answers against keys: the value in any form, and never a copy of the question.

use turnwise_grading::{Drill, Verdict, grade};

const R: Verdict = Verdict::Right;
const W: Verdict = Verdict::Wrong;
const C: Verdict = Verdict::CannotTell;

/// The verdict by the key alone: nothing is known of the exercise.
fn by_key(key: &str, answer: &str) -> Verdict {
    let drill = Drill {
        prompt: "",
        question_latex: "",
        key: Some(key),
    };
    grade(&drill, answer).verdict
}

#[test]
fn the_value_counts_in_any_form() {
    for (key, answer, expected) in [
        ("5/7", "10/14", R),
        ("5/7", "0.714", C),
        ("0.5", "1/2", R),
        ("0.5", "50%", R),
        ("5%", "5", C),
        ("18n+21", "3(6n+7)", R),
        ("18n+21", "18n+12", W),
        ("8*x", "8x", R),
        ("x = 4", "4", R),
        ("x = 4", "x=8/2", R),
        ("x = 4", "4 = x", R),
        ("x = 4", "y = 4", C),
        ("x = 4", "2x = 8", C),
        ("4", "x = 5", W),
        ("2, -3", "-3 and 2", R),
        ("2, -3", "2", W),
        ("x=2, y=3", "y=3, x=2", R),
        ("x=2, y=3", "x=3, y=2", W),
        ("(2, 3)", "(2,3)", R),
        ("(2, 3)", "(3, 2)", W),
        ("(3, \\infty)", "x > 3", R),
        ("x > 3", "3 < x", R),
        ("x > 3", "x >= 3", W),
        ("y = \\frac{2}{5}x - 1", "2x - 5y = 5", R),
        ("y = 2x + 1", "y = 2x - 1", W),
        ("y = 2x + 1", "-2x + y - 1 = 0", R),
        ("5 cm", "50 mm", R),
        ("5 cm", "5 mm", W),
        ("5 cm", "5", C),
        ("60 km/h", "60 kilometers per hour", R),
        ("60 km/h", "60 km", W),
        ("$7,020", "$7020.00", R),
        ("15", "15 euros", C),
        ("15", "16 euros", C),
        ("3 hours", "180 minutes", R),
        ("9 nickels and 16 dimes", "16 dimes, 9 nickels", R),
        ("9 nickels and 16 dimes", "9 dimes and 16 nickels", C),
        ("no solution", "∅", R),
        ("no solution", "4", W),
        ("trinomial", "Trinomial.", R),
        ("trinomial", "monomial", C),
        ("yes", "no", W),
        (">", "<", W),
        ("3sqrt(5)", "√45", R),
        ("3sqrt(5)", "5√3", W),
        ("|x|", "x", C),
        ("1.5", "1,5", R),
        ("-3", "−3", R),
        ("p/2(p-9)", "p/2(p − 9)", R),
        ("p/2(p-9)", "(p/2)(p-9)", C),
        ("2 1/2", "21/2", W),
        ("12", "1 2", C),
        ("R-r", "r-R", W),
        ("2x", "2X", R),
        ("1,125", "1.125", C),
        ("1,125", "1125", R),
        ("1.125", "1,125", R),
        ("1,200", "1200", R),
        ("x = 3, x = -3", "+-3", C),
        ("x=2, y=3", "3, 2", C),
        ("x=2, y=3", "2, 3", R),
        ("y=3, x=2", "2, 3", C),
        ("y=3, x=2", "3, 2", C),
        ("2/3", "66.7%", C),
        ("", "", C),
        ("4", "", C),
    ] {
        assert_eq!(by_key(key, answer), expected, "{key} | {answer}");
    }
}

#[test]
fn the_form_of_the_task_holds_with_a_key_too() {
    let verdict = |prompt, question_latex, key, answer| {
        let drill = Drill {
            prompt,
            question_latex,
            key: Some(key),
        };
        grade(&drill, answer).verdict
    };
    let factor = (
        "Factor the expression.",
        "x^{2} + 8x + 15",
        "(x + 3)*(x + 5)",
    );
    assert_eq!(verdict(factor.0, factor.1, factor.2, "(x+5)(x+3)"), R);
    assert_eq!(verdict(factor.0, factor.1, factor.2, "x^2+8x+15"), W);
    assert_eq!(verdict(factor.0, factor.1, factor.2, "15 + 8x + x^2"), W);
    let story = (
        "Six pens cost 9 euros. Work out the price of 10 pens in euros.",
        "",
        "15",
    );
    assert_eq!(verdict(story.0, story.1, story.2, "15"), R);
    assert_eq!(verdict(story.0, story.1, story.2, "15 euros"), R);
    assert_eq!(verdict(story.0, story.1, story.2, "14"), W);
    let value = ("Work out the value.", "4 + 5 \\times 3", "19");
    assert_eq!(verdict(value.0, value.1, value.2, "4+5*3"), W);
    assert_eq!(verdict(value.0, value.1, value.2, "19"), R);
    for (prompt, key, answer, expected) in [
        (
            "Which expression is equivalent to $2(x+3)$?",
            "2x+6",
            "2(x+3)",
            C,
        ),
        (
            "Which expression is equivalent to $2(x+3)$?",
            "2x+6",
            "2*(3+x)",
            C,
        ),
        (
            "Which expression is equivalent to $2(x+3)$?",
            "2x+6",
            "6+2x",
            R,
        ),
        (
            "Which expression is equivalent to $2(x+3)$?",
            "2x+6",
            "2(x+3) = 2(3+x)",
            C,
        ),
        (
            "Which expression is equivalent to $2(x+3)$?",
            "2x+6",
            "y = 2(x+3)",
            C,
        ),
        (
            "Which of $2(x+3)$ and $2x+3$ is twice a sum?",
            "2(x+3)",
            "2(x+3)",
            R,
        ),
        ("Write $y=2x+1$ in standard form.", "2x-y=-1", "y=2x+1", C),
        ("Write $y=2x+1$ in standard form.", "2x-y=-1", "y-2x=1", R),
        ("Convert 4 yards to feet.", "12 feet", "12", R),
        ("Convert 4 yards to feet.", "12 feet", "12 feet", R),
        ("Convert 4 yards to feet.", "12 feet", "4 yards", W),
        (
            "A rope of 4 yards is sold; convert to feet.",
            "12 feet",
            "4 yards",
            C,
        ),
        (
            "A rope is 4 yards long. What is that by the foot?",
            "12 feet",
            "4 yards",
            C,
        ),
        ("Convert 3 feet to inches.", "36", "36 yards", C),
    ] {
        assert_eq!(
            verdict(prompt, "", key, answer),
            expected,
            "{prompt} {answer}"
        );
    }
    // A key that is mistaken makes nobody wrong.
    assert_eq!(verdict("Solve.", "x + 1 = 3", "3", "2"), C);
}
