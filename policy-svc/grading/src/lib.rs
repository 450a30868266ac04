//! Whether an answer to a drill is right, decided by mathematics.

mod algebra;
mod answer;
mod forms;
mod grade;
mod grader;
mod key;
mod units;
mod vocabulary;
mod working;
mod notation;
mod prompt;
mod solving;
mod task;

pub use self::grade::{Drill, Grade, Reason, Task, Verdict};

/// Names the rules of this crate. It goes into logs: raise it with any change that can change a verdict.
pub const GRADER: &str = "grading-1";

/// Grades an answer to a drill.
///
/// Right and wrong are certain; whatever cannot be read or decided is [`Verdict::CannotTell`]. With a key, the key decides
/// the value and the task the form; without one, the question is worked out here.
pub fn grade(drill: &Drill<'_>, answer: &str) -> Grade {
    grader::grade(drill, answer)
}

/// Whether a typed answer has the value of its key, in any form: `2/4` for `0.5`, `3(6n+7)` for `18n+21`, `3<x` for
/// `(3, inf)`. It is not checked against the question, so a question that is copied has its own value.
pub fn equivalent(key: &str, answer: &str) -> Verdict {
    key::equivalent(key, answer)
}
