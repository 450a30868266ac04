//! Worked examples: each step follows, and the last line answers the problem.

use turnwise_grading::{WorkedExample, check_example};

fn wrong(problem: &str, steps: &[&str], answer: &str) -> Vec<usize> {
    wrong_for("", problem, steps, answer)
}

fn wrong_for(prompt: &str, problem: &str, steps: &[&str], answer: &str) -> Vec<usize> {
    let example = WorkedExample {
        prompt,
        problem,
        steps,
        answer,
    };
    let findings = check_example(&example);
    let places = findings.false_statements.iter();
    places.map(|place| place.start).collect()
}

#[test]
fn true_examples_follow() {
    for (problem, steps, answer) in [
        ("2x + 3 = 7", vec!["2x = 4", "x = \\frac{4}{2}"], "x = 2"),
        (
            "$2x + 3 = 7$",
            vec!["Take 3 from both sides: $2x = 4$", "Divide by 2: $x = 2$"],
            "$x = 2$",
        ),
        (
            "x^2 + 2x = 15",
            vec![
                "x^2 + 2x - 15 = 0",
                "(x + 5)(x - 3) = 0",
                "x + 5 = 0 \\text{ or } x - 3 = 0",
            ],
            "x = -5 \\text{ or } x = 3",
        ),
        (
            "3(x + 2) = 18",
            vec!["3(x + 2) is 3 times the bracket, so x + 2 = 6."],
            "x = 4",
        ),
        ("-2x < 6", vec!["x > -3"], "x > -3"),
        (
            "\\frac{1}{4} + \\frac{1}{3}",
            vec!["\\frac{3}{12} + \\frac{4}{12}", "\\frac{3 + 4}{12}"],
            "\\frac{7}{12}",
        ),
        ("3(x + 2) - x", vec!["3x + 6 - x"], "2x + 6"),
        ("2 + 3 \\cdot 4", vec!["3 \\cdot 4 = 12", "2 + 12"], "14"),
        ("\\frac{2}{3}", vec![], "0.67"),
        (
            "y = 2x - 8",
            vec!["Put $x = 0$: $y = -8$", "0 = 2x - 8"],
            "x = 4",
        ),
        (
            "2x + 3 = 7",
            vec!["Try $x = 1$: $2 + 3 = 5$, too small."],
            "x = 2",
        ),
        (
            "\\sqrt{x + 1} = x - 1",
            vec!["x + 1 = (x - 1)^2", "$x = 0$ or $x = 3$"],
            "x = 3",
        ),
    ] {
        assert_eq!(wrong(problem, &steps, answer), [0_usize; 0], "{problem}");
    }
}

#[test]
fn a_step_that_does_not_follow_is_found() {
    for (problem, steps, answer, at) in [
        ("2x + 3 = 7", vec!["2x = 10"], "x = 2", vec![0]),
        ("2x + 3 = 7", vec!["2x = 4"], "x = 3", vec![1]),
        (
            "2x + 3 = 7",
            vec!["Take 3 away: $2x = 3$"],
            "x = 2",
            vec![0],
        ),
        ("x^2 = 9", vec![], "x = 4", vec![0]),
        (
            "\\sqrt{x + 1} = x - 1",
            vec!["$x = 1$ or $x = 4$"],
            "x = 0 or x = 3",
            vec![0, 1],
        ),
        ("-2x < 6", vec![], "x < -3", vec![0]),
        (
            "\\frac{1}{4} + \\frac{1}{3}",
            vec!["\\frac{1 + 1}{4 + 3}"],
            "\\frac{2}{7}",
            vec![0, 1],
        ),
        ("3(x + 2) - x", vec!["3x + 2 - x"], "2x + 6", vec![0]),
    ] {
        assert_eq!(wrong(problem, &steps, answer), at, "{problem} {answer}");
    }
}

#[test]
fn the_answer_names_all_solutions() {
    for (problem, steps, answer, at) in [
        ("x^2 = 9", vec![], "x = 3", vec![0]),
        ("x^2 = 9", vec!["x = 3 or x = -3"], "x = -3", vec![1]),
        ("x^2 = 9", vec![], "x = 3 or x = 4", vec![0]),
        ("x^2 = 9", vec![], "Take the root: $x = 3$", vec![0]),
        ("x^2 = 4x", vec!["x^2 - 4x = 0"], "x = 4", vec![1]),
        // What names no solution is a step.
        ("2x + 3 = 7", vec![], "2x = 4", vec![0]),
        ("2x + 3 = 7", vec!["2x = 4"], "2x + 3 = 7", vec![1]),
        (
            "2x + 3 = 7",
            vec![],
            "Take 3 from both sides: $2x = 4$",
            vec![0],
        ),
        ("x^2 = 9", vec![], "x^2 - 9 = 0", vec![0]),
        ("2x + 1 > 7", vec![], "2x > 6", vec![0]),
        ("2x + 1 > 7", vec!["2x > 6"], "x > 4", vec![1]),
        ("2x + 1 > 7", vec!["2x > 6"], "x > 2", vec![1]),
    ] {
        assert_eq!(wrong(problem, &steps, answer), at, "{problem} {answer}");
    }
}

#[test]
fn solutions_in_other_words_are_left_open() {
    for (problem, steps, answer) in [
        ("x^2 = 9", vec![], "x = 3 or -3"),
        ("x^2 = 9", vec![], "x = 3 and its opposite"),
        ("x^2 = 9", vec![], "x = \\pm 3"),
        ("x^2 = 4x", vec![], "x = 4, the other solution is zero"),
        (
            "x^2 = 9",
            vec!["x = 3 or x = -3"],
            "The positive solution is $x = 3$",
        ),
        ("x^2 = 9", vec!["A length is positive."], "x = 3"),
        ("\\text{The width: } x^2 = 9", vec![], "x = 3"),
        ("2x + 3 = 7", vec![], "The solution of $2x + 3 = 7$ is 2."),
        ("2x + 3 = 7", vec![], "2 is the solution of $2x + 3 = 7$."),
        ("2x + 3 = 7", vec![], "$2x = 4$, so $x = 2$"),
        ("2x + 3 = 7", vec![], "x = 5 - 3 = 2"),
        ("2x + 3 = 7", vec![], "x = \\frac{4}{2}"),
        ("-3x < 1", vec![], "x > -0.33"),
        ("2x + 1 > 7", vec!["2x > 6"], "3 < x"),
    ] {
        assert_eq!(wrong(problem, &steps, answer), [0_usize; 0], "{answer}");
    }
}

#[test]
fn a_prompt_may_ask_for_some_of_the_solutions() {
    for (prompt, is_whole) in [
        ("Solve the equation.", true),
        ("Find all values of x.", true),
        ("Löse die Gleichung.", true),
        ("Find the positive solution.", false),
        ("Find the larger of both solutions.", false),
        ("A square has an area of 9. How long is its side?", false),
        ("Bestimme die positive Lösung.", false),
    ] {
        let found = wrong_for(prompt, "x^2 = 9", &[], "x = 3");
        assert_eq!(found.len(), usize::from(is_whole), "{prompt}");
        assert_eq!(wrong_for(prompt, "x^2 = 9", &[], "x = 4"), [0], "{prompt}");
    }
}

#[test]
fn a_step_of_a_linear_inequality_has_its_solutions() {
    for (problem, steps, answer, at) in [
        ("3x - 5 \\le 7", vec!["3x \\le 2"], "x \\le 4", vec![0]),
        ("3x - 5 \\le 7", vec!["3x \\le 12"], "x \\le 4", vec![]),
        ("-2x > 6", vec!["x > -3"], "x < -3", vec![0]),
        ("\\sqrt{x} > 2", vec!["x \\ge 0"], "x > 4", vec![]),
        (
            "-3 < 2x + 1 \\le 7",
            vec!["2x \\le 6"],
            "-2 < x \\le 3",
            vec![],
        ),
    ] {
        assert_eq!(wrong(problem, &steps, answer), at, "{problem} {steps:?}");
    }
}

#[test]
fn an_answer_may_be_a_number_alone() {
    for (problem, steps, answer, at) in [
        ("x^2 = 6x", vec!["Divide by $x$: $x = 6$"], "6", vec![1]),
        ("2x + 3 = 7", vec!["2x = 4"], "3", vec![1]),
        ("2x + 3 = 7", vec!["2x = 4"], "2", vec![]),
        ("3x = 1", vec![], "0.33", vec![]),
    ] {
        assert_eq!(wrong(problem, &steps, answer), at, "{problem} {answer}");
    }
    assert!(wrong_for("How many solutions are there?", "x^2 = 9", &[], "2").is_empty());
}

#[test]
fn the_answer_satisfies_all_equations() {
    for (problem, steps, answer, at) in [
        ("y = 3x - 7, x = 4", vec!["y = 12 - 7"], "y = 4", vec![1]),
        ("y = 3x - 7, x = 4", vec!["y = 12 - 7"], "y = 5", vec![]),
        (
            "x + y = 5, x - y = 1",
            vec!["2x = 6"],
            "x = 3, y = 1",
            vec![1],
        ),
        (
            "x + y = 5, x - y = 1",
            vec!["2x = 6"],
            "x = 3, y = 2",
            vec![],
        ),
        ("x + y = 5, x - y = 1", vec!["2x = 6"], "x = 3", vec![]),
        ("y = 3x - 7", vec![], "y = -7", vec![]),
        ("3y = x, x = 1", vec![], "y = 0.33", vec![]),
        ("\\text{Work out } -3 + 8", vec!["8 - 3"], "11", vec![1]),
        ("\\text{Work out } -3 + 8", vec!["8 - 3"], "5", vec![]),
        ("\\text{Double } -3 + 8", vec![], "10", vec![]),
    ] {
        assert_eq!(wrong(problem, &steps, answer), at, "{problem} {answer}");
    }
}
