//! Which drills are one exercise.

use turnwise_grading::{exercise_form, exercise_traits};

#[test]
fn words_spaces_and_order_make_no_other_exercise() {
    for all in [
        &[
            ("Solve for x.", "x + 7 = 12"),
            ("Solve the equation.", "x+7=12"),
            ("Solve: $x + 7 = 12$", ""),
            ("Solve for x.", "12 = 7 + x"),
        ][..],
        &[
            ("Factor the expression.", "x^{2} + 8x + 15"),
            ("Factor.", "15 + 8x + x^2"),
        ],
        &[("Draw  a line of 4 cm.", ""), ("draw a line of 4 cm.", "")],
        &[
            ("Löse die Gleichung.", "x + 7 = 12"),
            ("Löse nach x auf.", "x + 7 = 12"),
            ("Löse die Gleichung nach n auf.", "n + 7 = 12"),
            ("Bestimme die Lösung.", "7 + x = 12"),
            ("Solve for x.", "x + 7 = 12"),
        ],
        &[("Fasse zusammen.", "2x + 3x"), ("Vereinfache.", "3x + 2x")],
        &[
            (
                "What is the slope of the line through (0, 3) and (2, 7)?",
                "",
            ),
            ("Find the slope between the points.", "(2, 7),\\ (0, 3)"),
            (
                "What is the slope of the line through (0, 3) and (2, 7)?",
                "(0, 3),\\ (2, 7)",
            ),
        ],
    ] {
        let forms: Vec<_> = all.iter().map(|(p, q)| exercise_form(p, q)).collect();
        assert!(
            forms.iter().all(|form| *form == forms[0]),
            "{all:?} {forms:#?}"
        );
    }
}

#[test]
fn other_clothes_make_no_other_exercise() {
    for all in [
        &[
            ("Solve the equation.", "x + 7 = 12"),
            ("Solve the equation.", "y + 7 = 12"),
            ("Solve the equation.", "X + 7 = 12"),
            ("Find the missing number.", "? + 7 = 12"),
            ("Solve the equation.", "1x + 7 = 12"),
            ("Solve the equation.", "x + 7 = 12 + 0"),
            ("Solve the equation.", "x - (-7) = 12"),
            ("Solve the equation.", "x + 3 + 4 = 12"),
            ("Solve the equation.", "x + \\frac{14}{2} = 12"),
            ("Solve the equation.", "x + 7 = \\frac{24}{2}"),
            (
                "Solve the equation and give the answer as a decimal.",
                "x + 7 = 12",
            ),
        ][..],
        &[
            ("Work out the value.", "-3 + 8"),
            ("Simplify.", "-3 + 8"),
            ("Write as a decimal.", "-3 + 8"),
            (
                "Work out the value and round to the nearest whole number.",
                "-3 + 8",
            ),
            ("Work out the value.", "-3 + 8 + 0"),
            ("Work out the value.", "1 \\cdot (-3) + 8"),
        ],
        &[
            ("Simplify.", "3x + 2x"),
            ("Expand.", "3x + 2x"),
            ("Simplify.", "3y + 2y"),
            ("Simplify.", "3x + 2x + 0"),
        ],
        &[
            ("Work out the value for x = -2.", "7 - 4x"),
            ("Work out the value for n = -2.", "7 - 4n"),
        ],
        &[
            ("Work out the value.", "\\frac{14}{2}"),
            ("Write as a decimal.", "\\frac{14}{2}"),
            ("Simplify.", "\\frac{14}{2}"),
        ],
    ] {
        let forms: Vec<_> = all.iter().map(|(p, q)| exercise_form(p, q)).collect();
        assert!(
            forms.iter().all(|form| *form == forms[0]),
            "{all:?} {forms:#?}"
        );
    }
}

#[test]
fn other_numbers_and_other_tasks_are_other_exercises() {
    let all = [
        ("Solve for x.", "x + 7 = 12"),
        ("Solve for x.", "x + 12 = 7"),
        ("Solve for x.", "x - 7 = 12"),
        ("Solve for x.", "x + 8 = 13"),
        ("Solve for x.", "2x + 14 = 24"),
        ("Solve for x.", "-x - 7 = -12"),
        ("Solve for x.", "x = 3 + 8"),
        ("Solve for x.", "x = 4 + 7"),
        ("Solve for x.", "\\frac{x}{6} = \\frac{2}{3}"),
        ("Solve for x.", "\\frac{x}{6} = \\frac{4}{6}"),
        ("Solve for x.", "2x + 3 = 7"),
        ("Solve for x.", "3x + 2 = 7"),
        ("Solve for x.", "3(x + 2) = 7"),
        ("Solve for x.", "3x + 6 = 7"),
        ("Work out the value.", "-3 + 8"),
        ("Work out the value.", "-8 + 13"),
        ("Work out the value.", "-3 - (-8)"),
        ("Simplify.", "3x + 2x"),
        ("Simplify.", "4x + x"),
        ("Simplify.", "3x + 2y"),
        ("Simplify.", "\\frac{6}{8}"),
        ("Simplify.", "\\frac{9}{12}"),
        ("Solve for x.", "x + 7 > 12"),
        ("Solve for x.", "x + 7 < 12"),
        ("Factor.", "x^2 + 3x"),
        ("Expand.", "x(x + 3)"),
        ("Find the larger solution.", "(x - 4)(x + 9) = 0"),
        ("Solve.", "(x - 4)(x + 9) = 0"),
        ("Write as a decimal.", "\\frac{3}{4}"),
        ("Write as a percent.", "\\frac{3}{4}"),
        ("Simplify.", "\\sqrt{50}"),
        ("Round to the nearest tenth.", "\\sqrt{50}"),
        ("Round to the nearest tenth.", "3.456"),
        ("Round to the nearest hundredth.", "3.456"),
        ("Solve for y.", "x + 2y = 8"),
        ("Solve for x.", "x + 2y = 8"),
        ("Draw a line of 4 cm.", ""),
        ("Draw a line of 5 cm.", ""),
        (
            "Work out the slope of the line through (0, 2) and (1, 0).",
            "",
        ),
        (
            "Work out the slope of the line through (-1, 2) and (0, 0).",
            "",
        ),
        (
            "Work out the slope of the line through (0, 1) and (3, 8).",
            "",
        ),
        (
            "Work out the slope of the line through (-3, 1) and (0, 8).",
            "",
        ),
    ];
    for (at, (prompt, question)) in all.iter().enumerate() {
        for (other_prompt, other_question) in &all[at + 1..] {
            assert_ne!(
                exercise_form(prompt, question),
                exercise_form(other_prompt, other_question),
                "{prompt} {question} and {other_prompt} {other_question}"
            );
        }
    }
}

/// Their hashes stand in students' records: whoever changes one of these makes other exercises of all that counted.
#[test]
fn forms_stay_as_they_are() {
    for (prompt, question, form) in [
        ("Solve for x.", "x + 7 = 12", "solve | (7+x) = 12"),
        ("Solve for x.", "x + 7 > 12", "solve | (7+x) > 12"),
        ("Solve for x.", "12 \\ge x + 7", "solve | (7+x) ≤ 12"),
        ("Factor.", "x^2 + 3x", "factor | ([3*x]+x^2)"),
        ("Expand.", "x(x + 3)", "simplify | [(3+x)*x]"),
        (
            "Write as a decimal.",
            "\\frac{3}{4}",
            "convert | [/4*3] | to decimal",
        ),
        (
            "Solve for y.",
            "x + 2y = 8",
            "solve | ([2*y]+x) = 8 | for y",
        ),
        (
            "Find the larger solution.",
            "(x - 4)(x + 9) = 0",
            "solve | 0 = [(-[4]+x)*(9+x)] | largest",
        ),
        (
            "Work out the value for x = -2.",
            "7 - 4x",
            "evaluate | (-[4*x]+7) | x = -[2]",
        ),
        (
            "Convert to kilometers.",
            "3 m",
            "convert | 3 length 1 | to kilometers",
        ),
        ("Draw a line of 4 cm.", "", "drawalineof4cm | "),
    ] {
        assert_eq!(exercise_form(prompt, question), form);
    }
}

/// Whether two exercises have a trait in common.
fn meet(one: (&str, &str), other: (&str, &str)) -> bool {
    let traits = exercise_traits(one.0, one.1);
    exercise_traits(other.0, other.1)
        .iter()
        .any(|own| traits.contains(own))
}

#[test]
fn a_formula_in_other_clothes_is_met_whatever_is_to_be_done_with_it() {
    let exam = ("Which number makes this true?", "x + 7 = 12");
    for near in [
        ("Solve the equation.", "x + 7.0 = 12"),
        ("Solve the equation.", "y + 7 = 12"),
        ("Solve the equation.", "12 = x + 7"),
        ("Solve the equation.", "7+x=12"),
        ("Solve the equation.", "1x + 7 = 12 + 0"),
        ("Löse $n + 7 = 12$ und prüfe.", ""),
        ("A riddle: n + 7 = 12. Who knows it?", ""),
    ] {
        assert!(meet(exam, near), "{near:?}");
    }
    let sum = ("Work out the value of the expression.", "-8 + 5");
    for near in [
        ("Find x.", "x = -8 + 5"),
        ("Find the missing number.", "-8 + 5 = \\square"),
        ("Solve for x.", "5 + (-8) = x"),
    ] {
        assert!(meet(sum, near), "{near:?}");
    }
    let length = ("Convert to kilometers.", "3 m");
    assert!(meet(length, ("Convert to kilometers.", "3 meters")));
}

#[test]
fn another_formula_meets_none() {
    let exam = ("Solve the equation.", "x + 7 = 12");
    for other in [
        ("Solve the equation.", "x + 7 = 13"),
        ("Solve the equation.", "x + 12 = 7"),
        ("Solve the equation.", "2x + 14 = 24"),
        ("Solve the equation.", ""),
        ("", ""),
    ] {
        assert!(!meet(exam, other), "{other:?}");
    }
    for (one, other) in [
        // A value that is given, and a quantity, are in many exercises.
        (
            ("Work out for x = 2.", "7 - 4x"),
            ("Work out for n = 2.", "5 + 3n"),
        ),
        (
            ("A rope of 2 m is cut in half. How long is a half?", ""),
            ("A tent is 2 m high. How high are three?", ""),
        ),
    ] {
        assert!(!meet(one, other), "{one:?} {other:?}");
    }
}
