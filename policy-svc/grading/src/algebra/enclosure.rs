//! Rational bounds around surds, to order and to round them without approximation.
//!
//! A bound can show that a number is not zero and on which side of zero it lies. It never shows that a number is zero:
//! that is for the canonical form to say.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::{
    Quotient, Rational, Work,
    exponent::Exponent,
    sum::{Base, Sum},
};

/// Binary places of a root's bounds.
const PLACES: u32 = 96;

/// Bounds of π: its first 30 decimal places and the next above.
fn pi() -> (Rational, Rational) {
    let scale = BigInt::from(10).pow(30_u32);
    let low = BigInt::from(3_141_592_653_589_793_238_462_643_383_279_u128);
    let high = &low + BigInt::one();
    (Ratio::new(low, scale.clone()), Ratio::new(high, scale))
}

/// Bounds of a constant: `low ≤ value ≤ high`.
fn sum_bounds(sum: &Sum) -> Option<(Rational, Rational)> {
    let mut low = Rational::zero();
    let mut high = Rational::zero();
    for (monomial, coefficient) in sum.terms() {
        let mut term = (coefficient.clone(), coefficient.clone());
        for (base, exponent) in &monomial.0 {
            term = product(&term, &power_bounds(base, *exponent)?);
        }
        low += term.0;
        high += term.1;
    }
    Some((low, high))
}

fn product(left: &(Rational, Rational), right: &(Rational, Rational)) -> (Rational, Rational) {
    let mut corners = [
        &left.0 * &right.0,
        &left.0 * &right.1,
        &left.1 * &right.0,
        &left.1 * &right.1,
    ];
    corners.sort();
    let [low, _, _, high] = corners;
    (low, high)
}

fn power_bounds(base: &Base, exponent: Exponent) -> Option<(Rational, Rational)> {
    match base {
        Base::Prime(prime) => {
            let number = Rational::from(BigInt::from(*prime));
            Some((
                root_bound(&number, exponent, false)?,
                root_bound(&number, exponent, true)?,
            ))
        }
        Base::Radicand(inner) => {
            let (low, high) = sum_bounds(inner)?;
            if low.is_negative() {
                return None;
            }
            Some((
                root_bound(&low, exponent, false)?,
                root_bound(&high, exponent, true)?,
            ))
        }
        Base::Variable(name) if &**name == "π" => {
            let power = exponent.to_integer().to_i32()?;
            if !exponent.is_integer() || !(1..=4).contains(&power) {
                return None;
            }
            let (low, high) = pi();
            Some((low.pow(power), high.pow(power)))
        }
        Base::Variable(_) => None,
    }
}

/// A bound below or above `number` to a positive power.
fn root_bound(number: &Rational, exponent: Exponent, above: bool) -> Option<Rational> {
    let power = u32::try_from(*exponent.numer())
        .ok()
        .filter(|power| *power <= 12)?;
    let index = u32::try_from(*exponent.denom())
        .ok()
        .filter(|index| *index <= 12)?;
    let raised: Rational = Pow::pow(number.clone(), power);
    let scaled = raised * Rational::from(BigInt::one() << PLACES.checked_mul(index)?);
    let floor = scaled.floor().to_integer().nth_root(index);
    let bound = if above {
        (scaled.ceil().to_integer().nth_root(index)) + BigInt::one()
    } else {
        floor
    };
    Some(Ratio::new(bound, BigInt::one() << PLACES))
}

/// Bounds of a constant quotient.
pub(crate) fn bounds(constant: &Quotient) -> Option<(Rational, Rational)> {
    if let Some(number) = constant.as_number() {
        return Some((number.clone(), number));
    }
    let above = sum_bounds(&constant.above)?;
    let below = sum_bounds(&constant.below)?;
    if !below.0.is_positive() && !below.1.is_negative() {
        return None;
    }
    Some(product(&above, &(below.1.recip(), below.0.recip())))
}

/// The sign of a constant: -1, 0 or 1; nothing where it is not known.
pub(crate) fn sign(constant: &Quotient) -> Option<i8> {
    if constant.is_zero() {
        return Some(0);
    }
    let (low, high) = bounds(constant)?;
    if low.is_positive() {
        Some(1)
    } else if high.is_negative() {
        Some(-1)
    } else {
        None
    }
}

/// The order of two constants, where it is known.
pub(crate) fn compare(left: &Quotient, right: &Quotient, work: &mut Work) -> Option<Ordering> {
    let difference = left.subtract(right, work).ok()?;
    Some(sign(&difference)?.cmp(&0))
}

/// Whether `decimal` is `exact` rounded to `places` decimal places, or cut off there.
pub(crate) fn is_rounding(decimal: &Rational, places: u32, exact: &Quotient, cut: bool) -> bool {
    let Some((low, high)) = bounds(exact) else {
        return false;
    };
    let unit = Ratio::new(BigInt::one(), BigInt::from(10).pow(places.min(40)));
    let half = &unit / Rational::from(BigInt::from(2));
    let off_low = (decimal - &low).abs();
    let off_high = (decimal - &high).abs();
    let most = if cut { unit } else { half };
    off_low <= most && off_high <= most
}
