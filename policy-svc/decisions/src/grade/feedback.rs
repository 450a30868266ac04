//! What the student reads where no model words it. None of it gives the answer away.

use turnwise_messages::{Key, Texts, keys};

use super::Verdict;

/// The feedback on a verdict, by what the drill asks for and why the verdict is what it is. Codes that are not known here
/// get words that are true of every answer with this verdict.
#[must_use]
pub fn text(texts: &Texts, verdict: Verdict, task: &str, reason: &str) -> String {
    let key = match verdict {
        Verdict::Right => right(task, reason),
        Verdict::Wrong => wrong(task, reason),
        Verdict::CannotTell => cannot_tell(reason),
    };
    texts.text(key, &[])
}

fn right(task: &str, reason: &str) -> Key {
    match (reason, task) {
        ("equal_to_solution", _) => keys::FEEDBACK_RIGHT_SOLUTION,
        ("equal_in_form", "evaluate") => keys::FEEDBACK_RIGHT_VALUE,
        ("equal_in_form", "simplify") => keys::FEEDBACK_RIGHT_SIMPLIFIED,
        ("equal_in_form", "expand") => keys::FEEDBACK_RIGHT_EXPANDED,
        ("equal_in_form", "factor") => keys::FEEDBACK_RIGHT_FACTORED,
        ("equal_in_form", "convert") => keys::FEEDBACK_RIGHT_CONVERTED,
        ("equal_in_form", "compare") => keys::FEEDBACK_RIGHT_COMPARED,
        _ => keys::FEEDBACK_RIGHT,
    }
}

fn wrong(task: &str, reason: &str) -> Key {
    match (reason, task) {
        ("incomplete_solution_set", _) => keys::FEEDBACK_WRONG_INCOMPLETE,
        ("not_a_solution", _) => keys::FEEDBACK_WRONG_SOLUTION,
        ("copied_question", _) => keys::FEEDBACK_WRONG_COPIED,
        ("not_factored", _) => keys::FEEDBACK_WRONG_NOT_FACTORED,
        ("not_expanded", _) => keys::FEEDBACK_WRONG_NOT_EXPANDED,
        ("not_simplified", _) => keys::FEEDBACK_WRONG_NOT_SIMPLIFIED,
        ("not_converted", _) => keys::FEEDBACK_WRONG_NOT_CONVERTED,
        ("wrong_unit", _) => keys::FEEDBACK_WRONG_UNIT,
        ("not_equal", "evaluate") => keys::FEEDBACK_WRONG_VALUE,
        ("not_equal", "simplify" | "expand" | "factor") => keys::FEEDBACK_WRONG_UNEQUAL,
        ("not_equal", "convert") => keys::FEEDBACK_WRONG_AMOUNT,
        ("not_equal", "compare") => keys::FEEDBACK_WRONG_COMPARISON,
        _ => keys::FEEDBACK_WRONG,
    }
}

fn cannot_tell(reason: &str) -> Key {
    match reason {
        "unreadable_answer" => keys::FEEDBACK_UNCLEAR_UNREADABLE,
        "not_evaluated" => keys::FEEDBACK_UNCLEAR_UNFINISHED,
        "not_factored" => keys::FEEDBACK_UNCLEAR_NOT_FACTORED,
        "not_expanded" => keys::FEEDBACK_UNCLEAR_NOT_EXPANDED,
        "not_simplified" => keys::FEEDBACK_UNCLEAR_NOT_SIMPLIFIED,
        "not_converted" => keys::FEEDBACK_UNCLEAR_NOT_CONVERTED,
        "unclear_steps" => keys::FEEDBACK_UNCLEAR_STEPS,
        "copied_question" => keys::FEEDBACK_UNCLEAR_COPIED,
        _ => keys::FEEDBACK_UNCLEAR,
    }
}
