//! Whether polynomials can be factored further, and whether two have a factor in common.

use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    Rational, Sum,
    roots::{divide_out, divisors, rational_power, whole_coefficients},
    sum::{Base, Exponent, Monomial},
};

/// Whether a polynomial is a product of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Irreducible {
    /// It has no factors over the rationals but itself.
    Yes,
    /// It has.
    No,
    /// Not found out.
    Unknown,
}

/// Polynomials of a higher degree are not examined.
const MAX_DEGREE: usize = 12;

/// Products of divisors that are tried as quadratic factors.
const MAX_TRIALS: usize = 600;

/// The rational content, and the polynomial with whole coefficients without a common divisor.
pub(crate) fn primitive_part(sum: &Sum) -> (Rational, Sum) {
    let content = sum.content();
    let part = sum.scale(&content.recip());
    (content, part)
}

/// Whether a polynomial that is no constant can be factored over the rationals.
pub(crate) fn irreducible(sum: &Sum) -> Irreducible {
    if !sum.is_polynomial() || sum.is_zero() {
        return Irreducible::Unknown;
    }
    if let Some((monomial, _)) = sum.single() {
        let degree: Exponent = monomial.0.iter().map(|(_, exponent)| exponent).sum();
        return if degree.is_one() {
            Irreducible::Yes
        } else {
            Irreducible::No
        };
    }
    if !sum.common_monomial().0.is_empty() {
        return Irreducible::No;
    }
    if let Some(coefficients) = along_a_line(sum) {
        return one_variable(&coefficients);
    }
    for variable in sum.variables() {
        match seen_from(sum, &variable) {
            Irreducible::Unknown => {}
            known => return known,
        }
    }
    Irreducible::Unknown
}

/// Where all exponents lie on one line, factors do so too, and the polynomial factors as one in a single variable does.
/// That holds for all polynomials in one variable, and for those like `x^2 - 16y^4`.
fn along_a_line(sum: &Sum) -> Option<Vec<Rational>> {
    let variables = sum.variables();
    let point = |monomial: &Monomial| -> Vec<i64> {
        variables
            .iter()
            .map(|name| {
                monomial
                    .exponent(&Base::Variable(Rc::clone(name)))
                    .to_integer()
            })
            .collect()
    };
    let points: Vec<(Vec<i64>, Rational)> = sum
        .terms()
        .map(|(monomial, number)| (point(monomial), number.clone()))
        .collect();
    let origin = points.first()?.0.clone();
    let mut direction: Option<Vec<i64>> = None;
    let mut places: Vec<(i64, Rational)> = Vec::new();
    for (point, number) in points {
        let offset: Vec<i64> = point.iter().zip(&origin).map(|(a, b)| a - b).collect();
        let size = offset.iter().fold(0_i64, |size, step| size.gcd(step));
        if size == 0 {
            places.push((0, number));
            continue;
        }
        let unit: Vec<i64> = offset.iter().map(|step| step / size).collect();
        let own = direction.get_or_insert_with(|| unit.clone());
        if *own == unit {
            places.push((size, number));
        } else if own.iter().zip(&unit).all(|(a, b)| *a == -b) {
            places.push((-size, number));
        } else {
            return None;
        }
    }
    let lowest = places.iter().map(|(place, _)| *place).min()?;
    let highest = places.iter().map(|(place, _)| *place).max()?;
    let degree = usize::try_from(highest - lowest).ok()?;
    if degree > MAX_DEGREE {
        return None;
    }
    let mut coefficients = vec![Rational::zero(); degree + 1];
    for (place, number) in places {
        *coefficients.get_mut(usize::try_from(place - lowest).ok()?)? = number;
    }
    Some(coefficients)
}

/// Irreducibility of a polynomial in several variables, seen as one in `variable`: its coefficients must have no common
/// factor, and it must be linear or stay irreducible with numbers for the other variables.
fn seen_from(sum: &Sum, variable: &str) -> Irreducible {
    let Some(powers) = sum.by_powers(variable, MAX_DEGREE) else {
        return Irreducible::Unknown;
    };
    let mut primitive = powers
        .iter()
        .any(|power| power.as_number().is_some_and(|number| !number.is_zero()));
    let parts: Vec<&Sum> = powers.iter().filter(|power| !power.is_zero()).collect();
    for (at, left) in parts.iter().enumerate() {
        for right in parts.iter().skip(at + 1) {
            match coprime(left, right) {
                Some(true) => primitive = true,
                Some(false) if parts.len() == 2 => return Irreducible::No,
                _ => {}
            }
        }
    }
    if !primitive {
        return Irreducible::Unknown;
    }
    if powers.len() == 2 {
        return Irreducible::Yes;
    }
    let others: Vec<Rc<str>> = sum
        .variables()
        .into_iter()
        .filter(|name| &**name != variable)
        .collect();
    for seed in [2_u64, 3, 7, 11] {
        let mut coefficients: Vec<Rational> = Vec::new();
        for power in &powers {
            let Some(value) = value_at(power, &others, seed) else {
                return Irreducible::Unknown;
            };
            coefficients.push(value);
        }
        if coefficients.last().is_some_and(|lead| !lead.is_zero())
            && one_variable(&coefficients) == Irreducible::Yes
        {
            return Irreducible::Yes;
        }
    }
    Irreducible::Unknown
}

/// The value with small whole numbers for the variables.
fn value_at(sum: &Sum, variables: &[Rc<str>], seed: u64) -> Option<Rational> {
    let mut total = Rational::zero();
    for (monomial, number) in sum.terms() {
        let mut term = number.clone();
        for (at, name) in variables.iter().enumerate() {
            let exponent = monomial.exponent(&Base::Variable(Rc::clone(name)));
            let power = exponent
                .to_integer()
                .to_i32()
                .filter(|power| *power <= 40)?;
            let value = seed + 2 * u64::try_from(at).ok()?;
            term *= Rational::from(BigInt::from(value)).pow(power);
        }
        total += term;
    }
    Some(total)
}

/// Irreducibility of a polynomial in one variable, its constant not zero.
fn one_variable(coefficients: &[Rational]) -> Irreducible {
    let degree = coefficients.len().saturating_sub(1);
    if degree <= 1 {
        return Irreducible::Yes;
    }
    if degree == 2 {
        let [constant, slope, square] = coefficients else {
            return Irreducible::Unknown;
        };
        let four = Rational::from(BigInt::from(4));
        let discriminant = slope * slope - four * square * constant;
        return if is_square(&discriminant) {
            Irreducible::No
        } else {
            Irreducible::Yes
        };
    }
    match has_rational_root(coefficients) {
        Some(true) => return Irreducible::No,
        Some(false) if degree == 3 => return Irreducible::Yes,
        Some(false) => {}
        None => return Irreducible::Unknown,
    }
    if sparse_factor(coefficients) {
        return Irreducible::No;
    }
    match has_quadratic_factor(coefficients) {
        Some(true) => Irreducible::No,
        Some(false) if degree <= 5 => Irreducible::Yes,
        _ => Irreducible::Unknown,
    }
}

fn is_square(number: &Rational) -> bool {
    if number.is_negative() {
        return false;
    }
    let root = |part: &BigInt| {
        let root = part.sqrt();
        &root * &root == *part
    };
    root(number.numer()) && root(number.denom())
}

fn has_rational_root(coefficients: &[Rational]) -> Option<bool> {
    let whole = whole_coefficients(coefficients);
    let numerators = divisors(whole.first()?)?;
    let denominators = divisors(whole.last()?)?;
    if numerators.len() * denominators.len() > MAX_TRIALS {
        return None;
    }
    for numerator in &numerators {
        for denominator in &denominators {
            let root = Ratio::new(BigInt::from(*numerator), BigInt::from(*denominator));
            if divide_out(coefficients, &root).is_some()
                || divide_out(coefficients, &-root).is_some()
            {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Polynomials in a power of the variable, and differences of squares or sums of cubes.
fn sparse_factor(coefficients: &[Rational]) -> bool {
    let degree = coefficients.len().saturating_sub(1);
    let step = coefficients
        .iter()
        .enumerate()
        .filter(|(_, number)| !number.is_zero())
        .fold(0_usize, |step, (at, _)| step.gcd(&at));
    if step < 2 {
        return false;
    }
    if step == degree {
        let (Some(first), Some(last)) = (coefficients.first(), coefficients.last()) else {
            return false;
        };
        let ratio = -first / last;
        let cube = rational_power(&ratio, Exponent::new(1, 3))
            .is_ok_and(|root| root.as_number().is_some());
        return step.is_multiple_of(2) && is_square(&ratio) || step.is_multiple_of(3) && cube;
    }
    let inner: Vec<Rational> = coefficients.iter().step_by(step).cloned().collect();
    one_variable(&inner) == Irreducible::No
}

/// Kronecker's method for quadratic factors: a factor's values at 0, 1 and -1 divide the polynomial's.
fn has_quadratic_factor(coefficients: &[Rational]) -> Option<bool> {
    let whole = whole_coefficients(coefficients);
    let at_zero = whole.first()?.clone();
    let at_one: BigInt = whole.iter().sum();
    let at_minus: BigInt = whole
        .iter()
        .enumerate()
        .map(|(at, number)| if at % 2 == 0 { number.clone() } else { -number })
        .sum();
    let (zeros, ones, minuses) = (
        divisors(&at_zero)?,
        divisors(&at_one)?,
        divisors(&at_minus)?,
    );
    if zeros.len() * ones.len() * minuses.len() * 4 > MAX_TRIALS * 4 {
        return None;
    }
    for zero in &zeros {
        for one in &ones {
            for minus in &minuses {
                for signs in 0..4 {
                    // The factor's sign is free, so its value at zero may be taken as positive.
                    let zero = i128::from(*zero);
                    let one = i128::from(*one) * if signs & 1 == 0 { 1 } else { -1 };
                    let minus = i128::from(*minus) * if signs & 2 == 0 { 1 } else { -1 };
                    let (square, slope) = (one + minus - 2 * zero, one - minus);
                    if square == 0 || square % 2 != 0 || slope % 2 != 0 {
                        continue;
                    }
                    let factor = [zero, slope / 2, square / 2].map(BigInt::from);
                    if divides(&factor, &whole) {
                        return Some(true);
                    }
                }
            }
        }
    }
    Some(false)
}

fn divides(factor: &[BigInt; 3], polynomial: &[BigInt]) -> bool {
    let [constant, slope, square] = factor;
    let mut rest: Vec<Rational> = polynomial
        .iter()
        .map(|number| Rational::from(number.clone()))
        .collect();
    while rest.len() > 2 {
        let Some(lead) = rest.pop() else {
            return false;
        };
        let quotient = lead / Rational::from(square.clone());
        let degree = rest.len();
        for (back, own) in [(1, slope), (2, constant)] {
            if let Some(value) = degree.checked_sub(back).and_then(|at| rest.get_mut(at)) {
                *value -= &quotient * Rational::from(own.clone());
            }
        }
    }
    rest.iter().all(Zero::is_zero)
}

/// The prime modulo which common factors are looked for: 2^61 - 1.
const MODULUS: u64 = (1 << 61) - 1;

/// Whether two polynomials have no factor in common but numbers.
///
/// With numbers for all variables but one, a common factor in that variable stays one as long as no leading coefficient
/// becomes zero: so where none is left modulo a prime there was none, which is certain. Where one is left three times at
/// points that have nothing to do with the polynomials, there is one but for a chance of less than 2^-150.
pub(crate) fn coprime(left: &Sum, right: &Sum) -> Option<bool> {
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
