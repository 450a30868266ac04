//! Whether two polynomials have a factor in common.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::{Rational, Sum, Work, sum::Base};

/// What one run of Euclid's algorithm modulo a prime is worth.
const EUCLID_STEPS: usize = 20;

/// The prime modulo which common factors are looked for: 2^61 - 1.
const MODULUS: u64 = (1 << 61) - 1;

/// Whether two polynomials have no factor in common but numbers.
///
/// With numbers for all variables but one, a common factor in that variable stays one as long as no leading coefficient
/// becomes zero: so where none is left modulo a prime there was none, which is certain. Where one is left three times at
/// points that have nothing to do with the polynomials, there is one but for a chance of less than 2^-150.
pub(crate) fn coprime(left: &Sum, right: &Sum, work: &mut Work) -> Option<bool> {
    if left.is_zero() || right.is_zero() || !left.is_polynomial() || !right.is_polynomial() {
        return None;
    }
    let others = right.variables();
    let shared = left
        .variables()
        .into_iter()
        .filter(|name| others.contains(name));
    for variable in shared {
        let mut common = 0;
        let mut settled = false;
        for seed in 1..=6_u64 {
            work.take(left.len() + right.len() + EUCLID_STEPS).ok()?;
            let (Some(one), Some(two)) = (
                specialised(left, &variable, seed),
                specialised(right, &variable, seed),
            ) else {
                continue;
            };
            if common_degree(one, two) == 0 {
                settled = true;
                break;
            }
            common += 1;
            if common == 3 {
                return Some(false);
            }
        }
        if !settled {
            return None;
        }
    }
    Some(true)
}

/// The coefficients by powers of `variable` modulo the prime, with numbers for all others.
fn specialised(sum: &Sum, variable: &str, seed: u64) -> Option<Vec<u64>> {
    let own = Base::Variable(variable.into());
    let mut coefficients: Vec<u64> = Vec::new();
    let mut degree = 0;
    for (monomial, number) in sum.terms() {
        let mut value = residue(number)?;
        for (base, exponent) in &monomial.0 {
            if *base != own
                && let Base::Variable(name) = base
            {
                value = times(value, power(point(name, seed), exponent.to_integer()));
            }
        }
        let at = usize::try_from(monomial.exponent(&own).to_integer())
            .ok()
            .filter(|at| *at <= 64)?;
        degree = degree.max(at);
        if coefficients.len() <= at {
            coefficients.resize(at + 1, 0);
        }
        if let Some(place) = coefficients.get_mut(at) {
            *place = (*place + value) % MODULUS;
        }
    }
    (coefficients.get(degree) != Some(&0)).then_some(coefficients)
}

/// A fixed number for a variable: spread over the whole range, so that nobody's polynomial meets it by chance.
fn point(name: &str, seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash % MODULUS
}

fn residue(number: &Rational) -> Option<u64> {
    let modulus = BigInt::from(MODULUS);
    let above = number.numer().mod_floor(&modulus).to_u64()?;
    let below = number.denom().mod_floor(&modulus).to_u64()?;
    (below != 0).then(|| times(above, inverse(below)))
}

fn times(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right) % u128::from(MODULUS);
    u64::try_from(product).unwrap_or_default()
}

fn power(base: u64, exponent: i64) -> u64 {
    let mut result = 1;
    let mut base = base;
    let mut exponent = exponent.unsigned_abs();
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent /= 2;
    }
    result
}

fn inverse(number: u64) -> u64 {
    power(number, (1 << 61) - 3)
}

/// The degree of the greatest common divisor, by Euclid.
fn common_degree(mut left: Vec<u64>, mut right: Vec<u64>) -> usize {
    let trim = |coefficients: &mut Vec<u64>| {
        while coefficients.last() == Some(&0) {
            coefficients.pop();
        }
    };
    trim(&mut left);
    trim(&mut right);
    while !right.is_empty() {
        let lead = inverse(right.last().copied().unwrap_or(1));
        while left.len() >= right.len() {
            let factor = times(left.last().copied().unwrap_or(0), lead);
            let shift = left.len() - right.len();
            for (at, own) in right.iter().enumerate() {
                if let Some(place) = left.get_mut(at + shift) {
                    *place = (*place + MODULUS - times(factor, *own)) % MODULUS;
                }
            }
            left.pop();
            trim(&mut left);
        }
        std::mem::swap(&mut left, &mut right);
    }
    left.len().saturating_sub(1)
}
