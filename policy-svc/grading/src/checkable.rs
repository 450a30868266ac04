//! Whether a drill can be graded by mathematics alone: it is solved, and answers to it are told apart.

use num_traits::{One, Zero};

use crate::{
    algebra::Work,
    grade::{Drill, Task, Verdict},
    grader,
    notation::{Expression, Relation, Sign},
    task::{self, Problem, Subject, Target},
    working,
};

/// Values that hardly any drill asks for.
const UNLIKELY: [&str; 2] = ["97", "89"];

/// See [`crate::is_checkable`].
pub(crate) fn is_checkable(drill: &Drill<'_>) -> bool {
    let drill = Drill {
        key: None,
        ..*drill
    };
    let Ok(problem) = task::problem(&drill) else {
        return false;
    };
    has_form(&problem)
        && tries(&problem)
            .iter()
            .all(|answer| grader::grade(&drill, answer).verdict != Verdict::CannotTell)
}

fn has_form(problem: &Problem) -> bool {
    match &problem.subject {
        Subject::Expression(question) => {
            let is_own_answer = matches!(problem.task, Task::Evaluate | Task::Simplify)
                && problem.target.is_none()
                && problem.round.is_none()
                && is_number(question);
            !is_own_answer && working::has_form(problem, question, &mut Work::new())
        }
        _ => true,
    }
}

/// Whether nothing is to be done: `7`, `2 + 0`, `1 · 7`, `7/1`.
fn is_number(expression: &Expression) -> bool {
    match expression {
        Expression::Number { .. } => true,
        Expression::Negate(inner) => matches!(**inner, Expression::Number { .. }),
        // `0 - 7` is work.
        Expression::Add(parts) => {
            !parts.first().is_some_and(is_zero) && is_only_number(parts, is_zero)
        }
        Expression::Multiply(factors) => is_only_number(factors, is_one),
        Expression::Divide(above, below) => is_one(below) && is_number(above),
        _ => false,
    }
}

/// Whether there is one number beside those that change nothing, or none.
fn is_only_number(parts: &[Expression], is_idle: fn(&Expression) -> bool) -> bool {
    let mut others = parts.iter().filter(|part| !is_idle(part));
    others.next().is_none_or(is_number) && others.next().is_none()
}

fn is_zero(expression: &Expression) -> bool {
    match expression {
        Expression::Number { value, .. } => value.is_zero(),
        Expression::Negate(inner) => is_zero(inner),
        _ => false,
    }
}

fn is_one(expression: &Expression) -> bool {
    matches!(expression, Expression::Number { value, .. } if value.is_one())
}

/// Answers of the kind that the problem asks for. Whoever can tell that these are wrong has the solution.
fn tries(problem: &Problem) -> [String; 2] {
    let mut unknowns = problem.variables();
    unknowns.retain(|name| problem.givens.iter().all(|(given, _)| given != name));
    let all_equal = |relations: &[Relation]| relations.iter().all(|r| r.sign == Sign::Equal);
    match &problem.subject {
        Subject::Comparison(..) => ["<".to_owned(), ">".to_owned()],
        Subject::System(_) => UNLIKELY.map(|value| {
            let named: Vec<_> = unknowns
                .iter()
                .map(|name| format!("{name} = {value}"))
                .collect();
            named.join(", ")
        }),
        Subject::Relations(relations) if !all_equal(relations) => {
            let name = unknowns.first().map_or("x", |name| &**name);
            UNLIKELY.map(|value| format!("{name} > {value}"))
        }
        Subject::Quantity(_) => match &problem.target {
            Some(Target::Unit(unit)) => UNLIKELY.map(|value| format!("{value} {unit}")),
            _ => UNLIKELY.map(str::to_owned),
        },
        Subject::Relations(_) | Subject::Expression(_) => UNLIKELY.map(str::to_owned),
    }
}
