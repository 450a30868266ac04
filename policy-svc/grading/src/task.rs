//! Reads the task from a drill: what to do, with which formula, and in which form.

pub(crate) mod german;
pub(crate) mod slope;
mod subject;

use std::rc::Rc;

use self::subject::{formulas, quantity, read_subject, subject};

use crate::{
    algebra::{Env, Quotient, Roots, Work, normal},
    answer::Answer,
    grade::{Drill, Task},
    notation::{Expression, Relation, Sign},
    prompt::{Piece, pieces, with_units},
    vocabulary,
};

/// What a drill works on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    /// An expression.
    Expression(Expression),
    /// Relations in a chain, all of which hold: one equation, one inequality, `-2 < x < 5`.
    Relations(Vec<Relation>),
    /// Several equations.
    System(Vec<Relation>),
    /// A number with a unit.
    Quantity(Answer),
    /// Two numbers with a place between them for a sign.
    Comparison(Expression, Expression),
}

/// Which of several solutions is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// All.
    All,
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
    /// The positive one.
    Positive,
    /// The negative one.
    Negative,
    /// Those that are not zero.
    NotZero,
}

/// The form that a conversion asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A decimal number.
    Decimal,
    /// A quotient of whole numbers.
    Fraction,
    /// So many per cent.
    Percent,
    /// A whole number and a proper fraction.
    Mixed,
    /// A fraction whose numerator is larger than its denominator.
    Improper,
    /// A number times a power of ten.
    Scientific,
    /// A unit.
    Unit(String),
}

/// A problem that was understood.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// What to do.
    pub(crate) task: Task,
    /// With what.
    pub(crate) subject: Subject,
    /// What variables stand for.
    pub(crate) givens: Vec<(Rc<str>, Expression)>,
    /// The variable that is asked for, where it is named.
    pub(crate) unknown: Option<Rc<str>>,
    /// Which solution.
    pub(crate) pick: Pick,
    /// The form to convert to.
    pub(crate) target: Option<Target>,
    /// Decimal places to round to.
    pub(crate) round: Option<u32>,
    /// Whether the prompt says to simplify, so that an answer that could be simplified is wrong.
    pub(crate) simplified: bool,
    /// Whether it asks for a fraction in lowest terms.
    pub(crate) lowest: bool,
    /// Whether only the greatest common factor is to be taken out.
    pub(crate) common_factor: bool,
    /// Whether the words speak of powers, so that `3^8` may stay as it is.
    pub(crate) powers: bool,
    /// Whether a division is written as one, `7 \div 2`, and not as a fraction.
    pub(crate) divides: bool,
    /// Whether it asks for interval notation or another writing that is not checked.
    pub(crate) writing: bool,
}

/// What stood in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The words.
    Task(Task),
    /// The formula.
    Question(Task),
}

/// Longer prompts are stories.
const MAX_WORDS: usize = 60;

/// Reads a drill: tasks in English and in German, and slopes of lines.
pub(crate) fn problem(drill: &Drill<'_>) -> Result<Problem, Unread> {
    in_english(drill).or_else(|unread| {
        if is_too_long(drill) {
            return Err(unread);
        }
        let found = slope::problem(drill).or_else(|| in_german(drill));
        found.ok_or(unread)
    })
}

fn in_german(drill: &Drill<'_>) -> Option<Problem> {
    let prompt = german::in_english(drill.prompt)?;
    let drill = Drill {
        prompt: &prompt,
        ..*drill
    };
    in_english(&drill).ok()
}

fn is_too_long(drill: &Drill<'_>) -> bool {
    let most = 4 * crate::notation::MAX_CHARACTERS;
    drill.prompt.len() > most || drill.question_latex.len() > most
}

/// Reads a drill whose task is in English.
pub(crate) fn in_english(drill: &Drill<'_>) -> Result<Problem, Unread> {
    if is_too_long(drill) {
        return Err(Unread::Task(Task::Unknown));
    }
    let pieces = pieces(drill.prompt);
    let words = words(&pieces);
    let task = vocabulary::task(&words);
    // "Is 3 a solution?" asks for yes or no.
    let asks_whether = pieces.iter().any(|piece| {
        matches!(piece, Piece::Word(word, true)
            if matches!(word.as_str(), "is" | "are" | "does" | "do" | "can" | "how" | "why" | "which" | "explain"))
    });
    if words.len() > MAX_WORDS || asks_whether || !vocabulary::all_known(&words) {
        return Err(Unread::Task(task));
    }
    let round = vocabulary::rounding(&words).map_err(|()| Unread::Task(task))?;
    let target = vocabulary::target(&words);
    let converts_units = task == Task::Convert && matches!(target, Some(Target::Unit(_)));
    let united = with_units(pieces.clone());
    let mut formulas = if converts_units {
        formulas(&united, drill.question_latex)
    } else {
        formulas(&pieces, drill.question_latex)
    };
    let quantity = converts_units
        .then(|| quantity(&formulas, drill.question_latex))
        .flatten();
    let subject = match quantity {
        Some(quantity) => quantity,
        None => subject(&mut formulas, drill.question_latex).ok_or(Unread::Question(task))?,
    };
    // "45 minutes as a fraction of an hour": the number is not all there is to work on.
    if matches!(subject, Subject::Expression(_)) && united.len() < pieces.len() {
        return Err(Unread::Task(task));
    }
    let problem = Problem {
        subject,
        givens: formulas.givens,
        unknown: formulas.unknown,
        target,
        round,
        ..described(drill, task, &words)
    };
    settle(problem, &words)
}

/// Reads a formula as what a drill works on, whatever is to be done with it.
pub(crate) fn formula(text: &str) -> Option<Subject> {
    read_subject(text, &mut Vec::new())
}

/// What the words of a prompt say of a task, whatever it is to be done with.
fn described(drill: &Drill<'_>, task: Task, words: &[&str]) -> Problem {
    Problem {
        task,
        subject: Subject::Relations(Vec::new()),
        givens: Vec::new(),
        unknown: None,
        pick: vocabulary::pick(words),
        target: None,
        round: None,
        simplified: vocabulary::wants_simplified(words),
        lowest: words.contains(&"lowest") && words.contains(&"fraction"),
        common_factor: vocabulary::wants_common_factor(words),
        powers: ["power", "powers", "exponent", "exponents"]
            .iter()
            .any(|word| words.contains(word)),
        divides: [drill.prompt, drill.question_latex]
            .iter()
            .any(|text| text.contains("\\div") || text.contains('÷')),
        writing: words.contains(&"interval"),
    }
}

/// The problem of bringing `subject` into the form that a prompt names, where the rest of it was not understood.
pub(crate) fn by_words(drill: &Drill<'_>, subject: Expression) -> Option<Problem> {
    let german = german::in_english(drill.prompt);
    let pieces = pieces(german.as_deref().unwrap_or(drill.prompt));
    let words = words(&pieces);
    let task = vocabulary::task(&words);
    matches!(
        task,
        Task::Simplify | Task::Expand | Task::Factor | Task::Convert
    )
    .then(|| Problem {
        subject: Subject::Expression(subject),
        target: vocabulary::target(&words),
        ..described(drill, task, &words)
    })
}

fn words(pieces: &[Piece]) -> Vec<&str> {
    pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Word(word, _) => Some(word.as_str()),
            Piece::Formula(_) => None,
        })
        .collect()
}

/// Fits the task to what it is to be done with.
fn settle(mut problem: Problem, words: &[&str]) -> Result<Problem, Unread> {
    let has = |word: &str| words.contains(&word);
    let unread = Err(Unread::Task(problem.task));
    match &problem.subject {
        Subject::Comparison(..) => {
            if !matches!(problem.task, Task::Unknown | Task::Compare) {
                return unread;
            }
            problem.task = Task::Compare;
        }
        Subject::Quantity(_) => {
            if problem.task != Task::Convert || !matches!(problem.target, Some(Target::Unit(_))) {
                return unread;
            }
        }
        Subject::System(_) => {
            if !(matches!(problem.task, Task::Solve) || words.is_empty()) {
                return unread;
            }
            problem.task = Task::Solve;
        }
        Subject::Relations(relations) => {
            let equation = matches!(relations.as_slice(), [only] if only.sign == Sign::Equal);
            match problem.task {
                Task::Solve => {}
                Task::Unknown if words.is_empty() => problem.task = Task::Solve,
                Task::Evaluate if equation && !problem.givens.is_empty() => {}
                Task::Evaluate if equation && vocabulary::asks_for_variable(words) => {
                    problem.task = Task::Solve;
                }
                _ => return unread,
            }
        }
        // A unit was asked for, and none was found to convert from.
        Subject::Expression(_) if matches!(problem.target, Some(Target::Unit(_))) => return unread,
        Subject::Expression(expression) => {
            let variable = expression
                .variables()
                .iter()
                .any(|name| !problem.givens.iter().any(|(given, _)| given == name));
            let quotient = expression.any(&|part| match part {
                Expression::Divide(_, below) => below.has_variable(),
                Expression::Power(_, exponent) => matches!(**exponent, Expression::Negate(_)),
                _ => false,
            });
            match problem.task {
                Task::Solve if has("expression") || has("expressions") || !variable => {
                    problem.task = if variable {
                        Task::Simplify
                    } else {
                        Task::Evaluate
                    };
                }
                Task::Solve => return unread,
                Task::Evaluate if variable => problem.task = Task::Simplify,
                Task::Expand if !variable => problem.task = Task::Evaluate,
                Task::Expand if quotient => problem.task = Task::Simplify,
                Task::Unknown if words.is_empty() && !variable => problem.task = Task::Evaluate,
                Task::Unknown | Task::Compare => return unread,
                _ => {}
            }
            if problem.task == Task::Convert
                && variable
                && problem.simplified
                && problem.target == Some(Target::Fraction)
            {
                problem.task = Task::Simplify;
                problem.target = None;
            }
            if problem.task == Task::Convert {
                problem.target = problem.target.or_else(|| {
                    problem
                        .simplified
                        .then_some(Target::Fraction)
                        .filter(|_| !expression.has_variable())
                });
                if problem.target.is_none() || variable {
                    return unread;
                }
            }
            let as_one = variable && problem.simplified && problem.target == Some(Target::Fraction);
            if problem.target.is_some()
                && !as_one
                && !matches!(problem.task, Task::Convert)
                && problem.task != Task::Solve
            {
                problem.writing = true;
            }
        }
    }
    if problem.task == Task::Solve && vocabulary::restricts(words) {
        return Err(Unread::Task(Task::Solve));
    }
    Ok(problem)
}

impl Subject {
    /// The expressions that stand in it.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Expression(only) => vec![only],
            Self::Relations(relations) | Self::System(relations) => relations
                .iter()
                .flat_map(|relation| [&relation.left, &relation.right])
                .collect(),
            Self::Comparison(left, right) => vec![left, right],
            Self::Quantity(_) => Vec::new(),
        }
    }

    /// The variables, each once.
    pub(crate) fn variables(&self) -> Vec<Rc<str>> {
        let mut names: Vec<Rc<str>> = self
            .expressions()
            .into_iter()
            .flat_map(Expression::variables)
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

impl Problem {
    /// The subject's variables, each once.
    pub(crate) fn variables(&self) -> Vec<Rc<str>> {
        self.subject.variables()
    }

    /// The environment with the givens.
    pub(crate) fn env(&self, roots: Roots, work: &mut Work) -> Option<Env> {
        let mut env = Env::new(roots);
        for (name, value) in &self.givens {
            let value: Quotient = normal(value, &mut Env::new(roots), work).ok()?;
            env = env.with(name, value);
        }
        Some(env)
    }
}
