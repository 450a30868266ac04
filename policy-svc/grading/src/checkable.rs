//! Whether a drill can be graded by mathematics alone: it is solved, and answers to it are told apart.

use crate::{
    algebra::Work,
    grade::{Drill, Verdict},
    grader,
    notation::{Relation, Sign},
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
    let Ok(problem) = task::problem_alone(&drill) else {
        return false;
    };
    has_form(&problem)
        && tries(&problem)
            .iter()
            .all(|answer| grader::grade(&drill, answer).verdict != Verdict::CannotTell)
}

fn has_form(problem: &Problem) -> bool {
    match &problem.subject {
        Subject::Expression(question) => working::has_form(problem, question, &mut Work::new()),
        _ => true,
    }
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
