//! Judges forms: whether an expression is worked out, simplified, expanded or factored.

mod factored;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::{
    algebra::{Env, ROOT_STEPS, Rational, Roots, Sum, Work, coprime, integer_factors, normal},
    answer::{Answer, Letters},
    notation::Expression,
};

pub(crate) use self::factored::{common_factor_taken, factored, factored_number};

/// Whether a form is as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// It is.
    Met,
    /// It is not, as any teacher would say.
    Missed,
    /// Teachers would differ, or it was not found out.
    Unsure,
}

impl Form {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Missed, _) | (_, Self::Missed) => Self::Missed,
            (Self::Unsure, _) | (_, Self::Unsure) => Self::Unsure,
            _ => Self::Met,
        }
    }

    fn missed_if(missed: bool) -> Self {
        if missed { Self::Missed } else { Self::Met }
    }
}

/// A number as written, with its sign: `3`, `-0.5`.
pub(crate) fn signed_number(expression: &Expression) -> Option<(Rational, Option<u32>)> {
    match expression {
        Expression::Number { value, places } => Some((value.clone(), *places)),
        Expression::Negate(inner) => {
            let (value, places) = signed_number(inner)?;
            Some((-value, places))
        }
        _ => None,
    }
}

fn whole(expression: &Expression) -> Option<BigInt> {
    match signed_number(expression) {
        Some((value, None)) => Some(value.to_integer()),
        _ => None,
    }
}

/// Whether an expression is one number as written: whole, decimal, fraction, mixed, per cent.
pub(crate) fn is_literal(expression: &Expression) -> bool {
    match expression {
        Expression::Number { .. } | Expression::Mixed(..) => true,
        Expression::Negate(inner) => !matches!(**inner, Expression::Negate(_)) && is_literal(inner),
        Expression::Percent(inner) => is_literal(inner),
        Expression::Divide(above, below) => whole(above).is_some() && whole(below).is_some(),
        _ => false,
    }
}

/// Whether an expression is a number written with a point or as per cent.
pub(crate) fn is_decimal(expression: &Expression) -> bool {
    match expression {
        Expression::Number { places, .. } => places.is_some(),
        Expression::Negate(inner) => is_decimal(inner),
        Expression::Percent(_) => true,
        _ => false,
    }
}

/// Whether a number as written is in lowest terms.
pub(crate) fn is_lowest(expression: &Expression) -> bool {
    match expression {
        Expression::Negate(inner) | Expression::Percent(inner) => is_lowest(inner),
        Expression::Divide(above, below) => match (whole(above), whole(below)) {
            (Some(above), Some(below)) => {
                above.gcd(&below).is_one() && below > BigInt::one()
                    || above.gcd(&below).is_one() && below < -BigInt::one()
            }
            _ => false,
        },
        Expression::Mixed(_, above, below) => {
            above.numer().gcd(below.numer()).is_one() && !above.is_zero()
        }
        _ => true,
    }
}

/// Whether a constant is worked out: one number as written, or, where it is irrational, a simplified surd.
pub(crate) fn evaluated(expression: &Expression, work: &mut Work) -> Form {
    if is_literal(expression) {
        return Form::Met;
    }
    match normal(expression, &mut Env::new(Roots::Positive), work) {
        Ok(value) if value.as_number().is_some() => {
            if is_scientific(expression) {
                Form::Met
            } else {
                Form::Missed
            }
        }
        Ok(_) => simplified(expression, work),
        Err(_) => Form::Unsure,
    }
}

/// Whether a value of an answer is rational and still to be worked out: `12 - 7` for 5. A quotient of whole numbers is one
/// number.
pub(crate) fn is_unfinished(answer: &Answer, work: &mut Work) -> bool {
    let values = answer.values(Letters::Variables, work);
    let constants: Vec<Expression> = match values {
        Some(values) => values.into_iter().map(|value| value.expression).collect(),
        None => answer.expressions().into_iter().cloned().collect(),
    };
    constants.iter().any(|value| {
        !value.has_variable()
            && !is_literal(value)
            && !is_scientific(value)
            && normal(value, &mut Env::new(Roots::Positive), work)
                .is_ok_and(|value| value.as_number().is_some())
    })
}

/// `3.2 * 10^5`
pub(crate) fn is_scientific(expression: &Expression) -> bool {
    let expression = match expression {
        Expression::Negate(inner) => inner,
        other => other,
    };
    let Expression::Multiply(factors) = expression else {
        return false;
    };
    let [first, Expression::Power(ten, exponent)] = factors.as_slice() else {
        return false;
    };
    let is_ten = whole(ten) == Some(BigInt::from(10));
    let mantissa = signed_number(first).is_some_and(|(value, _)| {
        value.abs() >= Rational::one() && value.abs() < Rational::from(BigInt::from(10))
    });
    is_ten && mantissa && whole(exponent).is_some()
}

/// `3^8`: one power of a whole number.
pub(crate) fn is_power(expression: &Expression) -> bool {
    matches!(expression, Expression::Power(base, exponent)
        if whole(base).is_some() && whole(exponent).is_some_and(|power| power > BigInt::one()))
}

/// Whether nothing is left to be combined, cancelled or worked out.
pub(crate) fn simplified(expression: &Expression, work: &mut Work) -> Form {
    if is_literal(expression) {
        return Form::missed_if(!is_lowest(expression));
    }
    if is_scientific(expression) {
        return Form::Met;
    }
    let mut form = match expression {
        Expression::Add(parts) => summands(parts, expression, work),
        Expression::Multiply(factors) => product(factors),
        Expression::Divide(above, below) => quotient(above, below, work),
        Expression::Power(base, exponent) => power(base, exponent),
        Expression::Root(index, inner) => root(*index, inner, work),
        Expression::Absolute(inner) => Form::missed_if(!inner.has_variable()),
        Expression::Negate(inner) => match **inner {
            Expression::Negate(_) => Form::Missed,
            Expression::Add(_) => Form::Unsure,
            _ => Form::Met,
        },
        Expression::Percent(_) | Expression::PlusMinus(..) => Form::Unsure,
        Expression::Number { .. } | Expression::Mixed(..) | Expression::Variable(_) => Form::Met,
    };
    for part in expression.parts() {
        if form == Form::Missed {
            break;
        }
        form = form.and(simplified(part, work));
    }
    form
}

/// What makes terms alike: the term without its rational factor. Nothing for sums.
fn kind(expression: &Expression, work: &mut Work) -> Option<(Vec<Sum>, Rational)> {
    let value = normal(expression, &mut Env::new(Roots::Positive), work).ok()?;
    let (_, number) = value.above.single()?;
    let unit = value.above.scale(&number.recip());
    Some((vec![unit, value.below.clone()], number.clone()))
}

fn flat<'a>(parts: &'a [Expression], into: &mut Vec<&'a Expression>) {
    for part in parts {
        match part {
            Expression::Add(inner) => flat(inner, into),
            other => into.push(other),
        }
    }
}

fn summands(parts: &[Expression], own: &Expression, work: &mut Work) -> Form {
    let mut all = Vec::new();
    flat(parts, &mut all);
    let mut kinds: Vec<Vec<Sum>> = Vec::new();
    let mut form = Form::Met;
    for part in &all {
        // A sum times something: multiplied out, its terms could be like others.
        if has_sum(part) {
            form = form.and(Form::Unsure);
        }
        if let Some((kind, _)) = kind(part, work) {
            if kinds.contains(&kind) {
                return Form::Missed;
            }
            kinds.push(kind);
        } else if matches!(normal(part, &mut Env::new(Roots::Positive), work), Ok(value) if value.is_zero())
        {
            return Form::Missed;
        }
    }
    if form == Form::Unsure && expands_shorter(own, &all, work) {
        return Form::Missed;
    }
    form
}

fn has_sum(expression: &Expression) -> bool {
    match expression {
        Expression::Negate(inner) => has_sum(inner),
        Expression::Add(_) => true,
        Expression::Multiply(factors) => factors.iter().any(has_sum),
        Expression::Power(base, _) => has_sum(base),
        // A quotient of a sum is a term of its own.
        Expression::Divide(above, below) => has_sum(above) || has_sum(below),
        _ => false,
    }
}

/// Whether multiplying out leaves fewer terms than are there: `3(x + 2) + 4` is `3x + 10`.
fn expands_shorter(own: &Expression, parts: &[&Expression], work: &mut Work) -> bool {
    let squared = own.any(&|part| matches!(part, Expression::Power(base, _) if has_sum(base)));
    let divided =
        own.any(&|part| matches!(part, Expression::Divide(_, below) if below.has_variable()));
    if squared || divided {
        return false;
    }
    let mut terms = 0;
    for part in parts {
        match normal(part, &mut Env::new(Roots::Positive), work) {
            Ok(value) => terms += value.above.len(),
            Err(_) => return false,
        }
    }
    normal(own, &mut Env::new(Roots::Positive), work).is_ok_and(|value| value.above.len() < terms)
}

/// A rational number that is written as one, sign and fraction included.
fn is_number(expression: &Expression) -> bool {
    match expression {
        Expression::Number { .. } | Expression::Mixed(..) => true,
        Expression::Negate(inner) | Expression::Percent(inner) => is_number(inner),
        Expression::Divide(above, below) => is_number(above) && is_number(below),
        Expression::Power(base, exponent) => is_number(base) && whole(exponent).is_some(),
        _ => false,
    }
}

fn product(factors: &[Expression]) -> Form {
    if factors.iter().filter(|factor| is_number(factor)).count() > 1 {
        return Form::Missed;
    }
    let is_trivial = |factor: &Expression| {
        signed_number(factor).is_some_and(|(value, _)| value.is_zero() || value.abs().is_one())
    };
    if factors.iter().any(is_trivial) {
        return Form::Missed;
    }
    // `-2 * n` may come behind a plus.
    let is_negative = |at: usize, factor: &Expression| match factor {
        Expression::Negate(inner) => at > 0 || !is_number(inner),
        _ => false,
    };
    if factors
        .iter()
        .enumerate()
        .any(|(at, factor)| is_negative(at, factor))
    {
        return Form::Unsure;
    }
    let mut bases: Vec<&Expression> = Vec::new();
    let mut roots = 0;
    let mut form = Form::Met;
    for factor in factors {
        let base = match factor {
            Expression::Power(base, _) => base,
            other => other,
        };
        if matches!(base, Expression::Variable(_)) {
            if bases.contains(&base) {
                return Form::Missed;
            }
            bases.push(base);
        }
        match factor {
            Expression::Root(..) => roots += 1,
            // `(2/3)x` is fine, `x * 2/y` could be one quotient.
            Expression::Divide(..) if !is_number(factor) => form = Form::Unsure,
            _ => {}
        }
    }
    if roots > 1 {
        form = Form::Unsure;
    }
    form
}

fn quotient(above: &Expression, below: &Expression, work: &mut Work) -> Form {
    let nested = |part: &Expression| {
        part.any(&|own| matches!(own, Expression::Divide(..) | Expression::Mixed(..)))
    };
    let decimal = |part: &Expression| {
        part.any(&|own| {
            matches!(
                own,
                Expression::Number {
                    places: Some(_),
                    ..
                }
            )
        })
    };
    if nested(below) || decimal(below) {
        return Form::Missed;
    }
    if signed_number(below).is_some_and(|(value, _)| value.is_one()) {
        return Form::Missed;
    }
    let mut form = Form::Met;
    if nested(above) || decimal(above) || matches!(below, Expression::Negate(_)) {
        form = Form::Unsure;
    }
    let value = |part: &Expression, work: &mut Work| {
        normal(part, &mut Env::new(Roots::Positive), work).ok()
    };
    let (Some(above), Some(below)) = (value(above, work), value(below, work)) else {
        return Form::Unsure;
    };
    if !above.below.as_number().is_some_and(|one| one.is_one())
        || !below.below.as_number().is_some_and(|one| one.is_one())
    {
        return Form::Unsure;
    }
    let (above, below) = (above.above, below.above);
    if above.is_zero() {
        return Form::Missed;
    }
    let (first, second) = (above.content(), below.content());
    let common = first.numer().gcd(second.numer());
    if first.is_integer() && second.is_integer() && !common.is_one() {
        return Form::Missed;
    }
    let (powers, others) = (above.common_monomial(), below.common_monomial());
    if powers
        .0
        .iter()
        .any(|(base, _)| !others.exponent(base).is_zero())
    {
        return Form::Missed;
    }
    if below.has_surd() || below.has_radicand() {
        return Form::Unsure;
    }
    if above.has_surd() || above.has_radicand() {
        return form;
    }
    match coprime(&above, &below, work) {
        Some(true) => form,
        Some(false) => Form::Missed,
        None => Form::Unsure,
    }
}

fn power(base: &Expression, exponent: &Expression) -> Form {
    if let Some((value, _)) = signed_number(exponent) {
        if value.is_zero() || value.is_one() {
            return Form::Missed;
        }
        if value.is_negative() {
            return Form::Unsure;
        }
    }
    match base {
        // Large powers are better left alone.
        _ if is_number(base) => Form::Unsure,
        Expression::Multiply(_)
        | Expression::Power(..)
        | Expression::Divide(..)
        | Expression::Negate(_)
        | Expression::Root(..) => Form::Missed,
        _ => Form::Met,
    }
}

fn root(index: u32, inner: &Expression, work: &mut Work) -> Form {
    if work.take(ROOT_STEPS).is_err() {
        return Form::Unsure;
    }
    if let Some((value, _)) = signed_number(inner) {
        if !value.is_integer() {
            return Form::Unsure;
        }
        if value.is_negative() {
            return Form::Missed;
        }
        return match integer_factors(&value.to_integer()) {
            Some(factors) => Form::missed_if(
                factors.is_empty() || factors.iter().any(|(_, power)| *power >= index),
            ),
            None => Form::Unsure,
        };
    }
    match normal(inner, &mut Env::new(Roots::Positive), work) {
        Ok(value) => match (value.above.single(), value.below.as_number()) {
            (Some((monomial, number)), Some(below)) if below.is_one() => {
                let index = i64::from(index);
                let large = monomial
                    .0
                    .iter()
                    .any(|(_, exponent)| *exponent.numer() >= index * exponent.denom());
                let factor = match integer_factors(number.numer()) {
                    Some(factors) => factors.iter().any(|(_, power)| i64::from(*power) >= index),
                    None => return Form::Unsure,
                };
                Form::missed_if(large || factor)
            }
            _ => Form::Unsure,
        },
        Err(_) => Form::Unsure,
    }
}

/// Whether no product or power of sums is left.
pub(crate) fn expanded(expression: &Expression, work: &mut Work) -> Form {
    let test = |part: &Expression| match part {
        Expression::Multiply(factors) => factors.iter().any(has_sum),
        Expression::Power(base, exponent) => {
            has_sum(base) && whole(exponent).is_some_and(|power| power > BigInt::one())
        }
        _ => false,
    };
    if expression.any(&test) {
        return Form::Missed;
    }
    match simplified(expression, work) {
        Form::Met => Form::Met,
        _ if matches!(expression, Expression::Divide(_, below) if is_number(below)) => Form::Met,
        _ => Form::Unsure,
    }
}
