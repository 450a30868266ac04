//! Drills as models write them: those that mathematics cannot grade are found out before anybody answers.

use turnwise_grading::{Drill, Verdict, grade, is_checkable};

/// A drill as a model may write it, with a right and a wrong answer.
struct Written {
    prompt: String,
    question: String,
    right: String,
    wrong: String,
}

fn written(prompt: &str, question: String, right: String, wrong: String) -> Written {
    Written {
        prompt: prompt.to_owned(),
        question,
        right,
        wrong,
    }
}

/// A term with its sign: `+ 3`, `- 3`.
fn plus(number: i64) -> String {
    if number < 0 {
        format!("- {}", -number)
    } else {
        format!("+ {number}")
    }
}

/// Drills of the kinds that a course of algebra is made of, each in the wordings that models use for it.
fn mathematics() -> Vec<Written> {
    let mut all = Vec::new();
    for n in 0..30_i64 {
        let (a, b, x) = (n % 7 + 2, n % 11 + 3, n % 13 - 6);
        let wording = |of: [&'static str; 3]| of[usize::try_from(n % 3).unwrap()];
        let solve = wording(["Solve for x.", "Solve the equation.", "Solve."]);
        all.push(written(
            solve,
            format!("x {} = {}", plus(b), x + b),
            format!("x = {x}"),
            format!("{}", x + 1),
        ));
        all.push(written(
            solve,
            format!("{a}x {} = {}", plus(-b), a * x - b),
            format!("{x}"),
            format!("x = {}", x - 2),
        ));
        all.push(written(
            solve,
            format!("\\frac{{x}}{{{a}}} = {b}"),
            format!("{}", a * b),
            format!("{}", a + b),
        ));
        all.push(written(
            solve,
            format!("{}x {} = {a}x {}", a + 2, plus(b), plus(b + 2 * x)),
            format!("x = {x}"),
            format!("x = {}", x + 3),
        ));
        all.push(written(
            wording(["Solve the inequality.", "Solve for x.", "Solve."]),
            format!("{a}x {} > {}", plus(b), a * x + b),
            format!("x > {x}"),
            format!("x < {x}"),
        ));
        all.push(written(
            wording(["Expand.", "Expand the brackets.", "Expand and simplify."]),
            format!("{a}(x {})", plus(b)),
            format!("{a}x {}", plus(a * b)),
            format!("{a}x {}", plus(b)),
        ));
        all.push(written(
            wording([
                "Simplify.",
                "Simplify the expression.",
                "Combine like terms.",
            ]),
            format!("{a}x + {b}x"),
            format!("{}x", a + b),
            format!("{}x", a + b + 1),
        ));
        let (p, q) = (n % 5 + 1, n % 6 + 2);
        all.push(written(
            wording(["Factor.", "Factor the expression.", "Factor completely."]),
            format!("x^2 {}x {}", plus(p + q), plus(p * q)),
            format!("(x + {p})(x + {q})"),
            format!("(x + {p})(x - {q})"),
        ));
        all.push(written(
            wording(["Solve the equation.", "Solve.", "Solve for x."]),
            format!("x^2 {}x {} = 0", plus(-p - q - 1), plus(p * (q + 1))),
            format!("x = {p} or x = {}", q + 1),
            format!("x = {}", p + q + 5),
        ));
        all.push(written(
            wording(["Evaluate.", "Calculate.", "Work out."]),
            format!("{x} - ({b} - {a})"),
            format!("{}", x - b + a),
            format!("{}", x - b - a - 1),
        ));
        all.push(written(
            wording(["Evaluate.", "Calculate.", "Work out the value."]),
            format!("\\frac{{1}}{{{a}}} + \\frac{{1}}{{{}}}", a + 1),
            format!("{}/{}", 2 * a + 1, a * (a + 1)),
            format!("2/{}", 2 * a + 1),
        ));
        all.push(written(
            wording(["Simplify.", "Write as a single power.", "Simplify."]),
            format!("x^{{{a}}} \\cdot x^{{{b}}}"),
            format!("x^{}", a + b),
            format!("x^{}", a * b + 1),
        ));
        all.push(written(
            "Work out the value for x = 3.",
            format!("{a}x {}", plus(-b)),
            format!("{}", 3 * a - b),
            format!("{}", 3 * a + b),
        ));
        all.push(written(
            wording([
                "Simplify.",
                "Write the fraction in lowest terms.",
                "Simplify.",
            ]),
            format!("\\frac{{{}}}{{{}}}", 6 * b, 6 * (b + 1)),
            format!("{b}/{}", b + 1),
            format!("{}/{}", b + 1, b + 3),
        ));
        all.push(written(
            "Solve for y.",
            format!("y {}x = {b}", plus(a)),
            format!("y = {b} - {a}x"),
            format!("y = {b} + {a}x"),
        ));
    }
    all
}

/// Drills that only a reader of words could grade.
fn words() -> Vec<Written> {
    let mut all = Vec::new();
    for n in 2..17_i64 {
        for prompt in [
            format!("Explain why {n}x + {n} is not the same as {n}x."),
            format!(
                "A shop sells {n} apples for 3 euros. Which offer is better for a family of four, and why?"
            ),
            format!("Draw the graph of a line with slope {n}."),
            format!(
                "Describe in your own words what happens to {n} when it is divided by a fraction."
            ),
            format!("Anna is {n} years older than Ben. Write down a story that fits."),
            format!("Is {n} a solution of 2x + 3 = {}? Say how you know.", n + 4),
        ] {
            all.push(written(
                &prompt,
                String::new(),
                String::new(),
                String::new(),
            ));
        }
    }
    all
}

#[test]
fn what_is_shown_is_decided_and_little_is_replaced() {
    let mathematics = mathematics();
    let words = words();
    let all = mathematics.len() + words.len();
    assert!(all >= 500, "{all} drills");
    let shown: Vec<_> = mathematics
        .iter()
        .chain(&words)
        .filter(|drill| is_checkable(&drill.prompt, &drill.question))
        .collect();
    let mut open = Vec::new();
    for written in &shown {
        let drill = Drill {
            prompt: &written.prompt,
            question_latex: &written.question,
            key: None,
        };
        for (answer, expected) in [
            (&written.right, Verdict::Right),
            (&written.wrong, Verdict::Wrong),
        ] {
            let verdict = grade(&drill, answer).verdict;
            if verdict == Verdict::CannotTell {
                open.push((&written.prompt, &written.question, answer));
            } else {
                assert_eq!(
                    verdict, expected,
                    "{} {} {answer}",
                    written.prompt, written.question
                );
            }
        }
    }
    let replaced = all - shown.len();
    eprintln!(
        "{all} drills: {replaced} replaced, {} of {} answers left open",
        open.len(),
        2 * shown.len()
    );
    assert!(replaced * 4 <= all, "{replaced} of {all} are replaced");
    assert!(open.len() * 100 <= 2 * shown.len(), "left open: {open:#?}");
    let told = words
        .iter()
        .filter(|drill| is_checkable(&drill.prompt, &drill.question));
    assert_eq!(told.count(), 0, "a drill in words is shown");
}

#[test]
fn what_cannot_be_solved_is_not_checkable() {
    for (prompt, question) in [
        ("", ""),
        ("Solve for x.", ""),
        ("Solve for x.", "x = 4"),
        ("Solve for x.", "x^5 - x - 1 = 0"),
        ("Solve for x.", "\\frac{1}{"),
        ("Write down a small example of your own, and solve it.", ""),
        ("Solve the story.", "x + 7 = 12"),
    ] {
        assert!(!is_checkable(prompt, question), "{prompt} {question}");
    }
}
