//! The form of answers that meet a key, where the exercise itself could not be judged: what the prompt asks for and the key
//! has, an answer should have.

use crate::{
    algebra::{Env, Roots, Work, normal},
    answer::{self, Answer, Letters},
    copies,
    forms::{Form, is_unfinished},
    grade::{Drill, Reason, Verdict},
    line,
    notation::{Comma, Expression, TokenKind, tokens},
    solving::{Judgement, OPEN, UNFINISHED},
    task::{self, Problem, Unread},
    working,
};

/// What an answer lacks that the key has; nothing where its form will do.
pub(crate) fn like_key(
    drill: &Drill<'_>,
    problem: &Result<Problem, Unread>,
    key: &str,
    answer: &str,
) -> Option<Judgement> {
    let mut work = Work::new();
    let (own, theirs) = (first(key)?, first(answer)?);
    if names_given(drill, &own, &theirs, &mut work) {
        return Some(OPEN);
    }
    if is_unfinished(&theirs, &mut work) && !is_unfinished(&own, &mut work) {
        return Some(UNFINISHED);
    }
    if line::asked(drill.prompt)
        .is_some_and(|form| form.is_of(&own, &own) && !form.is_of(&theirs, &own))
    {
        return Some((Verdict::CannotTell, Reason::NotConverted));
    }
    if problem.is_ok() {
        return None;
    }
    let (own, theirs) = (only(&own, &mut work)?, only(&theirs, &mut work)?);
    let problem = task::by_words(drill, own.clone())?;
    let exact = normal(&own, &mut Env::new(Roots::Positive), &mut work).ok()?;
    let mut form = |answer: &Expression| working::form(&problem, &exact, answer, &mut work);
    let (met, (missed, reason)) = (form(&own).0, form(&theirs));
    (met == Form::Met && missed != Form::Met).then_some((Verdict::CannotTell, reason))
}

fn first(text: &str) -> Option<Answer> {
    answer::usual_readings(text)
        .into_iter()
        .next()
        .map(|(_, answer)| answer)
}

/// The one expression that an answer is.
fn only(answer: &Answer, work: &mut Work) -> Option<Expression> {
    match answer.values(Letters::Variables, work)?.as_slice() {
        [value] => Some(value.expression.clone()),
        _ => None,
    }
}

/// Whether the answer names a variable that the exercise gives a value or works with, and the key names none: `x = 15` for
/// the value of `7 - 4x`.
fn names_given(drill: &Drill<'_>, key: &Answer, answer: &Answer, work: &mut Work) -> bool {
    let mut names = |answer: &Answer| -> Vec<_> {
        let values = answer.values(Letters::Variables, work).unwrap_or_default();
        values
            .into_iter()
            .filter_map(|value| value.variable)
            .collect()
    };
    if !names(key).is_empty() {
        return false;
    }
    names(answer).iter().any(|name| {
        copies::formulas(drill).iter().any(|formula| {
            tokens(formula, Comma::Separates).is_some_and(|tokens| {
                tokens.iter().any(|token| {
                    matches!(&token.kind, TokenKind::Word(word)
                    if word.chars().count() <= 3 && word.contains(&**name))
                })
            })
        })
    })
}
