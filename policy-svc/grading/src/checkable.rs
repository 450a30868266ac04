//! Whether a drill can be graded by mathematics alone: it is solved, and answers to it are told apart.

use std::rc::Rc;

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
        Subject::Expression(question) => working::has_form(problem, question, &mut Work::new()),
        _ => true,
    }
}

/// Answers of the kind that the problem asks for. Whoever can tell that these are wrong has the solution.
fn tries(problem: &Problem) -> Vec<String> {
    let unknowns = || {
        let names = problem.variables();
        let is_given = |name: &Rc<str>| problem.givens.iter().any(|(given, _)| given == name);
        names.into_iter().filter(move |name| !is_given(name))
    };
    let all_equal = |relations: &[Relation]| relations.iter().all(|r| r.sign == Sign::Equal);
    match &problem.subject {
        Subject::Comparison(..) => vec!["<".to_owned(), ">".to_owned()],
        Subject::System(_) => {
            let all = |value: &str| {
                let named: Vec<_> = unknowns().map(|name| format!("{name} = {value}")).collect();
                named.join(", ")
            };
            UNLIKELY.map(all).into()
        }
        Subject::Relations(relations) if !all_equal(relations) => {
            let name = unknowns().next().unwrap_or_else(|| Rc::from("x"));
            UNLIKELY.map(|value| format!("{name} > {value}")).into()
        }
        Subject::Quantity(_) => match &problem.target {
            Some(Target::Unit(unit)) => UNLIKELY.map(|value| format!("{value} {unit}")).into(),
            _ => UNLIKELY.map(str::to_owned).into(),
        },
        Subject::Relations(_) | Subject::Expression(_) => UNLIKELY.map(str::to_owned).into(),
    }
}
