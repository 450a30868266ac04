//! What is not decided, and what is said of an answer.

use super::*;

#[test]
fn what_is_not_understood_is_never_decided() {
    for (prompt, question, answer) in [
        ("Determine the degree of each polynomial.", "4x^2+1", "2"),
        ("Find the number of terms in 3x+5.", "", "2"),
        ("Find the negative of 5.", "", "-5"),
        ("Find the greatest common factor of 12x and 18.", "", "6"),
        ("Find the sum of the solutions.", "x^2-5x+6=0", "5"),
        ("Is x=-1 a solution? sqrt(x+2)=x", "", "no"),
        (
            "Six pens cost 9 euros. Work out the price of 10 pens in euros.",
            "",
            "15",
        ),
        ("Résous l'équation.", "x + 1 = 3", "2"),
        ("Solve.", "\\int_0^1 x dx = 1", "2"),
        ("Solve.", "", "2"),
        ("", "", "2"),
        ("Simplify.", "1/2x", "x/2"),
        ("", "4a - 9a", "4"),
    ] {
        assert_eq!(
            graded(prompt, question, answer).verdict,
            C,
            "{prompt} {question}"
        );
    }
}

#[test]
fn reasons_say_what_is_missing() {
    for (prompt, question, answer, task, reason) in [
        (
            "Solve.",
            "x^2 = 4",
            "2",
            Task::Solve,
            Reason::IncompleteSolutionSet,
        ),
        ("Solve.", "x^2 = 4", "3", Task::Solve, Reason::NotASolution),
        (
            "Solve.",
            "x^2 = 4",
            "x^2=4",
            Task::Solve,
            Reason::CopiedQuestion,
        ),
        (
            "Solve.",
            "x^2 = 4",
            "±2",
            Task::Solve,
            Reason::EqualToSolution,
        ),
        (
            "Solve.",
            "x^2 = 4",
            "because I said so",
            Task::Solve,
            Reason::UnreadableAnswer,
        ),
        (
            "Factor.",
            "2x^2-8",
            "2(x^2-4)",
            Task::Factor,
            Reason::NotFactored,
        ),
        (
            "Expand.",
            "2x(x+1)(x-1)",
            "2x(x^2-1)",
            Task::Expand,
            Reason::NotExpanded,
        ),
        (
            "Simplify.",
            "2x+3x+x",
            "5x+x",
            Task::Simplify,
            Reason::NotSimplified,
        ),
        (
            "Evaluate.",
            "2+3*4",
            "2+12",
            Task::Evaluate,
            Reason::NotEvaluated,
        ),
        ("Evaluate.", "2+3*4", "20", Task::Evaluate, Reason::NotEqual),
        (
            "Write 1/2 as a decimal.",
            "",
            "2/4",
            Task::Convert,
            Reason::NotConverted,
        ),
        (
            "Name the shape.",
            "",
            "x",
            Task::Unknown,
            Reason::UnreadableTask,
        ),
    ] {
        let grade = graded(prompt, question, answer);
        assert_eq!(
            (grade.task, grade.reason),
            (task, reason),
            "{prompt} {question} {answer}"
        );
    }
}
