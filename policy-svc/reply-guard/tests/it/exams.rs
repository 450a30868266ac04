//! Exam questions in a drill and in other texts.

use turnwise_reply_guard::{Context, ExamQuestions, ExamText, Form, Reason, Spoken, Text};

use crate::{GUARD, nothing_known};

fn catalogue() -> ExamQuestions {
    let text = |id, prompt, question_latex| ExamText {
        id,
        prompt,
        question_latex,
    };
    ExamQuestions::new(
        [
            text(
                "ALG-01-B1",
                "Work out the value of the expression.",
                "-8 + 5",
            ),
            text(
                "ALG-01-G2",
                "A number line shows two points, -11 and 5. What number lies exactly half-way between them?",
                r"-11 \text{ and } 5",
            ),
            text("ALG-03-B1", "Solve the equation.", "x + 7 = 12"),
        ],
        [
            "Work out the value of the expression.",
            "Solve the equation.",
        ],
    )
}

fn judged(prompt: &str, question_latex: &str) -> Option<Reason> {
    let exams = catalogue();
    let context = Context {
        exams: &[&exams],
        ..nothing_known()
    };
    let texts = [
        Text {
            text: prompt,
            form: Form::Prose,
        },
        Text {
            text: question_latex,
            form: Form::Formula,
        },
    ];
    let spoken = Spoken {
        texts: &texts,
        exercise: Some((prompt, question_latex)),
        example: None,
    };
    let verdict = GUARD.judge(&spoken, &context);
    // The hashes that were met make the same verdict.
    if !verdict.met.exam_expressions.is_empty() || !verdict.met.exam_runs.is_empty() {
        let met = ExamQuestions::of_hashes(verdict.met.exam_runs, verdict.met.exam_expressions);
        let context = Context {
            exams: &[&met],
            ..nothing_known()
        };
        assert_eq!(
            GUARD.judge(&spoken, &context).withheld,
            verdict.withheld,
            "{prompt}"
        );
    }
    verdict.withheld
}

#[test]
fn an_exam_question_is_no_exercise() {
    for (prompt, latex) in [
        ("Work out the value of the expression.", "-8 + 5"),
        ("Try this.", "5 - 8"),
        ("Try this.", r"{-8}+{5}"),
        ("What is -8 + 5?", ""),
        ("Work out $5-8$.", ""),
        (
            "What number lies exactly half-way between them, -11 and 5 on a number line?",
            "",
        ),
        ("A NUMBER LINE SHOWS TWO POINTS -11 AND 5 WHAT NUMBER", ""),
        ("Remember ALG-01-B1?", ""),
        ("Solve the equation.", "x + 7.0 = 12"),
        ("Solve the equation.", "y + 7 = 12"),
        ("Solve the equation.", "12 = x + 7"),
        ("Find the number.", "1n + 7 = 12 + 0"),
        ("Solve y + 7 = 12.", ""),
    ] {
        assert_eq!(
            judged(prompt, latex),
            Some(Reason::ExamQuestion),
            "{prompt} {latex}"
        );
    }
}

#[test]
fn another_exercise_is_free() {
    for (prompt, latex) in [
        ("Work out the value of the expression.", "-8 + 6"),
        ("Work out the value of the expression.", ""),
        ("What number lies between 3 and 9?", "3 + 9"),
        ("Solve the equation.", "y + 7 = 13"),
        ("Solve the equation.", "2x + 14 = 24"),
        ("Start at -8. Where are you after 5 steps to the right?", ""),
    ] {
        assert_eq!(judged(prompt, latex), None, "{prompt} {latex}");
    }
}
