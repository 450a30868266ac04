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

fn solve(question_latex: &str) -> OpenDrill<'_> {
    OpenDrill {
        prompt: "Solve for x.",
        question_latex,
        key: None,
        said: "",
    }
}

const FRACTIONS: OpenDrill<'_> = OpenDrill {
    prompt: "Work out the value.",
    question_latex: "\\frac{3}{4} + \\frac{1}{2}",
    key: None,
    said: "",
};

/// Checks what is withheld of the texts, each on a problem of its own.
fn check(cases: &[(OpenDrill<'_>, &str)], expected: Option<Reason>) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(open, text)| judged(*open, text) != expected)
        .map(|(open, text)| format!("{}: {text}", open.question_latex))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_spelling_hides_nothing() {
    let line = solve("2x + 3 = 11");
    let known = solve("3x = 9");
    let square = solve("x^2 - 5x + 6 = 0");
    let unequal = solve("x + 3 > 6");
    let one = solve("4x + 1 = 5");
    let cases = [
        (line, "x is 4"),
        (line, "x → 4"),
        (line, "x ist gleich vier"),
        (line, "also vier"),
        (line, "x = 8/2"),
        (line, "x = 4.0"),
        (line, "x = 4,0"),
        (line, "x = 2^2"),
        (line, "x = 2²"),
        (line, r"$x = \frac{8}{2}$"),
        (line, r"\[ x = \boxed{4} \]"),
        (line, "x = **4**"),
        (line, "Das ergibt x=`4`."),
        (line, "x = ４"),
        (line, "x = 𝟒"),
        (line, "x = ④"),
        (line, "x = ٤"),
        (line, "Four's the one."),
        (line, "quattro"),
        (line, "> 4"),
        (line, "It is f o u r."),
        (line, "It is f-o-u-r."),
        (line, "It is F.O.U.R"),
        (line, "x is 2 plus 2"),
        (line, "x = (11 - 3)/2"),
        (line, "x = 11 - 3 - 4"),
        (line, "x must be 4"),
        (line, "x: 4"),
        (line, "x hat den Wert 4"),
        (line, "Check: 2·4 + 3 = 11"),
        (line, "2(4)+3=11 fits."),
        (line, "4 = x"),
        (line, "4"),
        (line, "4."),
        (line, "**Four**"),
        (line, "The answer to 2x + 3 = 11 is\n\n- 4"),
        (line, "x == 4"),
        (line, "x equals the number 4"),
        (line, "2x = 8 → x = 4"),
        (line, "2x = 8 ⇒ 4"),
        (line, "(11 - 3) : 2 = 4"),
        (line, "the square root of 16"),
        (line, "x = √16"),
        (line, "x=4cm"),
        (line, "| x | 4 |"),
        (solve("2x + 3 = 27"), "x = 1 2"),
        (solve("2x + 3 = 27"), "It is a dozen: twelve."),
        (solve("2x = 410"), "Zweihundertfünf"),
        (solve("2x = 410"), "two hundred and five"),
        (solve("2x = 3"), "x is one and a half"),
        (solve("2x = 3"), "x ist eineinhalb"),
        (solve("2x = 3"), "x is one point five"),
        (solve("2x = 3"), "x = 1½"),
        (solve("4x = 2"), "x is one half"),
        (solve("4x = 2"), "x ist ein halb"),
        (solve("4x = 2"), "x = 50%"),
        (solve("4x = 2"), "x = ½"),
        (solve("4x = 3"), "drei Viertel"),
        (solve("x + 9 = 5"), "x is minus four"),
        (solve("x + 9 = 5"), "x = −4"),
        (solve("x + 9 = 5"), "- 4"),
        (known, "x = 3"),
        (known, "The answer is 3."),
        (known, "x is 3"),
        (known, "9 / 3 = 3"),
        (known, "3 is the answer"),
        (known, "3 ist die Lösung."),
        (known, "9 divided by 3 is three"),
        (one, "x is one"),
        (one, "The answer is one."),
        (one, "Die Lösung ist eins."),
        (one, "x = 1"),
        (square, "x = 2 or x = 3"),
        (square, "One of them is 2."),
        (square, "x₁ = 2"),
        (square, "x_1 = 2, x_2 = 3"),
        (square, "two and three"),
        (unequal, "x > 3"),
        (unequal, "x is greater than 3"),
        (unequal, "all numbers greater than 3"),
        (unequal, "x ist größer als 3"),
        (FRACTIONS, "5/4"),
        (FRACTIONS, "five quarters"),
        (FRACTIONS, "1 1/4"),
        (FRACTIONS, "1,25"),
        (FRACTIONS, r"$\frac54$"),
        (FRACTIONS, "10/8"),
        (FRACTIONS, "fünf Viertel"),
    ];
    check(&cases, Some(Reason::AnswerGiven));
    for (prompt, question_latex, text) in [
        ("Expand.", "3(x + 2)", "You get 3x + 6."),
        ("Expand.", "3(x + 2)", "three x plus six"),
        ("Factor.", "x^2 + 5x + 6", "(x+2)(x+3)"),
        ("Factor.", "x^2 + 5x + 6", "= (x + 3) * (x + 2)"),
        ("Simplify.", "3x + 2x", "So 5x."),
        ("Simplify.", "3x + 2x", "fünf x"),
        ("Convert 3 feet to inches.", "", "That makes 36 inches."),
        ("Convert to a percent.", "3/4", "75 percent"),
        ("Solve.", "x + y = 5, x - y = 1", "x = 3"),
        ("Solve.", "x + y = 5, x - y = 1", "y is two"),
        ("Solve.", "x + y = 5, x - y = 1", "(3 | 2)"),
    ] {
        let open = OpenDrill {
            prompt,
            question_latex,
            ..FRACTIONS
        };
        check(&[(open, text)], Some(Reason::AnswerGiven));
    }
}

#[test]
fn a_step_is_no_answer() {
    let line = solve("2x + 3 = 11");
    let square = solve("x^2 - 5x + 6 = 0");
    let cases = [
        (line, "Subtract 3 from both sides: 2x = 8. What now?"),
        (line, "2x + 3 - 3 = 11 - 3"),
        (line, "Divide both sides by 2. What is 8/2?"),
        (line, "Now divide 8 by 2."),
        (
            line,
            "1. Subtract 3.\n2. Divide by 2.\n3. Check.\n4. Write it down.",
        ),
        (
            line,
            "Was musst du auf beiden Seiten abziehen? Danach steht da 2x = 8.",
        ),
        (line, "x is what we look for."),
        (line, "What is x?"),
        (line, "The answer is a number. Which one?"),
        (line, "x is the unknown; 3 is added to 2x."),
        (line, "Try it with x + 5 = 7 first: x = 2 there."),
        (square, "Which two numbers multiply to 6 and add up to 5?"),
        (square, "(x - 2)(x - 3) = 0"),
        (
            square,
            "Use $x = \\frac{-b ± \\sqrt{b^2-4ac}}{2a}$ with a = 1, b = -5, c = 6.",
        ),
        (FRACTIONS, "Write 1/2 as 2/4."),
        (FRACTIONS, "3/4 + 2/4"),
        (FRACTIONS, "The common denominator is 4."),
        (solve("3x = 9"), "What is 9 divided by 3?"),
        (solve("3x = 9"), "Divide both sides by 3."),
        (solve("3x = 9"), "x is multiplied by 3."),
    ];
    check(&cases, None);
    for (prompt, question_latex, text) in [
        ("Expand.", "3(x + 2)", "Multiply 3 by x, then 3 by 2."),
        (
            "Factor.",
            "x^2 + 5x + 6",
            "Which pairs multiply to 6? 1 and 6, 2 and 3.",
        ),
        ("Simplify.", "3x + 2x", "Both terms have x. What is 3 + 2?"),
    ] {
        let open = OpenDrill {
            prompt,
            question_latex,
            ..FRACTIONS
        };
        check(&[(open, text)], None);
    }
}

#[test]
fn a_student_who_lists_numbers_has_not_solved_it() {
    let open = OpenDrill {
        said: "is it 1, 2, 3, 4, 5, 6 or 7",
        ..EQUATION
    };
    assert_eq!(judged(open, "It is 5."), Some(Reason::AnswerGiven));
}

#[test]
fn a_sign_in_words_hides_nothing() {
    let sum = |question_latex: &'static str| OpenDrill {
        prompt: "Work out the value.",
        question_latex,
        key: None,
        said: "",
    };
    let negative = sum("-15 + 7");
    let cases = [
        (negative, "Eight with a minus sign in front"),
        (negative, "Acht mit einem Minus davor"),
        (negative, "It is neg. 8"),
        (negative, "16 : -2 = 8 · (-1)"),
        (negative, "8 × -1 is what you look for"),
        (negative, "You end up 8 below zero"),
        (negative, "It is the opposite of 8"),
        (negative, "It is the opposite of eight."),
        (negative, "Es ist die Gegenzahl von 8"),
        (sum("-7 + 15"), "It is the opposite of -8."),
        (sum("-19 + 29"), "Subtract 89 from your 99."),
        (sum("-19 + 29"), "Ziehe 89 von deinen 99 ab."),
    ];
    check(&cases, Some(Reason::AnswerGiven));
    let cases = [
        (negative, "Which of them has a minus sign in front?"),
        (negative, "How far below zero is -15?"),
        (negative, "What is the opposite of 15?"),
        (negative, "It is the opposite of adding."),
        (
            sum("8 \\cdot (-1)"),
            "Look at 8 · (-1). Which sign comes out?",
        ),
        (sum("-19 + 29"), "Subtract 3 from your 99. What is left?"),
    ];
    check(&cases, None);
}

#[test]
fn the_exercise_again_states_no_answer() {
    for (prompt, question_latex, key, said, text) in [
        (
            "Work it out.",
            "-81 \\div (-9)",
            "9",
            "help\nhow do I do -81 : (-9)",
            "It comes to 9.",
        ),
        (
            "Work it out.",
            "-2 - (-4)",
            "2",
            "how do I do -2 - (-4)",
            "It comes to 2.",
        ),
        (
            "Work it out.",
            "-2 - (-4)",
            "2",
            "how do I do -2 - (-4)?",
            "-2 - (-4) = 2",
        ),
        (
            "Work it out.",
            "-2 - (-4)",
            "2",
            "-2 - (-4)",
            "It comes to 2.",
        ),
    ] {
        let open = OpenDrill {
            prompt,
            question_latex,
            key: Some(key),
            said,
        };
        assert_eq!(
            judged(open, text),
            Some(Reason::AnswerGiven),
            "{said}: {text}"
        );
    }
}
