//! The first step of working numbers out.

use num_traits::{One, Signed, Zero};

use super::Step;
use crate::{algebra::Rational, notation::Expression, own::value};

/// Which of several operations on numbers comes first, or how the only one is done.
pub(super) fn first_operation(expression: &Expression) -> Option<Step> {
    let is_sum = |part: &Expression| matches!(part, Expression::Add(_));
    let groups = |part: &Expression| {
        let mut inner = part.parts();
        inner.any(|inner| unsigned(inner, is_sum))
    };
    if expression.any(&groups) {
        return Some(Step::Brackets);
    }
    let is_power = |part: &Expression| matches!(part, Expression::Power(..));
    let operates = |part: &Expression| {
        matches!(part, Expression::Add(_) | Expression::Multiply(_)) || is_quotient(part)
    };
    if expression.any(&is_power) && expression.any(&operates) {
        return Some(Step::Powers);
    }
    let Expression::Add(parts) = expression else {
        return only_operation(expression);
    };
    let below: Vec<Rational> = parts.iter().filter_map(denominator).collect();
    if below.len() == parts.len() {
        let first = below.first()?;
        let is_same = below.iter().all(|other| other == first);
        // `12 : 3 + 2` is no sum of fractions, and `6/3 + 2/3` is one.
        let is_worked_out = |part: &Expression| {
            unsigned(part, |part| matches!(part, Expression::Divide(..)))
                && value(part).is_some_and(|value| value.is_integer())
        };
        let worked_out = parts.iter().filter(|part| is_worked_out(part)).count();
        return if worked_out == parts.len() || worked_out > 0 && !is_same {
            Some(Step::Products)
        } else if !is_same {
            Some(Step::CommonDenominator)
        } else if first.is_one() {
            sum_of_integers(expression, parts)
        } else {
            Some(Step::Numerators)
        };
    }
    let is_product =
        |part: &Expression| matches!(part, Expression::Multiply(_)) || is_quotient(part);
    parts
        .iter()
        .any(|part| unsigned(part, is_product))
        .then_some(Step::Products)
}

/// The step for numbers that are only multiplied, divided, or raised to a power.
fn only_operation(expression: &Expression) -> Option<Step> {
    let below = |part: &Expression| denominator(part).filter(|below| !below.is_zero());
    // Zero has no sign to decide on.
    let is_zero = value(expression).is_some_and(|value| value.is_zero());
    let has_sign = !is_zero && expression.any(&|part| matches!(part, Expression::Negate(_)));
    let is_whole_quotient = |part: &Expression| {
        unsigned(part, |part| matches!(part, Expression::Divide(..)))
            && value(part).is_some_and(|value| value.is_integer())
    };
    match without_signs(expression) {
        // `12 : 3 · 2` is no product with a fraction.
        Expression::Multiply(factors) if factors.iter().any(is_whole_quotient) => {
            Some(Step::LeftToRight)
        }
        Expression::Multiply(factors) => {
            let below: Option<Vec<Rational>> = factors.iter().map(below).collect();
            if below?.iter().any(|below| !below.is_one()) {
                Some(Step::MultiplyFractions)
            } else {
                (has_sign && factors.len() == 2).then_some(Step::SignFirst)
            }
        }
        Expression::Divide(above, _) => {
            let is_whole = value(expression).is_some_and(|value| value.is_integer());
            let parts = without_signs(expression).parts();
            let are_whole = parts
                .into_iter()
                .all(|part| below(part).is_some_and(|b| b.is_one()));
            let is_row = match without_signs(above) {
                Expression::Multiply(factors) => factors.iter().all(|factor| {
                    below(factor).is_some_and(|below| below.is_one()) || is_whole_quotient(factor)
                }),
                above => is_whole_quotient(above),
            };
            if has_sign && is_whole && are_whole {
                Some(Step::SignFirst)
            } else {
                is_row.then_some(Step::LeftToRight)
            }
        }
        Expression::Power(base, exponent) => {
            let is_fraction = below(base).is_some_and(|below| !below.is_one());
            let times = value(exponent)?;
            (is_fraction && times.is_integer() && times > Rational::one())
                .then_some(Step::PowerOfFraction)
        }
        _ => None,
    }
}

/// The step for a sum of integers; `9 - 5` needs none. A difference is a sum with the opposite.
fn sum_of_integers(sum: &Expression, parts: &[Expression]) -> Option<Step> {
    let [first, second] = parts else {
        return None;
    };
    let is_negative = |part: &Expression| matches!(part, Expression::Negate(_));
    let total = value(sum)?;
    let comes_below_zero = total.is_negative();
    match second {
        Expression::Negate(inner) => (is_negative(inner) || is_negative(first) || comes_below_zero)
            .then_some(Step::AddOpposite),
        // Of a number and its opposite none is larger.
        _ => (is_negative(first) && !total.is_zero()).then_some(Step::CompareSigns),
    }
}

/// Whether `test` holds for an expression without its signs.
fn unsigned(expression: &Expression, test: impl Fn(&Expression) -> bool) -> bool {
    test(without_signs(expression))
}

fn without_signs(expression: &Expression) -> &Expression {
    let mut expression = expression;
    while let Expression::Negate(inner) = expression {
        expression = inner;
    }
    expression
}

/// A quotient that is no fraction of two whole numbers.
fn is_quotient(expression: &Expression) -> bool {
    matches!(expression, Expression::Divide(..)) && denominator(expression).is_none()
}

/// The denominator of a number as it is written: that of a fraction, or one.
fn denominator(expression: &Expression) -> Option<Rational> {
    match expression {
        Expression::Number { places: None, .. } => Some(Rational::one()),
        Expression::Negate(inner) => denominator(inner),
        Expression::Divide(above, below) => match (&**above, &**below) {
            (
                Expression::Number { places: None, .. },
                Expression::Number {
                    value,
                    places: None,
                },
            ) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}
