//! Answers against keys: the value in any form, and never a copy of the question.

use turnwise_grading::{Drill, Verdict, equivalent, grade};

const R: Verdict = Verdict::Right;
const W: Verdict = Verdict::Wrong;
const C: Verdict = Verdict::CannotTell;

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
        ("15", "15 euros", R),
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
        ("", "", C),
        ("4", "", C),
    ] {
        assert_eq!(equivalent(key, answer), expected, "{key} | {answer}");
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
    // A key that is mistaken makes nobody wrong.
    assert_eq!(verdict("Solve.", "x + 1 = 3", "3", "2"), C);
}
