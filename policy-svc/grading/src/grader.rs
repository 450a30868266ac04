//! Grades an answer: reads the drill and the answer, and asks the mathematics for a verdict.

use crate::{
    algebra::Work,
    answer::{self, Answer, Letters, Reading},
    claims, copies, formed,
    grade::{Drill, Grade, Reason, Task, Verdict},
    key::{self, plain},
    notation::{Expression, Sign},
    solving::{self, Judgement},
    task::{self, Problem, Subject, Target, Unread},
    wording, working,
};

/// See [`crate::grade`].
pub(crate) fn grade(drill: &Drill<'_>, answer: &str) -> Grade {
    let texts = [drill.prompt, drill.question_latex, answer];
    let mut texts = texts.into_iter().chain(drill.key);
    if texts.any(|text| text.len() > key::MAX_BYTES) {
        // It exceeds every bound, whatever it says.
        return Grade {
            verdict: Verdict::CannotTell,
            task: Task::Unknown,
            reason: Reason::Undecided,
        };
    }
    let problem = task::problem(drill);
    let (verdict, reason) = by_words(drill, &problem, answer);
    Grade {
        verdict,
        task: task_of(&problem),
        reason,
    }
}

/// See [`crate::task`].
pub(crate) fn task(drill: &Drill<'_>) -> Task {
    let mut texts = [drill.prompt, drill.question_latex].into_iter();
    if texts.any(|text| text.len() > key::MAX_BYTES) {
        return Task::Unknown;
    }
    task_of(&task::problem(drill))
}

fn task_of(problem: &Result<Problem, Unread>) -> Task {
    match problem {
        Ok(problem) => problem.task,
        Err(Unread::Task(task) | Unread::Question(task)) => *task,
    }
}

/// Judges what an answer says, and its steps.
fn by_words(drill: &Drill<'_>, problem: &Result<Problem, Unread>, answer: &str) -> Judgement {
    if drill
        .key
        .is_some_and(|key| key::is_written_alike(key, answer))
    {
        return by_formula(drill, problem, answer);
    }
    let Some(heard) = wording::heard(drill, answer) else {
        return (Verdict::CannotTell, Reason::UnreadableAnswer);
    };
    let (mut answer, mut claims) = (heard.answer, heard.claims);
    let mut judgement = by_formula(drill, problem, &answer);
    if judgement.0 != Verdict::Right
        && let Some((steps, last)) =
            claims::steps(&answer).or_else(|| claims::last_side(problem.as_ref().ok(), &answer))
    {
        let concluded = by_formula(drill, problem, &last);
        let decides = match concluded.0 {
            Verdict::Right => true,
            Verdict::Wrong => judgement.0 == Verdict::CannotTell,
            Verdict::CannotTell => false,
        };
        if decides {
            judgement = concluded;
            answer = last;
            claims.extend(steps);
        }
    }
    let problem = problem.as_ref().ok();
    if judgement.0 == Verdict::Right && !claims::hold(&claims, problem, &answer, &mut Work::new()) {
        return (Verdict::CannotTell, Reason::UnclearSteps);
    }
    judgement
}

/// Judges an answer that is nothing but a formula.
fn by_formula(drill: &Drill<'_>, problem: &Result<Problem, Unread>, answer: &str) -> Judgement {
    let own = by_problem(problem, answer);
    match drill.key {
        Some(key) => with_key(drill, problem, key, answer, own),
        None => own,
    }
}

/// What the mathematics of the drill says, without a key.
fn by_problem(problem: &Result<Problem, Unread>, answer: &str) -> Judgement {
    let problem = match problem {
        Ok(problem) => problem,
        Err(Unread::Task(_)) => return (Verdict::CannotTell, Reason::UnreadableTask),
        Err(Unread::Question(_)) => return (Verdict::CannotTell, Reason::UnreadableQuestion),
    };
    let readings = readings(problem, answer);
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
        // That one reading has another value says less than what another reading lacks.
        if next.0 != Verdict::Wrong || is_formal(next.1) {
            judgement = next;
        }
    }
    if judgement.0 == Verdict::Wrong && is_doubted(problem, answer, &readings, judgement.1) {
        return solving::OPEN;
    }
    judgement
}

/// All ways to read an answer. Where no list is asked for, a comma between digits parts no items: `2,6` is one number, be it
/// right or wrong.
fn readings(problem: &Problem, answer: &str) -> Vec<(Reading, Answer)> {
    let mut readings = answer::readings(answer);
    let takes_list = match &problem.subject {
        Subject::Expression(_) | Subject::Quantity(_) => false,
        Subject::Relations(relations) => relations.iter().all(|one| one.sign == Sign::Equal),
        Subject::System(_) | Subject::Comparison(..) => true,
    };
    if !takes_list {
        let fewest = readings.iter().map(|(_, own)| own.item_count()).min();
        readings.retain(|(_, own)| Some(own.item_count()) == fewest);
    }
    readings
}

/// Whether a wrong answer would not be wrong in a less usual reading.
fn is_doubted(
    problem: &Problem,
    answer: &str,
    readings: &[(Reading, Answer)],
    reason: Reason,
) -> bool {
    let is_expression = matches!(problem.subject, Subject::Expression(_));
    // The sides of a chain have one value: another may only have a better form.
    let sides: Vec<Answer> = if is_expression && reason != Reason::NotEqual {
        readings
            .iter()
            .flat_map(|(_, answer)| answer::other_sides(answer))
            .collect()
    } else {
        Vec::new()
    };
    let mut work = Work::new();
    let mut judged = |other: &Answer| by_reading(problem, other, &mut work).0;
    answer::as_list(answer).is_some_and(|list| judged(&list) == Verdict::Right)
        || sides
            .into_iter()
            .chain(answer::doubts(answer))
            .filter(|other| !readings.iter().any(|(_, known)| known == other))
            .filter(|other| !is_expression || is_one(other))
            .any(|other| judged(&other) != Verdict::Wrong)
}

/// Whether an answer is one thing, as expressions have one value: `+-8` is no two.
fn is_one(answer: &Answer) -> bool {
    let values = || answer.values(Letters::Variables, &mut Work::new());
    matches!(answer, Answer::Phrase(_)) || values().is_some_and(|values| values.len() == 1)
}

/// Judges one reading of an answer. What a chain that does not hold comes to is never right; it is wrong where it would be
/// wrong alone.
fn by_reading(problem: &Problem, answer: &Answer, work: &mut Work) -> Judgement {
    let own = by_subject(problem, answer, work);
    if own.0 != Verdict::CannotTell {
        return own;
    }
    let question = match &problem.subject {
        Subject::Expression(question) => Some(question),
        _ => None,
    };
    let with_variables = question.is_some_and(Expression::has_variable);
    let Some(concluded) = answer.concluded(question, with_variables, work) else {
        return own;
    };
    match by_subject(problem, &concluded, work) {
        wrong @ (Verdict::Wrong, _) => wrong,
        _ => own,
    }
}

fn by_subject(problem: &Problem, answer: &Answer, work: &mut Work) -> Judgement {
    match &problem.subject {
        Subject::Quantity(_) if problem.round.is_some() => solving::OPEN,
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
    let or_wrong = |other: Reason| match own {
        (Verdict::Wrong, _) => own,
        _ => (Verdict::CannotTell, other),
    };
    match key::equivalent(key, answer) {
        Verdict::Right if copied || copies::is_copied(drill, key, answer) => {
            or_wrong(Reason::CopiedQuestion)
        }
        Verdict::Right if copies::in_other_unit(drill, problem, key, answer) => {
            or_wrong(Reason::NotConverted)
        }
        Verdict::Right => match own {
            (_, Reason::CopiedQuestion) => own,
            (Verdict::Right, _) => (Verdict::Right, Reason::MatchesKey),
            // The form counts where the key itself has it, and what is unsure of a form stays so.
            (Verdict::Wrong | Verdict::CannotTell, reason)
                if (is_formal(reason) || names_unknown(problem))
                    && by_problem(problem, key).0 == Verdict::Right =>
            {
                own
            }
            _ => formed::like_key(drill, problem, key, answer)
                .unwrap_or((Verdict::Right, Reason::MatchesKey)),
        },
        Verdict::Wrong if claims::shows(key, answer) => {
            (Verdict::CannotTell, Reason::UnreadableAnswer)
        }
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
        Verdict::CannotTell if copies::in_wrong_unit(drill, key, answer) => {
            (Verdict::Wrong, Reason::WrongUnit)
        }
        Verdict::CannotTell => own,
    }
}

/// Whether an equation is to be solved for one of its variables: another equation that says the same is no solution.
fn names_unknown(problem: &Result<Problem, Unread>) -> bool {
    problem.as_ref().is_ok_and(|problem| {
        problem.task == Task::Solve && problem.unknown.is_some() && problem.variables().len() > 1
    })
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
