//! Values modulo a prime: what is equal has one value whatever its form, and what is not has two but for one case in 10^17.
//! A first look that costs a hundredth of exact algebra.

use num_traits::ToPrimitive;

use super::Rational;
use crate::notation::Expression;

/// The prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// The highest power that is worked out.
pub const MOST_POWER: u64 = 64;

/// The sum of two values.
#[must_use]
pub fn add(left: u64, right: u64) -> u64 {
    reduced(left + right)
}

/// The value with its sign turned.
#[must_use]
pub fn negative(value: u64) -> u64 {
    reduced(PRIME - value)
}

/// The product of two values.
#[must_use]
pub fn multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    // 2^61 is one more than the prime, so the halves above and below that bit add up. Each fits 64 bits.
    let (above, below) = ((product >> 61) as u64, product as u64 & PRIME);
    reduced(above + below)
}

/// A value to a power.
#[must_use]
pub fn raised(base: u64, exponent: u64) -> u64 {
    let (mut result, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    result
}

/// One by a value; zero has none. Of the prime `p = qv + r`, one by `v` is `-q` by `r`, which is smaller.
#[must_use]
pub fn inverse(value: u64) -> Option<u64> {
    let (mut result, mut left) = (1, value % PRIME);
    while left > 1 {
        result = multiply(result, negative(PRIME / left));
        left = PRIME % left;
    }
    (left == 1).then_some(result)
}

/// A value for a variable, that no formula has by accident.
#[must_use]
pub fn of_variable(name: &str) -> u64 {
    let mixed = name.bytes().fold(1, |value: u64, byte| {
        (value ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed ^ (mixed >> 29)) % PRIME
}

/// What is less than twice the prime.
fn reduced(value: u64) -> u64 {
    if value >= PRIME { value - PRIME } else { value }
}

/// The value of an expression. `None` where it has roots, absolute values or powers that are not small whole numbers, and where
/// it may have none.
pub(crate) fn residue(expression: &Expression) -> Option<u64> {
    residue_with(expression, &of_variable)
}

/// Whether an expression surely has not one value for all numbers.
pub(crate) fn varies(expression: &Expression) -> bool {
    let other = |name: &str| add(of_variable(name), 1);
    let values = residue(expression).zip(residue_with(expression, &other));
    values.is_some_and(|(one, other)| one != other)
}

fn residue_with(expression: &Expression, put_in: &dyn Fn(&str) -> u64) -> Option<u64> {
    let residue = |part: &Expression| residue_with(part, put_in);
    Some(match expression {
        Expression::Number { value, .. } => of_number(value)?,
        Expression::Mixed(whole, above, below) => {
            let part = multiply(of_number(above)?, inverse(of_number(below)?)?);
            add(of_number(whole)?, part)
        }
        Expression::Variable(name) => put_in(name),
        Expression::Add(parts) => {
            let mut parts = parts.iter();
            parts.try_fold(0, |sum, part| Some(add(sum, residue(part)?)))?
        }
        Expression::Multiply(factors) => {
            let mut factors = factors.iter();
            factors.try_fold(1, |product, factor| {
                Some(multiply(product, residue(factor)?))
            })?
        }
        Expression::Negate(inner) => negative(residue(inner)?),
        Expression::Divide(above, below) => multiply(residue(above)?, inverse(residue(below)?)?),
        Expression::Power(base, exponent) => {
            let Expression::Number { value, .. } = &**exponent else {
                return None;
            };
            let exponent = value.is_integer().then(|| value.numer().to_u64())??;
            let base = residue(base)?;
            // Zero has no power of zero.
            let is_plain = exponent <= MOST_POWER && (base, exponent) != (0, 0);
            is_plain.then(|| raised(base, exponent))?
        }
        Expression::Percent(inner) => multiply(residue(inner)?, inverse(100)?),
        Expression::Root(..) | Expression::Absolute(_) | Expression::PlusMinus(..) => return None,
    })
}

fn of_number(value: &Rational) -> Option<u64> {
    let above = value.numer().to_i64()?;
    let size = above.unsigned_abs() % PRIME;
    let above = if above < 0 { negative(size) } else { size };
    if value.is_integer() {
        return Some(above);
    }
    Some(multiply(above, inverse(value.denom().to_u64()? % PRIME)?))
}
