//! Tables of drills and answers with the verdict that a teacher would give.

mod forms;
mod reasons;
mod second_readings;
mod solving;
mod values;

use turnwise_grading::{Drill, Grade, Reason, Task, Verdict, grade};

const R: Verdict = Verdict::Right;
const W: Verdict = Verdict::Wrong;
const C: Verdict = Verdict::CannotTell;

fn graded(prompt: &str, question: &str, answer: &str) -> Grade {
    let drill = Drill {
        prompt,
        question_latex: question,
        key: None,
    };
    grade(&drill, answer)
}

#[track_caller]
fn check(prompt: &str, question: &str, table: &[(&str, Verdict)]) {
    let failed: Vec<String> = table
        .iter()
        .filter_map(|(answer, expected)| {
            let grade = graded(prompt, question, answer);
            (grade.verdict != *expected)
                .then(|| format!("{answer}: {grade:?}, expected {expected:?}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{prompt} {question}\n{}",
        failed.join("\n")
    );
}
