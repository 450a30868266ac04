//! Rounded numbers: where they are asked for, and where they stand for exact ones.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::{
    algebra::{Env, Quotient, Rational, Roots, Work, is_rounding, normal},
    answer::Value,
    forms::{is_scientific, signed_number},
    grade::{Reason, Verdict},
    notation::Expression,
    solving::{Judgement, OPEN},
    working::EQUAL,
};

/// Rounding was asked for: the rounded value is right, the exact one may be, and what is far from it is wrong.
pub(crate) fn rounded(value: &Value, exact: &Quotient, places: u32) -> Judgement {
    let Some((number, own_places)) = signed_number(&value.expression) else {
        return OPEN;
    };
    let scale = Rational::from(BigInt::from(10).pow(places));
    let on_grid = (&number * &scale).is_integer();
    if on_grid && own_places.unwrap_or(0) <= places.max(1) {
        if is_rounding(&number, places, exact, false) {
            // Half a unit goes up; what is done with it elsewhere is another way of rounding.
            let half = (Rational::from(BigInt::from(2)) * scale).recip();
            return match exact.as_number() {
                Some(exact)
                    if (&number - &exact).abs() == half
                        && (exact.is_negative() || number < exact) =>
                {
                    OPEN
                }
                _ => EQUAL,
            };
        }
        // Off by more than one unit of the last place, no way of rounding explains it.
        if !is_rounding(&number, places, exact, true) {
            return (Verdict::Wrong, Reason::NotEqual);
        }
    }
    OPEN
}

/// A number written as a decimal or per cent, with its decimal places.
fn decimal(expression: &Expression) -> Option<(Rational, u32)> {
    match expression {
        Expression::Number { value, places } => Some((value.clone(), (*places)?)),
        Expression::Negate(inner) => decimal(inner).map(|(value, places)| (-value, places)),
        Expression::Percent(inner) => {
            let (value, places) = signed_number(inner)?;
            let hundred = Rational::from(BigInt::from(100));
            Some((value / hundred, places.unwrap_or(0) + 2))
        }
        Expression::Multiply(factors) if is_scientific(expression) => {
            let (_, places) = signed_number(factors.first()?)?;
            let (power, _) = match factors.last()? {
                Expression::Power(_, exponent) => signed_number(exponent)?,
                _ => return None,
            };
            let power = power.to_integer().to_i64()?;
            let places = i64::from(places.unwrap_or(0)) - power;
            let value = normal(expression, &mut Env::new(Roots::Real), &mut Work::new()).ok()?;
            Some((value.as_number()?, u32::try_from(places.max(0)).ok()?))
        }
        _ => None,
    }
}

/// Whether a number written as a decimal or per cent could be what is left of an exact value after rounding.
pub(crate) fn is_rounded(expression: &Expression, exact: &Quotient) -> bool {
    decimal(expression).is_some_and(|(decimal, places)| {
        !exact.terminates(places) && is_rounding(&decimal, places, exact, true)
    })
}

/// Whether an expression could be what is left of an exact value after rounding: `0.67x`, `-1 + 1.41`.
pub(crate) fn may_be_rounded(expression: &Expression, exact: &Quotient) -> bool {
    if decimal(expression).is_some() {
        return is_rounded(expression, exact);
    }
    expression
        .decimal_places()
        .is_some_and(|places| !exact.terminates(places))
}
