//! Which drills are one exercise.

use turnwise_grading::exercise_form;

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
        ("Solve for x.", "2x + 3 = 7"),
        ("Solve for x.", "3x + 2 = 7"),
        ("Solve for x.", "x + 7 > 12"),
        ("Solve for x.", "x + 7 < 12"),
        ("Factor.", "x^2 + 3x"),
        ("Expand.", "x(x + 3)"),
        ("Find the larger solution.", "(x - 4)(x + 9) = 0"),
        ("Solve.", "(x - 4)(x + 9) = 0"),
        ("Write as a decimal.", "\\frac{3}{4}"),
        ("Write as a percent.", "\\frac{3}{4}"),
        ("Solve for y.", "x + 2y = 8"),
        ("Solve for x.", "x + 2y = 8"),
        ("Draw a line of 4 cm.", ""),
        ("Draw a line of 5 cm.", ""),
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
