//! Equalities with variables: which of them are identities, and which are meant as one.
//!
//! An equality that holds for all values is true. One that does not is false only where nobody can have meant it as an
//! equation: where it stands in a chain whose sides have the same variables; or where one side is still to be worked out and
//! the other is worked out, and they agree in what an equation would not: no number at all solves it, both are one term, or
//! the terms of the highest degree are the same and nobody would pose the rest. Everything else may be an equation that is
//! posed, and is left open.

use std::{collections::BTreeSet, rc::Rc};

use num_traits::{One, Zero};

use crate::{
    algebra::{Env, Quotient, Roots, Sum, Work, normal, varies},
    notation::{Expression, Sign},
};

/// Where an equality stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// By itself.
    Alone,
    /// Among others: `a = b = c`.
    Chain,
}

/// How the words around an equality with variables mean it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// As an equation that is posed, perhaps.
    Posed,
    /// They do not say.
    Open,
    /// As a rule: `always`, `in general`.
    Rule,
}

/// Whether an equality with variables holds, where that is certain. `meant` says how the words around it mean it.
pub(super) fn holds(
    left: &Expression,
    sign: Sign,
    right: &Expression,
    place: Place,
    meant: &dyn Fn() -> Meant,
    work: &mut Work,
) -> Option<bool> {
    let names = left.variables();
    if names.is_empty() || names != right.variables() {
        return is_constant(left, right, work)
            .filter(|holds| sign == Sign::Equal && (*holds || meant() != Meant::Posed));
    }
    // `i · i = -1`: no variable.
    if matches!(names.as_slice(), [only] if &**only == "i") {
        return None;
    }
    let (own, other) = (value(left, work)?, value(right, work)?);
    let is_identity = own.equals(&other, work).ok()??;
    match sign {
        Sign::Equal if is_identity => return Some(true),
        Sign::NotEqual if is_identity => return (meant() != Meant::Posed).then_some(false),
        Sign::Equal => {}
        _ => return None,
    }
    let (own, other) = (polynomial(&own)?, polynomial(&other)?);
    let is_meant = match place {
        Place::Chain => is_work(left, &own) || is_work(right, &other),
        Place::Alone => {
            let is_worked_out = is_work(left, &own) != is_work(right, &other);
            is_worked_out && agree(&own, &other, &names, work)
                || meant() == Meant::Rule && (is_worked_out || names.len() > 1)
        }
    };
    (is_meant && meant() != Meant::Posed).then_some(false)
}

/// `x^0 = 0`: whether a term that has one value for all numbers is the number beside it. A sum or a multiple of zero may be what
/// is left of an equation without a solution: `x - x = 5`, `0x = 5`.
fn is_constant(left: &Expression, right: &Expression, work: &mut Work) -> Option<bool> {
    let (term, number) = if right.has_variable() {
        (right, left)
    } else {
        (left, right)
    };
    let is_term = !matches!(term, Expression::Add(_)) && !number.has_variable();
    if !is_term || varies(term) {
        return None;
    }
    let own = value(term, work).filter(|own| own.is_constant() && !own.is_zero())?;
    own.equals(&value(number, work)?, work).ok()?
}

fn value(expression: &Expression, work: &mut Work) -> Option<Quotient> {
    normal(expression, &mut Env::new(Roots::Positive), work).ok()
}

/// The polynomial that a quotient is, if it is one.
fn polynomial(quotient: &Quotient) -> Option<Sum> {
    let below = quotient
        .below
        .as_number()
        .filter(|below| !below.is_zero())?;
    let sum = quotient.above.scale(&below.recip());
    (sum.is_polynomial() && !sum.has_surd() && !sum.has_radicand()).then_some(sum)
}

/// Whether an expression is a polynomial of degree one at most.
pub(super) fn is_linear(expression: &Expression) -> bool {
    let sum = value(expression, &mut Work::new()).and_then(|value| polynomial(&value));
    sum.is_some_and(|sum| sum.is_linear())
}

/// Whether both sides agree in what the sides of an equation to solve would not.
fn agree(own: &Sum, other: &Sum, names: &[Rc<str>], work: &mut Work) -> bool {
    let Ok(difference) = own.subtract(other, work) else {
        return false;
    };
    let are_terms = own.len() <= 1 && other.len() <= 1;
    let has_same_terms = || {
        own.terms()
            .map(|(term, _)| term)
            .eq(other.terms().map(|(term, _)| term))
    };
    let (lower, highest) = (degree(&difference), degree(own).max(degree(other)));
    if difference.variables().is_empty() {
        // No number solves it.
        true
    } else if names.len() > 1 {
        // Products of two variables were left out, or like terms were collected.
        are_terms || highest > 1 || difference.len() <= 1 && has_same_terms()
    } else if are_terms {
        // `x · x = 5x` is an equation, `x · x = x` is none that anybody would pose.
        difference.len() <= 1
            || own
                .terms()
                .map(|(_, number)| number)
                .eq(other.terms().map(|(_, number)| number))
    } else {
        // `(x + 2)² = x² + 16` is an equation.
        highest > 1 && lower < highest && (difference.len() <= 1 || has_same_terms())
    }
}

/// The highest degree of a polynomial's terms.
fn degree(sum: &Sum) -> i64 {
    let terms = sum.terms().map(|(monomial, _)| {
        let exponents = monomial.0.iter().map(|(_, exponent)| exponent.to_integer());
        exponents.sum::<i64>()
    });
    terms.max().unwrap_or(0)
}

/// Whether something is still to be done: brackets to multiply out, like terms to collect, powers to join.
fn is_work(expression: &Expression, sum: &Sum) -> bool {
    let has_sum = |part: &Expression| matches!(part, Expression::Add(_));
    let collects = match expression {
        Expression::Add(parts) => parts.len() > sum.len().max(1),
        _ => false,
    };
    collects
        || expression.any(&|part| match part {
            Expression::Multiply(factors) => factors.iter().any(has_sum) || is_repeated(factors),
            Expression::Power(base, _) => {
                base.has_variable()
                    && matches!(
                        **base,
                        Expression::Add(_) | Expression::Multiply(_) | Expression::Power(..)
                    )
            }
            Expression::Negate(inner) => has_sum(inner),
            Expression::Divide(above, below) => {
                below.has_variable() || has_sum(above) && above.has_variable()
            }
            _ => false,
        })
}

/// Whether a variable stands in two factors, or two of them are numbers.
fn is_repeated(factors: &[Expression]) -> bool {
    let mut seen = BTreeSet::new();
    let numbers = factors.iter().filter(|factor| !factor.has_variable());
    numbers.filter(|factor| !is_one(factor)).count() > 1
        || factors
            .iter()
            .flat_map(Expression::variables)
            .any(|name| !seen.insert(name))
}

fn is_one(expression: &Expression) -> bool {
    matches!(expression, Expression::Number { value, .. } if value.is_one())
}
