//! Real roots of polynomials in one variable with rational coefficients, and roots of numbers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

use super::{
    Quotient, Rational, Stop, Work, bounded,
    exponent::{Exponent, checked_multiply, number_power},
    integers::integer_factors,
    sum::{Base, Monomial, Sum},
};

/// Divisors tried as numerators or denominators of rational roots.
const MAX_DIVISORS: usize = 160;

/// The real roots of a polynomial.
#[derive(Debug, Clone, Default)]
pub(crate) struct RealRoots {
    /// Those found, each once.
    pub(crate) roots: Vec<Quotient>,
    /// Whether there can be no others.
    pub(crate) complete: bool,
}

/// A rational number to a rational power, by the real root: `(-8)^(1/3)` is -2.
pub(crate) fn rational_power(number: &Rational, exponent: Exponent) -> Result<Sum, Stop> {
    if exponent.is_negative() {
        if number.is_zero() {
            return Err(Stop::Undefined);
        }
        return rational_power(&number.recip(), -exponent);
    }
    if exponent.is_integer() {
        let power = number_power(number, exponent.to_integer())?;
        return Ok(Sum::number(power));
    }
    if number.is_zero() {
        return Ok(Sum::default());
    }
    let mut coefficient = Rational::one();
    if number.is_negative() {
        if exponent.denom().is_even() {
            return Err(Stop::NotReal);
        }
        if exponent.numer().is_odd() {
            coefficient = -coefficient;
        }
    }
    let mut monomial = Monomial::default();
    let above = integer_factors(number.numer()).ok_or(Stop::TooBig)?;
    let below = integer_factors(number.denom()).ok_or(Stop::TooBig)?;
    let powers = above
        .into_iter()
        .map(|(prime, power)| (prime, i64::from(power)))
        .chain(
            below
                .into_iter()
                .map(|(prime, power)| (prime, -i64::from(power))),
        );
    for (prime, power) in powers {
        let raised = checked_multiply(exponent, Exponent::from(power))?;
        let whole = raised.floor().to_integer();
        let factor = number_power(&Rational::from(BigInt::from(prime)), whole)?;
        coefficient *= factor;
        bounded(&coefficient)?;
        monomial.set(Base::Prime(prime), raised - Exponent::from(whole));
    }
    Ok(Sum::term(monomial, coefficient))
}

/// The real roots of the polynomial with these coefficients, constant first. It must not be zero.
pub(crate) fn real_roots(coefficients: &[Rational], work: &mut Work) -> Result<RealRoots, Stop> {
    let mut rest = trimmed(coefficients.to_vec());
    let mut found = RealRoots {
        roots: Vec::new(),
        complete: true,
    };
    if rest.len() > 1 && rest.first().is_some_and(Zero::is_zero) {
        found.roots.push(Quotient::number(Rational::zero()));
        while rest.first().is_some_and(Zero::is_zero) {
            rest.remove(0);
        }
    }
    // Rational roots are only searched where no formula is at hand.
    if rest.len() > 3 && !only_ends(&rest) {
        rest = take_rational_roots(rest, &mut found.roots, work)?;
    }
    match rest.as_slice() {
        [] | [_] => {}
        [constant, slope] => found.roots.push(Quotient::number(-constant / slope)),
        [constant, slope, square] => quadratic(constant, slope, square, &mut found, work)?,
        [constant, .., lead] if only_ends(&rest) => {
            let degree = i64::try_from(rest.len()).map_err(|_| Stop::TooBig)? - 1;
            let radicand = -constant / lead;
            pure_power(&radicand, degree, &mut found)?;
        }
        _ => powers_of_powers(&rest, &mut found, work)?,
    }
    Ok(found)
}

/// `x^degree = radicand`.
fn pure_power(radicand: &Rational, degree: i64, found: &mut RealRoots) -> Result<(), Stop> {
    if degree % 2 == 0 && radicand.is_negative() {
        return Ok(());
    }
    let root = rational_power(radicand, Exponent::new(1, degree))?;
    if degree % 2 == 0 {
        found.roots.push(Quotient::whole(root.negated()));
    }
    found.roots.push(Quotient::whole(root));
    Ok(())
}

/// A polynomial in a power of the variable, by the roots of the polynomial in that power.
fn powers_of_powers(rest: &[Rational], found: &mut RealRoots, work: &mut Work) -> Result<(), Stop> {
    let step = rest
        .iter()
        .enumerate()
        .filter(|(_, coefficient)| !coefficient.is_zero())
        .fold(0, |step: usize, (at, _)| step.gcd(&at));
    if step < 2 {
        found.complete = false;
        return Ok(());
    }
    work.take(rest.len())?;
    let inner: Vec<Rational> = rest.iter().step_by(step).cloned().collect();
    let inner = real_roots(&inner, work)?;
    found.complete &= inner.complete;
    for root in inner.roots {
        match root.as_number() {
            Some(number) => {
                let degree = i64::try_from(step).map_err(|_| Stop::TooBig)?;
                pure_power(&number, degree, found)?;
            }
            None => {
                let negative = super::sign(&root).is_some_and(i8::is_negative);
                if !(negative && step.is_even()) {
                    found.complete = false;
                }
            }
        }
    }
    Ok(())
}

fn quadratic(
    constant: &Rational,
    slope: &Rational,
    square: &Rational,
    found: &mut RealRoots,
    work: &mut Work,
) -> Result<(), Stop> {
    let four = Rational::from(BigInt::from(4));
    let discriminant = slope * slope - four * square * constant;
    bounded(&discriminant)?;
    if discriminant.is_negative() {
        return Ok(());
    }
    work.take(super::ROOT_STEPS)?;
    let double = square + square;
    let middle = Sum::number(-slope / &double);
    let offset = rational_power(&discriminant, Exponent::new(1, 2))?.scale(&double.recip());
    found
        .roots
        .push(Quotient::whole(middle.subtract(&offset, work)?));
    if !offset.is_zero() {
        found
            .roots
            .push(Quotient::whole(middle.add(&offset, work)?));
    }
    Ok(())
}

fn trimmed(mut coefficients: Vec<Rational>) -> Vec<Rational> {
    while coefficients.last().is_some_and(Zero::is_zero) {
        coefficients.pop();
    }
    coefficients
}

fn only_ends(coefficients: &[Rational]) -> bool {
    match coefficients {
        [_, middle @ .., _] => middle.iter().all(Zero::is_zero),
        _ => false,
    }
}

/// Whole coefficients without a common divisor.
pub(crate) fn whole_coefficients(coefficients: &[Rational]) -> Vec<BigInt> {
    let scale = coefficients
        .iter()
        .fold(BigInt::one(), |scale, coefficient| {
            scale.lcm(coefficient.denom())
        });
    let whole: Vec<BigInt> = coefficients
        .iter()
        .map(|coefficient| (coefficient * Rational::from(scale.clone())).to_integer())
        .collect();
    let common = whole
        .iter()
        .fold(BigInt::zero(), |common, number| common.gcd(number));
    if common.is_zero() {
        return whole;
    }
    whole.iter().map(|number| number / &common).collect()
}

/// The positive divisors of a number, at most so many.
pub(crate) fn divisors(number: &BigInt) -> Option<Vec<u64>> {
    let mut all: Vec<u64> = vec![1];
    for (prime, power) in integer_factors(number)? {
        let before = all.clone();
        let mut factor: u64 = 1;
        for _ in 0..power {
            factor = factor.checked_mul(prime)?;
            for own in &before {
                all.push(own.checked_mul(factor)?);
            }
        }
        if all.len() > MAX_DIVISORS {
            return None;
        }
    }
    Some(all)
}

/// Divides the rational roots out and returns what is left.
fn take_rational_roots(
    coefficients: Vec<Rational>,
    roots: &mut Vec<Quotient>,
    work: &mut Work,
) -> Result<Vec<Rational>, Stop> {
    let whole = whole_coefficients(&coefficients);
    let (Some(first), Some(last)) = (whole.first(), whole.last()) else {
        return Ok(coefficients);
    };
    work.take(120)?;
    let numerators = divisors(first).ok_or(Stop::TooBig)?;
    let denominators = divisors(last).ok_or(Stop::TooBig)?;
    let mut rest = coefficients;
    for numerator in &numerators {
        for denominator in &denominators {
            if numerator.gcd(denominator) != 1 {
                continue;
            }
            for negative in [false, true] {
                if rest.len() <= 3 {
                    return Ok(rest);
                }
                work.take(rest.len() / 3 + 1)?;
                let size = Ratio::new(BigInt::from(*numerator), BigInt::from(*denominator));
                let root = if negative { -size } else { size };
                let mut is_new = true;
                while let Some(quotient) = divide_out(&rest, &root) {
                    work.take(rest.len())?;
                    rest = quotient;
                    if is_new {
                        roots.push(Quotient::number(root.clone()));
                        is_new = false;
                    }
                }
            }
        }
    }
    Ok(rest)
}

/// The polynomial divided by `x - root`, where that leaves nothing over.
pub(crate) fn divide_out(coefficients: &[Rational], root: &Rational) -> Option<Vec<Rational>> {
    if coefficients.len() < 2 {
        return None;
    }
    let mut quotient: Vec<Rational> = Vec::with_capacity(coefficients.len());
    let mut carry = Rational::zero();
    for coefficient in coefficients.iter().rev() {
        carry = carry * root + coefficient;
        quotient.push(carry.clone());
    }
    let remainder = quotient.pop()?;
    quotient.reverse();
    remainder.is_zero().then_some(quotient)
}
