//! Reads the task from a drill: what to do, with which formula, and in which form.

use std::rc::Rc;

use crate::{
    algebra::{Env, Quotient, Roots, Work, normal},
    answer::{self, Answer, Item, Reading},
    grade::{Drill, Task},
    notation::{
        Comma, Expression, Relation, Sign, Slash, Token, TokenKind, relation_chain, relations,
        tokens,
    },
    prompt::{Piece, pieces},
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
    /// Whether only the greatest common factor is to be taken out.
    pub(crate) common_factor: bool,
    /// Whether the words speak of powers, so that `3^8` may stay as it is.
    pub(crate) powers: bool,
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

const READING: Reading = Reading {
    comma: Comma::Separates,
    slash: Slash::Short,
};

/// Longer prompts are stories.
const MAX_WORDS: usize = 60;

/// Reads a drill.
pub(crate) fn problem(drill: &Drill<'_>) -> Result<Problem, Unread> {
    if drill.prompt.len() > 4 * crate::notation::MAX_CHARACTERS
        || drill.question_latex.len() > 4 * crate::notation::MAX_CHARACTERS
    {
        return Err(Unread::Task(Task::Unknown));
    }
    let pieces = pieces(drill.prompt);
    let words: Vec<&str> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Word(word, _) => Some(word.as_str()),
            Piece::Formula(_) => None,
        })
        .collect();
    let task = vocabulary::task(&words);
    // "Is 3 a solution?" asks for yes or no.
    let asks_whether = pieces.iter().any(|piece| {
        matches!(piece, Piece::Word(word, true)
            if matches!(word.as_str(), "is" | "are" | "does" | "do" | "can" | "how" | "why" | "which" | "explain"))
    });
    if words.len() > MAX_WORDS || asks_whether || !vocabulary::all_known(&words) {
        return Err(Unread::Task(task));
    }
    let has = |word: &str| words.contains(&word);
    let round = vocabulary::rounding(&words).map_err(|()| Unread::Task(task))?;
    let mut formulas = formulas(&pieces, drill.question_latex);
    let target = vocabulary::target(&words);
    let quantity = (task == Task::Convert && matches!(target, Some(Target::Unit(_))))
        .then(|| quantity(&formulas, drill.question_latex))
        .flatten();
    let subject = match quantity {
        Some(quantity) => quantity,
        None => subject(&mut formulas, drill.question_latex).ok_or(Unread::Question(task))?,
    };
    let problem = Problem {
        task,
        subject,
        givens: formulas.givens,
        unknown: formulas.unknown,
        pick: vocabulary::pick(&words),
        target,
        round,
        simplified: vocabulary::wants_simplified(&words),
        common_factor: has("gcf") || has("common") && has("factor"),
        powers: ["power", "powers", "exponent", "exponents"]
            .iter()
            .any(|word| has(word)),
        writing: has("interval"),
    };
    settle(problem, &words)
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
            if problem.target.is_some()
                && !matches!(problem.task, Task::Convert)
                && problem.task != Task::Solve
            {
                problem.writing = true;
            }
        }
    }
    Ok(problem)
}

#[derive(Debug, Default)]
struct Formulas {
    main: Vec<String>,
    givens: Vec<(Rc<str>, Expression)>,
    unknown: Option<Rc<str>>,
}

/// Sorts formulas: what a variable stands for, which variable is asked for, and what to work on.
fn formulas(pieces: &[Piece], question: &str) -> Formulas {
    let mut found = Formulas::default();
    let mut previous = "";
    let mut last_given = false;
    let mut in_terms = false;
    let several = pieces
        .iter()
        .filter(|piece| matches!(piece, Piece::Formula(_)))
        .count()
        > 1
        || !question.trim().is_empty();
    for piece in pieces {
        match piece {
            Piece::Word(word, _) => {
                in_terms |= word == "terms";
                if word != "and" {
                    last_given = false;
                }
                previous = word;
            }
            Piece::Formula(formula) => {
                let introduced = matches!(
                    previous,
                    "when"
                        | "if"
                        | "for"
                        | "at"
                        | "given"
                        | "let"
                        | "where"
                        | "with"
                        | "value"
                        | "values"
                        | "and"
                );
                let given = (introduced && (previous != "and" || last_given))
                    .then(|| givens(formula))
                    .flatten();
                last_given = given.is_some() && several;
                match (given, single_variable(formula)) {
                    (Some(given), _) if several => found.givens.extend(given),
                    (_, Some(name)) if several => {
                        if !in_terms
                            && matches!(previous, "for" | "find" | "of" | "is" | "variable")
                        {
                            found.unknown = Some(name);
                        }
                    }
                    _ => {
                        if !found.main.contains(formula) {
                            found.main.push(formula.clone());
                        }
                    }
                }
                previous = "";
            }
        }
    }
    found
}

fn single_variable(formula: &str) -> Option<Rc<str>> {
    match tokens(formula, Comma::Separates)?.as_slice() {
        [
            Token {
                kind: TokenKind::Word(name),
                ..
            },
        ] if name.chars().count() == 1 || name.contains('_') => Some(Rc::clone(name)),
        _ => None,
    }
}

/// `x = 4`, `x = 4, y = -1`: values of variables.
fn givens(formula: &str) -> Option<Vec<(Rc<str>, Expression)>> {
    let answer = answer::read(formula, READING)?;
    let values = answer.values(answer::Letters::Variables, &mut Work::new())?;
    values
        .into_iter()
        .map(|value| {
            let name = value.variable?;
            (value.unit.is_none() && !value.expression.has_variable())
                .then_some((name, value.expression))
        })
        .collect()
}

fn subject(formulas: &mut Formulas, question: &str) -> Option<Subject> {
    let question = question.trim();
    if question.is_empty() {
        // Equations with words between them are a system.
        return match formulas.main.as_slice() {
            [only] => read_subject(only, &mut formulas.givens),
            [] => None,
            several => {
                let mut all = Vec::new();
                for formula in several {
                    match read_subject(formula, &mut formulas.givens)? {
                        Subject::Relations(relations) if relations.len() == 1 => {
                            all.extend(relations)
                        }
                        _ => return None,
                    }
                }
                equations(all)
            }
        };
    }
    let subject = read_subject(question, &mut formulas.givens)?;
    for formula in &formulas.main {
        // What the prompt repeats of the question says nothing new; anything else was not understood.
        if read_subject(formula, &mut Vec::new()).as_ref() != Some(&subject) {
            return None;
        }
    }
    Some(subject)
}

/// The one number with a unit that is to be converted.
fn quantity(formulas: &Formulas, question: &str) -> Option<Subject> {
    let text = match (formulas.main.as_slice(), question.trim()) {
        ([only], "") => only.as_str(),
        ([], question) => question,
        _ => return None,
    };
    let quantity = answer::read(text, READING)?;
    match &quantity {
        Answer::Items(items)
            if matches!(
                items.as_slice(),
                [(
                    _,
                    Item::Value {
                        united: Some(_),
                        ..
                    }
                )]
            ) =>
        {
            Some(Subject::Quantity(quantity))
        }
        _ => None,
    }
}

fn equations(all: Vec<Relation>) -> Option<Subject> {
    all.iter()
        .all(|relation| relation.sign == Sign::Equal)
        .then_some(Subject::System(all))
}

fn read_subject(text: &str, givens_found: &mut Vec<(Rc<str>, Expression)>) -> Option<Subject> {
    let all = tokens(answer::stripped(text), Comma::Separates)?;
    let is_blank = |token: &Token| matches!(token.kind, TokenKind::Blank | TokenKind::Other('?'));
    if all.iter().any(is_blank) {
        return with_blank(&all);
    }
    if let Some(subject) = plain_subject(&all) {
        return Some(subject);
    }
    // `7 - 4x, x = 2`, `7 - 4x \text{ for } x = 2`
    let cut = all.iter().position(|token| match &token.kind {
        TokenKind::Comma | TokenKind::Break => true,
        TokenKind::Word(word) => matches!(&**word, "for" | "when" | "if" | "where" | "at" | "with"),
        _ => false,
    });
    if let Some(cut) = cut
        && let (Some(before), Some(after)) = (all.get(..cut), all.get(cut + 1..))
        && let Some(Subject::Expression(expression)) = plain_subject(before)
        && let Some((sides, signs)) = relation_chain(after, Slash::Short)
        && let ([Expression::Variable(name), value], [Sign::Equal]) =
            (sides.as_slice(), signs.as_slice())
        && !value.has_variable()
    {
        givens_found.push((Rc::clone(name), value.clone()));
        return Some(Subject::Expression(expression));
    }
    equations(system(&all, 3)?)
}

/// Both readings of a slash must be one.
fn plain_subject(all: &[Token]) -> Option<Subject> {
    let (sides, signs) = relation_chain(all, Slash::Short)?;
    if relation_chain(all, Slash::Long) != Some((sides.clone(), signs.clone())) {
        return None;
    }
    if signs.is_empty() {
        return sides.into_iter().next().map(Subject::Expression);
    }
    let equal = signs.iter().filter(|sign| **sign == Sign::Equal).count();
    (equal == 0 || signs.len() == 1).then(|| Subject::Relations(relations(&sides, &signs)))
}

/// `3 ___ -4`: a sign is missing. `5 + ___ = 9`: a number is, which is solved for like a variable.
fn with_blank(all: &[Token]) -> Option<Subject> {
    let is_blank = |token: &Token| matches!(token.kind, TokenKind::Blank | TokenKind::Other('?'));
    let mut blanks = all.iter().enumerate().filter(|(_, token)| is_blank(token));
    let (at, _) = blanks.next()?;
    if blanks.next().is_some() {
        return None;
    }
    let side = |tokens: Option<&[Token]>| {
        tokens
            .filter(|tokens| !tokens.is_empty())
            .and_then(|tokens| crate::notation::expression(tokens, Slash::Short))
    };
    if let (Some(left), Some(right)) = (side(all.get(..at)), side(all.get(at + 1..)))
        && !left.has_variable()
        && !right.has_variable()
        && !matches!(
            all.get(at + 1).map(|token| &token.kind),
            Some(TokenKind::Operator('+' | '*' | '/'))
        )
    {
        return Some(Subject::Comparison(left, right));
    }
    let filled: Vec<Token> = all
        .iter()
        .map(|token| Token {
            kind: if is_blank(token) {
                TokenKind::Word("□".into())
            } else {
                token.kind.clone()
            },
            spaced: token.spaced,
        })
        .collect();
    match plain_subject(&filled)? {
        Subject::Relations(relations) if relations.len() == 1 => {
            Some(Subject::Relations(relations))
        }
        _ => None,
    }
}

/// Equations one after another: parted by commas, new lines, `and`, or by white space where only one cut makes sense.
fn system(all: &[Token], most: usize) -> Option<Vec<Relation>> {
    let parts: Vec<&[Token]> = all
        .split(|token| match &token.kind {
            TokenKind::Comma | TokenKind::Break | TokenKind::Other('&') => true,
            TokenKind::Word(word) => &**word == "and",
            _ => false,
        })
        .filter(|part| !part.is_empty())
        .collect();
    let part = |tokens: &[Token]| {
        let tokens = match tokens {
            [
                Token {
                    kind: TokenKind::Open('{'),
                    ..
                },
                rest @ ..,
            ] => rest,
            all => all,
        };
        let tokens = match tokens {
            [
                rest @ ..,
                Token {
                    kind: TokenKind::Close('{'),
                    ..
                },
            ] => rest,
            all => all,
        };
        one_equation(tokens)
    };
    if parts.len() > 1 {
        return parts.into_iter().map(part).collect();
    }
    by_space(all, most)
}

fn one_equation(tokens: &[Token]) -> Option<Relation> {
    match plain_subject(tokens)? {
        Subject::Relations(mut relations) if relations.len() == 1 => relations
            .pop()
            .filter(|relation| relation.sign == Sign::Equal),
        _ => None,
    }
}

fn by_space(all: &[Token], most: usize) -> Option<Vec<Relation>> {
    let signs = all
        .iter()
        .filter(|token| matches!(token.kind, TokenKind::Relation(_)))
        .count();
    if signs == 1 {
        return one_equation(all).map(|equation| vec![equation]);
    }
    if signs == 0 || most < 2 || signs > most || all.len() > 80 {
        return None;
    }
    let mut found: Option<Vec<Relation>> = None;
    for at in 1..all.len() {
        if !all.get(at).is_some_and(|token| token.spaced) {
            continue;
        }
        let (before, after) = (all.get(..at)?, all.get(at..)?);
        let Some(first) = one_equation(before) else {
            continue;
        };
        // A cut before a sign would turn a summand into a number of its own.
        if matches!(
            after.first().map(|token| &token.kind),
            Some(TokenKind::Operator('+' | '*' | '/'))
        ) {
            continue;
        }
        if matches!(
            after.first().map(|token| &token.kind),
            Some(TokenKind::Operator('-'))
        ) && after.get(1).is_some_and(|token| token.spaced)
        {
            continue;
        }
        if let Some(rest) = by_space(after, most - 1) {
            if found.is_some() {
                return None;
            }
            found = Some(std::iter::once(first).chain(rest).collect());
        }
    }
    found
}

impl Problem {
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
