//! Reads the formulas of a drill: what to work on, and what variables stand for.

use std::rc::Rc;

use super::Subject;
use crate::{
    algebra::Work,
    answer::{self, Answer, Item, Reading},
    notation::{
        Comma, Expression, Relation, Sign, Slash, Token, TokenKind, expression, relation_chain,
        relations, tokens,
    },
    prompt::Piece,
};

const READING: Reading = Reading {
    comma: Comma::Separates,
    slash: Slash::Short,
};

#[derive(Debug, Default)]
/// The formulas of a prompt, sorted.
pub(super) struct Formulas {
    /// What to work on.
    main: Vec<String>,
    /// What variables stand for.
    pub(super) givens: Vec<(Rc<str>, Expression)>,
    /// The variable that is asked for.
    pub(super) unknown: Option<Rc<str>>,
}

/// Sorts formulas: what a variable stands for, which variable is asked for, and what to work on.
pub(super) fn formulas(pieces: &[Piece], question: &str) -> Formulas {
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
            // "Fill in <, > or =" names signs, and nothing to work on.
            Piece::Formula(formula) if formula.chars().all(|sign| "<>=≤≥, ".contains(sign)) => {
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

/// What the drill works on.
pub(super) fn subject(formulas: &mut Formulas, question: &str) -> Option<Subject> {
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
pub(super) fn quantity(formulas: &Formulas, question: &str) -> Option<Subject> {
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

/// What one formula is. What it says of its variables' values is added to `givens_found`.
pub(super) fn read_subject(
    text: &str,
    givens_found: &mut Vec<(Rc<str>, Expression)>,
) -> Option<Subject> {
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
            .and_then(|tokens| expression(tokens, Slash::Short))
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
