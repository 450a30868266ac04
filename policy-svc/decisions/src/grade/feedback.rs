//! What the student reads where no model words it. None of it gives the answer away.

use super::Verdict;

/// The feedback on a verdict, by what the drill asks for and why the verdict is what it is. Codes that are not known here
/// get words that are true of every answer with this verdict.
#[must_use]
pub fn text(verdict: Verdict, task: &str, reason: &str) -> &'static str {
    match verdict {
        Verdict::Right => right(task, reason),
        Verdict::Wrong => wrong(task, reason),
        Verdict::CannotTell => cannot_tell(reason),
    }
}

fn right(task: &str, reason: &str) -> &'static str {
    match (reason, task) {
        ("equal_to_solution", _) => {
            "That is right: it solves the exercise, and nothing is missing."
        }
        ("equal_in_form", "evaluate") => "That is right: this is the value.",
        ("equal_in_form", "simplify") => "That is right: it is equal, and it is in simple form.",
        ("equal_in_form", "expand") => "That is right: it is equal, and all brackets are gone.",
        ("equal_in_form", "factor") => "That is right: it is equal, and it is fully factored.",
        ("equal_in_form", "convert") => {
            "That is right: it is the same amount, in the form that was asked for."
        }
        ("equal_in_form", "compare") => "That is right: this is how the two compare.",
        _ => "That is right.",
    }
}

fn wrong(task: &str, reason: &str) -> &'static str {
    match (reason, task) {
        ("incomplete_solution_set", _) => {
            "What you wrote does solve it, but it is not everything. Are there other solutions?"
        }
        ("not_a_solution", _) => {
            "That does not solve it yet. Put your answer back into the exercise: where does it stop being true?"
        }
        ("copied_question", _) => {
            "That is the exercise itself, so there is a step to take yet. What would you do first?"
        }
        ("not_factored", _) => {
            "That is equal to the exercise, but it is not fully factored. \
             Which part of it could still be written as a product?"
        }
        ("not_expanded", _) => {
            "That is equal to the exercise, but there are still brackets to multiply out. Which ones?"
        }
        ("not_simplified", _) => {
            "That is equal to the exercise, but it can be made simpler. Which parts belong together, or share a factor?"
        }
        ("not_converted", _) => {
            "That is the same amount, but not in the form that was asked for. Which form does the exercise want?"
        }
        ("wrong_unit", _) => {
            "The number is right, but the unit is not. What is being measured, and in what?"
        }
        ("not_equal", "evaluate") => {
            "That is not the value. Go through the calculation once more, one step at a time: which comes first?"
        }
        ("not_equal", "simplify" | "expand" | "factor") => {
            "That is not equal to the exercise. Work out both, with a small number for each letter if there are any: \
             after which step do they part?"
        }
        ("not_equal", "convert") => {
            "That is not the same amount. What stays the same when only the form changes?"
        }
        ("not_equal", "compare") => {
            "That is not how the two compare. Where would each of them stand on a number line?"
        }
        _ => {
            "That is not the answer yet. Go through it once more, one step at a time: where could it have gone wrong?"
        }
    }
}

fn cannot_tell(reason: &str) -> &'static str {
    match reason {
        "unreadable_answer" => {
            "I could not check that: I cannot read it as an answer. Nothing was counted. \
             Write only the answer, as a number, an expression or an equation, and try again."
        }
        "not_evaluated" => {
            "So far so good, but it is not finished. Nothing was counted. Work it out to the end, and try again."
        }
        "not_factored" => {
            "That looks equal to the exercise, but maybe not fully factored. Nothing was counted. \
             Is there one more factor to take out? Write it as one product, and try again."
        }
        "not_expanded" => {
            "That looks equal to the exercise, but there are still brackets to multiply out. Nothing was counted. \
             Multiply them out, and try again."
        }
        "not_simplified" => {
            "That looks equal to the exercise, but maybe it can be made simpler. Nothing was counted. \
             Put together what belongs together, and try again."
        }
        "not_converted" => {
            "That may be the right amount, but not in the form that was asked for. Nothing was counted. \
             Which form does the exercise want? Try again."
        }
        "unclear_steps" => {
            "I could not follow your steps: one of them does not fit. Nothing was counted. \
             Check them, or write only the answer, and try again."
        }
        "copied_question" => {
            "I could not check that: it reads like the exercise itself. Nothing was counted. \
             Write down what you make of it, and try again."
        }
        _ => {
            "I could not check that, try again. Nothing was counted. \
             It may help to write the answer in another way."
        }
    }
}
