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
use turnwise_grading::WorkedExample;
use turnwise_reply_guard::{
    Context, ExamQuestions, ExamText, Form, Guard, OpenDrill, Spoken, Text,
};
use turnwise_testing::figure::{Bound, figure};

/// The binaries' own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CHARS: usize = 800;

/// Every sentence has something to work out.
const SUMS: &str = r"So $\frac{1}{4} + \frac{1}{3} = \frac{3}{12} + \frac{4}{12} = \frac{7}{12}$, and 2 · 3 + 4 = 10. Then $(x + 2)^2 = x^2 + 4x + 4$. ";
/// What the student wrote, the latest first. The second stands in the reply, which is no claim of the tutor's.
const SAID: [&str; 6] = [
    "and what do I do with the 7?",
    "1/4 + 1/3 = 2/7",
    "is it 5x = 59, or do I take 7 away on both sides first?",
    "I tried 5x + 7 - 7 = 52 - 5 and then 5x = 47",
    "why is (x + 2)^2 = x^2 + 4x + 4 and not x^2 + 4",
    "can you show me another one like 3x - 5 = 16",
];
/// A worked example of the reply's card: the problem, its steps, the answer.
const EXAMPLE: WorkedExample<'_> = WorkedExample {
    prompt: "",
    problem: "3x - 5 = 16",
    steps: &["3x = 16 + 5", "3x = 21"],
    answer: "x = 7",
};

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
    checked(&guard, &context);
    let spent = median_us(|| {
        black_box(Guard::built_in().unwrap());
    });
    figure("reply_guard_load_us", spent, Bound::Report);
}

/// A reply that is full of sums, with a worked example, while a drill is open: everything that the checks look at.
fn checked(guard: &Guard, context: &Context<'_>) {
    let formulas: Vec<&str> = [EXAMPLE.problem]
        .into_iter()
        .chain(EXAMPLE.steps.iter().copied())
        .chain([EXAMPLE.answer])
        .collect();
    let chars = |text: &str| text.chars().count();
    let in_card: usize = formulas.iter().map(|text| chars(text)).sum();
    let own = "So 1/4 + 1/3 = 2/7. ";
    let left = CHARS - in_card - chars(own);
    let times = left / chars(SUMS);
    let rest = "Look again at each line. ".chars().cycle();
    let rest: String = rest.take(left - times * chars(SUMS)).collect();
    let prose = format!("{own}{}{rest}", SUMS.repeat(times));
    let mut texts = vec![Text {
        text: &prose,
        form: Form::Prose,
    }];
    texts.extend(formulas.into_iter().map(|text| Text {
        text,
        form: Form::Formula,
    }));
    let spoken = Spoken {
        texts: &texts,
        exercise: Some(("", EXAMPLE.problem)),
        example: Some(EXAMPLE),
    };
    let said = SAID.join("\n");
    let context = Context {
        open_drill: Some(OpenDrill {
            prompt: "Solve for x.",
            question_latex: "5x + 7 = 52",
            key: Some("x = 9"),
            said: &said,
        }),
        said: &SAID,
        ..*context
    };
    // What is withheld early would cost less.
    let verdict = guard.judge(&spoken, &context);
    assert_eq!(verdict.withheld, None);
    assert!(verdict.statements.decided > 2 * times, "{verdict:?}");
    let spent = median_us(|| {
        black_box(guard.judge(black_box(&spoken), &context));
    });
    figure("reply_checked_us", spent, Bound::AtMost(300.0));
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
