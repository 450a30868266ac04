//! Grades an answer: reads the drill and the answer, and asks the mathematics for a verdict.

use crate::{
    algebra::Work,
    answer::{self, Answer},
    grade::{Drill, Grade, Reason, Verdict},
    key::{self, plain},
    solving::{self, Judgement},
    task::{self, Problem, Subject, Target, Unread},
    working,
};

/// See [`crate::grade`].
pub(crate) fn grade(drill: &Drill<'_>, answer: &str) -> Grade {
    let problem = task::problem(drill);
    let task = match &problem {
        Ok(problem) => problem.task,
        Err(Unread::Task(task) | Unread::Question(task)) => *task,
    };
    let own = by_problem(&problem, answer);
    let (verdict, reason) = match drill.key {
        Some(key) => with_key(drill, &problem, key, answer, own),
        None => own,
    };
    Grade {
        verdict,
        task,
        reason,
    }
}

/// What the mathematics of the drill says, without a key.
fn by_problem(problem: &Result<Problem, Unread>, answer: &str) -> Judgement {
    let problem = match problem {
        Ok(problem) => problem,
        Err(Unread::Task(_)) => return (Verdict::CannotTell, Reason::UnreadableTask),
        Err(Unread::Question(_)) => return (Verdict::CannotTell, Reason::UnreadableQuestion),
    };
    let readings = answer::readings(answer);
    let Some(((_, first), others)) = readings.split_first() else {
        return (Verdict::CannotTell, Reason::UnreadableAnswer);
    };
    // Of several ways to read an answer, any that is right makes it right; it is wrong only if all are.
    let mut work = Work::new();
    let mut judgement = by_reading(problem, first, &mut work);
    for (_, other) in others {
        if judgement.0 == Verdict::Right {
            break;
        }
        let next = by_reading(problem, other, &mut work);
        if next.0 != Verdict::Wrong {
            judgement = next;
        }
    }
    judgement
}

fn by_reading(problem: &Problem, answer: &Answer, work: &mut Work) -> Judgement {
    match &problem.subject {
        Subject::Relations(_) | Subject::System(_) => solving::judge(problem, answer, work),
        Subject::Quantity(question) => match &problem.target {
            Some(Target::Unit(unit)) => working::judge_unit(question, unit, answer, work),
            _ => solving::OPEN,
        },
        Subject::Expression(_) | Subject::Comparison(..) => working::judge(problem, answer, work),
    }
}

/// The key decides the value, the task the form.
fn with_key(
    drill: &Drill<'_>,
    problem: &Result<Problem, Unread>,
    key: &str,
    answer: &str,
    own: Judgement,
) -> Judgement {
    let copied = [drill.question_latex, drill.prompt]
        .iter()
        .any(|text| !text.trim().is_empty() && plain(text) == plain(answer));
    match key::equivalent(key, answer) {
        Verdict::Right if copied => match own {
            (Verdict::Wrong, _) => own,
            _ => (Verdict::CannotTell, Reason::CopiedQuestion),
        },
        Verdict::Right => match own {
            (_, Reason::CopiedQuestion) => own,
            // The form counts where the key itself has it, and what is unsure of a form stays so.
            (Verdict::Wrong | Verdict::CannotTell, reason) if is_formal(reason) => {
                if by_problem(problem, key).0 == Verdict::Right {
                    own
                } else {
                    (Verdict::Right, Reason::MatchesKey)
                }
            }
            _ => (Verdict::Right, Reason::MatchesKey),
        },
        Verdict::Wrong => match own {
            // Either the key or this reading of the task is mistaken.
            (Verdict::Right, _) => (Verdict::CannotTell, Reason::DiffersFromKey),
            (Verdict::Wrong, reason) => (Verdict::Wrong, reason),
            (Verdict::CannotTell, Reason::CopiedQuestion) => own,
            (Verdict::CannotTell, _) => (Verdict::Wrong, Reason::DiffersFromKey),
        },
        // Where the key fails the task as it was read, one of the two is mistaken.
        Verdict::CannotTell if own.0 == Verdict::Wrong => {
            if by_problem(problem, key).0 == Verdict::Wrong {
                (Verdict::CannotTell, Reason::DiffersFromKey)
            } else {
                own
            }
        }
        Verdict::CannotTell => own,
    }
}

fn is_formal(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::NotFactored
            | Reason::NotExpanded
            | Reason::NotSimplified
            | Reason::NotEvaluated
            | Reason::NotConverted
    )
}
