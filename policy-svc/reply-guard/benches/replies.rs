//! What the guard costs: `cargo bench -p turnwise-reply-guard --bench replies` prints lines of the form
//! `figure NAME VALUE BOUND`. Everything runs on one thread; each figure is the median of many rounds.

// A benchmark that cannot run ends by panicking, and says why; and it is about the real clock.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::{hint::black_box, time::Instant};

use turnwise_fingerprint::{RunSet, runs};
use turnwise_reply_guard::{Context, ExamQuestions, ExamText, Form, Guard, Spoken, Text};
use turnwise_testing::figure::{Bound, figure};

const CHARS: usize = 800;

fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let guard = Guard::built_in().unwrap();
    let long = |part: &str, chars: usize| -> String { part.chars().cycle().take(chars).collect() };
    let english =
        "Look at both sides again: what happens to 2x when you take 3 away? Write the next line. ";
    let german =
        "Schau dir beide Seiten noch einmal an: Was geschieht mit 2x, wenn du 3 abziehst? ";
    let latex = r"Compare $\frac{1}{2} \cdot x = 3$ with $x^{2} \leq 9$: which of them is true? ";
    // Every sentence has something to work out.
    let sums = r"So $\frac{1}{4} + \frac{1}{3} = \frac{3}{12} + \frac{4}{12} = \frac{7}{12}$, and 2 · 3 + 4 = 10. Then $(x + 2)^2 = x^2 + 4x + 4$. ";
    // As many runs as the sheets have.
    let words: String = (0..2_000)
        .map(|n| format!("word{n} of a sheet; "))
        .collect();
    let prompt = RunSet::new(runs(&words));
    let questions: Vec<String> = (0..200)
        .map(|n| format!("How many of {n} apples are {n}?"))
        .collect();
    let questions = questions.iter().map(|prompt| ExamText {
        id: "Q-1",
        prompt,
        question_latex: "",
    });
    let exams = ExamQuestions::new(questions, []);
    let context = Context {
        turn_id: "1c0a2b7e-0000-4000-8000-000000000000",
        prompt: &prompt,
        exams: &[&exams],
        blocked_terms: &RunSet::default(),
        open_drill: None,
        said: &[],
    };
    for (name, text, bound) in [
        (
            "reply_guard_800_us",
            long(english, CHARS),
            Bound::AtMost(100.0),
        ),
        (
            "reply_guard_800_german_us",
            long(german, CHARS),
            Bound::AtMost(100.0),
        ),
        (
            "reply_guard_800_latex_us",
            long(latex, CHARS),
            Bound::AtMost(100.0),
        ),
        ("reply_checked_us", long(sums, CHARS), Bound::AtMost(300.0)),
        ("reply_guard_2200_us", long(english, 2_200), Bound::Report),
    ] {
        let texts = [Text {
            text: &text,
            form: Form::Prose,
        }];
        let spoken = Spoken {
            texts: &texts,
            exercise: None,
            example: None,
        };
        let spent = median_us(|| {
            black_box(guard.judge(black_box(&spoken), &context));
        });
        figure(name, spent, bound);
    }
    let spent = median_us(|| {
        black_box(Guard::built_in().unwrap());
    });
    figure("reply_guard_load_us", spent, Bound::Report);
}

fn median_us(mut work: impl FnMut()) -> f64 {
    let mut rounds: Vec<f64> = (0..301)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}
