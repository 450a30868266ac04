//! Hostile input: no panic, and bounded time.

use std::time::Duration;

use proptest::prelude::*;
use turnwise_grading::{Drill, Verdict, grade};
use turnwise_testing::cpu_time::time_of_thread;

/// Four calls take at most some 15 ms of a processor together, and the rest is for a slow machine: a missing bound would
/// take seconds, or for ever.
const PATIENCE: Duration = Duration::from_millis(100);

/// The best of three: a virtual machine counts what its host takes from it. A system that does not tell a thread's time on
/// the processor only shows that nothing panics.
fn timed(prompt: &str, question: &str, answer: &str) {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = time_of_thread();
        for key in [None, Some(question), Some(answer)] {
            let drill = Drill {
                prompt,
                question_latex: question,
                key,
            };
            grade(&drill, answer);
        }
        let (Some(start), Some(end)) = (start, time_of_thread()) else {
            return;
        };
        best = best.min(end - start);
        if best < PATIENCE {
            return;
        }
    }
    panic!(
        "{best:?}: {} | {}",
        question.chars().take(80).collect::<String>(),
        answer.chars().take(80).collect::<String>()
    );
}

fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "9^9^9^9",
        "x^9^9^9",
        "(x+y+z+1)^24",
        "(x+y)^99999",
        "(((x+1)^20)^20)^20",
        "2^99999999999999999999999",
        "1/(1/(1/(1/(1/(1/x)))))",
        "sqrt(sqrt(sqrt(sqrt(sqrt(2)))))",
        "sqrt(18446744073709551557)",
        "sqrt(18446744065119617029)",
        "x^12 + 720720x^11 + 367567200 = 0",
        "(x+1/3)^12 = (y+1/7)^12",
        "99999999999999999999999999999999999999999",
        "0.0000000000000000000000000000000000001",
        "x = ±±±±1",
        "|||||x|||||",
        "\\frac{\\frac{\\frac{1}{x}}{x}}{x}",
        "\\sqrt[999999999]{2}",
        "\\begin{cases} x \\\\ y",
        "\u{0}\u{7}\u{202e}\u{feff}",
        "🙂+🙂=2🙂",
    ]
    .map(str::to_owned)
    .to_vec();
    for piece in [
        "(", "[", "{", "|", "-", "\\frac{", "\\sqrt{", "x^", "1/", "x+", "(x+1)", "x=1,", "1 ",
        "\\", "^", "_", "sqrt(",
    ] {
        texts.push(piece.repeat(4_000 / piece.len()));
        texts.push(piece.repeat(60));
    }
    texts.push(format!("{}x{}", "(".repeat(1_900), ")".repeat(1_900)));
    texts.push((0..80).map(|at| format!("(x{at}+{at})")).collect());
    texts.push(
        (b'a'..=b'z')
            .map(|letter| format!("({0}+1/{0})", char::from(letter)))
            .collect(),
    );
    texts.push((1..60).map(|at| format!("sqrt({at})+")).collect::<String>() + "1");
    texts.push((1..40).map(|at| format!("1/(x+{at})+")).collect::<String>() + "1 = 0");
    texts.push((1..30).map(|at| format!("|x-{at}|+")).collect::<String>() + "1 < 90");
    texts.push(
        (1..50)
            .map(|at| format!("sqrt({})+", 268_435_399 - at))
            .collect::<String>()
            + "1",
    );
    texts.push((1..20).map(|at| format!("(x^5+{at}x+720720)")).collect());
    texts.push(
        (1..20)
            .map(|at| format!("(720720x^3+{at}x+720720)"))
            .collect(),
    );
    texts.push(
        (1..9)
            .map(|at| format!("(ax^2+by^2+{at}cz+{at}xyz)"))
            .collect(),
    );
    texts.push("1=".repeat(150) + "1");
    texts.push("(1,2),".repeat(30));
    texts.push("x>1 or ".repeat(11) + "x>2");
    texts.push("x".repeat(100_000));
    texts
}

#[test]
fn hostile_texts_are_cheap() {
    for prompt in [
        "Solve.",
        "Simplify.",
        "Factor.",
        "Expand.",
        "Evaluate.",
        "Solve the inequality.",
    ] {
        for text in hostile_texts() {
            timed(prompt, &text, "x = 2");
            timed(prompt, "x^2 + 3x = 4", &text);
            timed(prompt, &text, &text);
            timed(&text, "", "4");
        }
    }
}

#[test]
fn a_copy_is_never_right_however_odd() {
    for text in hostile_texts() {
        for prompt in ["Solve.", "Simplify.", "Factor."] {
            let drill = Drill {
                prompt,
                question_latex: &text,
                key: None,
            };
            assert_ne!(grade(&drill, &text).verdict, Verdict::Right, "{text}");
        }
    }
}

/// Text that looks like mathematics often enough to get past the parser.
fn formula_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "x", "y", "2", "3.5", "10", "+", "-", "*", "/", "^", "(", ")", "[", "]", "{", "}", "=",
        "<", ">=", ",", " ", "|", "sqrt(", "\\frac{", "\\sqrt{", "}{", "±", "%", "$", " or ",
        " and ", "∞", "x^2", "1/2", "π", "√", "²", "½", "km", "\\le", "\\\\", ";", "_", "0",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_graded(prompt in any::<String>(), question in any::<String>(), answer in any::<String>()) {
        timed(&prompt, &question, &answer);
    }

    #[test]
    fn anything_like_a_formula_is_graded(
        prompt in prop::sample::select(vec!["Solve.", "Simplify.", "Factor.", "Expand.", "Evaluate.", "Write as a decimal.", ""]),
        question in formula_like(),
        answer in formula_like(),
    ) {
        timed(prompt, &question, &answer);
        let drill = Drill { prompt, question_latex: &question, key: None };
        prop_assert_ne!(grade(&drill, &question).verdict, Verdict::Right);
    }
}
