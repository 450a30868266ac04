//! Exponents, which stay small, and powers of numbers.

use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

use super::{Rational, Stop, bounded};

/// An exponent.
pub(crate) type Exponent = Ratio<i64>;

/// Exponents beyond this are refused.
pub(super) const MAX_EXPONENT: i64 = 100_000;

/// A number to a whole power.
pub(crate) fn number_power(number: &Rational, exponent: i64) -> Result<Rational, Stop> {
    if number.is_zero() {
        return match exponent {
            0 => Ok(Rational::one()),
            1.. => Ok(Rational::zero()),
            _ => Err(Stop::Undefined),
        };
    }
    if number.is_one() {
        return Ok(Rational::one());
    }
    let size = exponent.unsigned_abs();
    let bits = number.numer().bits().max(number.denom().bits());
    if bits.saturating_sub(1).saturating_mul(size) > super::MAX_BITS {
        return Err(Stop::TooBig);
    }
    let size = i32::try_from(exponent).map_err(|_| Stop::TooBig)?;
    let power = number.pow(size);
    bounded(&power)?;
    Ok(power)
}

/// Adds exponents, refusing overflow.
pub(crate) fn checked_add(left: Exponent, right: Exponent) -> Result<Exponent, Stop> {
    use num_traits::CheckedAdd;
    let sum = left.checked_add(&right).ok_or(Stop::TooBig)?;
    small(sum)
}

/// Multiplies exponents, refusing overflow.
pub(crate) fn checked_multiply(left: Exponent, right: Exponent) -> Result<Exponent, Stop> {
    use num_traits::CheckedMul;
    let product = left.checked_mul(&right).ok_or(Stop::TooBig)?;
    small(product)
}

fn small(exponent: Exponent) -> Result<Exponent, Stop> {
    if exponent.numer().abs() > MAX_EXPONENT || *exponent.denom() > MAX_EXPONENT {
        Err(Stop::TooBig)
    } else {
        Ok(exponent)
    }
}
