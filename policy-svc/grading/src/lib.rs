//! Whether an answer to a drill is right, decided by mathematics.
//!
//! [`grade`] reads the task from the drill's words, the formula from the words or from the question, and the answer as
//! students and models write it, in plain text or LaTeX. Then it works the problem out and compares: the whole solution set
//! of an equation, an inequality or a system of linear equations; the value of an expression, and the form that the task
//! asks for.
//!
//! Right and wrong are said only where they are certain. A word beside an answer that is not known, a prompt with a word
//! that tasks are not made of, an answer or a question that cannot be read, mathematics beyond the rules: all are
//! [`Verdict::CannotTell`].
//!
//! - `notation`: text to tokens, tokens to an expression as written.
//! - `algebra`: expressions to quotients of sums with rational exponents, a canonical form in which equality is exact, surds
//!   included; equations, inequalities, factors.
//! - `prompt`, `vocabulary`, `task`: a drill's words and formulas to a problem.
//! - `wording`, `claims`: what is said around an answer, and the steps and reasons beside it.
//! - `answer`, `units`: an answer to values, relations, intervals and points.
//! - `forms`, `line`: simplified, expanded, factored, worked out; forms of a line's equation.
//! - `statements`: whether what a text says of numbers is true.
//! - `typed`: the answer in a message, where it reads as one.
//! - `solving`, `working`, `rounding`, `key`, `formed`, `copies`, `grader`: the verdicts.
//! - `checkable`, `exercise`: whether a drill can be graded at all, and which drills are the same exercise.
//! - `next_step`: how a drill is begun by hand.
//! - `own`, `kind`: the exercise in what a student writes, and what kind of exercise it is.
//!
//! No floating point number is used. Order and rounding of surds go by rational bounds, which can tell numbers apart and
//! never declare them equal. Common factors of polynomials are looked for modulo the prime 2^61 - 1 at fixed points: that
//! there is none is certain; that there is one could be an accident with a chance below 2^-150.
//!
//! # Bounds
//!
//! Whatever the input, a call ends within a few milliseconds: texts of at most 4,000 characters and 400 tokens, nested at
//! most 24 deep; numbers of 40 digits as typed and 1,024 bits on the way; sums of 400 terms, powers of sums up to 24,
//! polynomials up to degree 12, systems of 6 unknowns, answers of 12 items; and an allowance of steps for each reading. What
//! exceeds a bound is `CannotTell`.
//!
//! # Crates
//!
//! Numbers are `num-bigint` and `num-rational`. The algebra is our own: what the registry has for it evaluates in floating
//! point, needs a large foreign library, or simplifies beyond recognition, while here the expression as it was written must
//! be kept, because its form is graded. So is the parser: a formula's grammar is small, and what is hard about it (implicit
//! products, letters that may be units, two readings of one slash) no parser generator takes off one's hands.

mod algebra;
mod answer;
mod checkable;
mod claims;
mod copies;
mod exercise;
mod formed;
mod forms;
mod grade;
mod grader;
mod key;
mod kind;
mod line;
mod next_step;
mod notation;
mod own;
mod prompt;
mod rounding;
mod solving;
mod statements;
mod task;
mod typed;
mod units;
mod vocabulary;
mod wording;
mod working;

pub use self::algebra::residue;
pub use self::grade::{Drill, Grade, Reason, Task, Verdict};
pub use self::kind::Kind;
pub use self::next_step::Step;
pub use self::statements::{Findings, WorkedExample, check_example, check_text};
pub use self::wording::numerals;

/// Names the rules of this crate. It goes into logs: raise it with any change that can change a verdict.
pub const GRADER: &str = "grading-8";

/// Grades an answer to a drill.
///
/// Right and wrong are certain; whatever cannot be read or decided is [`Verdict::CannotTell`]. With a key, the key decides
/// the value and the task the form; without one, the question is worked out here.
pub fn grade(drill: &Drill<'_>, answer: &str) -> Grade {
    grader::grade(drill, answer)
}

/// Whether mathematics alone can grade this drill, without a key: the task is read, the problem is solved, and answers to it
/// are told apart.
#[must_use]
pub fn is_checkable(prompt: &str, question_latex: &str) -> bool {
    checkable::is_checkable(&drill(prompt, question_latex))
}

/// The exercise in one form: drills that ask for the same of the same formula have the same, however they are worded, spaced
/// or ordered. The name of the only unknown, zeros that are added and ones that multiply make no other exercise; in an
/// equation, neither do a number that is written as a sum and a double sign. Where the task cannot be read, it is the text
/// without spaces and capitals.
#[must_use]
pub fn exercise_form(prompt: &str, question_latex: &str) -> String {
    exercise::form(&drill(prompt, question_latex))
}

/// What tells an exercise from others, whatever is to be done: each of its formulas in the form that [`exercise_form`] gives
/// them; where it has none, that form itself, if the task can be read. Of two that have one of these in common, each tells
/// how the other goes.
#[must_use]
pub fn exercise_traits(prompt: &str, question_latex: &str) -> Vec<String> {
    exercise::traits(&drill(prompt, question_latex))
}

/// How to begin working a drill out by hand: the operation, not what comes of it. `None` where the drill cannot be read, or
/// has steps beyond these.
#[must_use]
pub fn next_step(prompt: &str, question_latex: &str) -> Option<Step> {
    next_step::next_step(&drill(prompt, question_latex))
}

/// The exercise in what a student writes, as its words and its formula: the whole message where it is one, whatever words of a
/// task stand around it, else its only formula for which [`next_step`] knows the first of several steps. `None` where there is
/// none, or more than one. A value, a variable's value and a term that needs no task to be named are none: they may be answers.
#[must_use]
pub fn exercise_in(message: &str) -> Option<(String, String)> {
    own::exercise_in(message)
}

/// Whether a message reads as what came of a step: values, a line of working, `yes` or `no`, with a few words around them at
/// most, or a guess that begins with `is it`. Right or wrong is not looked at.
#[must_use]
pub fn goes_on(message: &str) -> bool {
    own::goes_on(message)
}

/// What kind of exercise a drill is, whatever its numbers. `None` where it cannot be read.
#[must_use]
pub fn kind(prompt: &str, question_latex: &str) -> Option<Kind> {
    kind::kind(&drill(prompt, question_latex))
}

/// What kind of exercise a message is; `None` where it says anything else.
#[must_use]
pub fn kind_of_message(message: &str) -> Option<Kind> {
    kind::kind_of_message(message)
}

/// What a drill asks for, as far as its words are known.
#[must_use]
pub fn task(prompt: &str, question_latex: &str) -> Task {
    grader::task(&drill(prompt, question_latex))
}

fn drill<'a>(prompt: &'a str, question_latex: &'a str) -> Drill<'a> {
    Drill {
        prompt,
        question_latex,
        key: None,
    }
}

/// The answer to a drill in a message: a value, a variable's value, an interval, an inequality that is solved. Right or wrong
/// is not looked at, so that nobody learns from it which one an answer is. `5?` and `is it 5?` are answers. It is the whole
/// message, or the last of several lines or equations of working, without words behind it that only ask whether it is right.
/// Any other question, a step on the way and the exercise itself are none, and neither is a word alone.
#[must_use]
pub fn answer_in<'m>(drill: &Drill<'_>, message: &'m str) -> Option<&'m str> {
    typed::answer_in(drill, message)
}
