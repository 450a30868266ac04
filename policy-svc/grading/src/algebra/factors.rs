//! Whether polynomials can be factored further, and whether two have a factor in common.

use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    Rational, Sum, Work, coprime,
    exponent::Exponent,
    roots::{divide_out, divisors, rational_power, whole_coefficients},
    sum::{Base, Monomial},
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

/// What finding the divisors of two or three numbers is worth.
const FACTORING_STEPS: usize = 120;

/// Products of divisors that are tried as quadratic factors.
const MAX_TRIALS: usize = 600;

/// The rational content, and the polynomial with whole coefficients without a common divisor.
pub(crate) fn primitive_part(sum: &Sum) -> (Rational, Sum) {
    let content = sum.content();
    let part = sum.scale(&content.recip());
    (content, part)
}

/// Whether a polynomial that is no constant can be factored over the rationals.
pub(crate) fn irreducible(sum: &Sum, work: &mut Work) -> Irreducible {
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
        return one_variable(&coefficients, work);
    }
    for variable in sum.variables() {
        match seen_from(sum, &variable, work) {
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
fn seen_from(sum: &Sum, variable: &str, work: &mut Work) -> Irreducible {
    let Some(powers) = sum.by_powers(variable, MAX_DEGREE) else {
        return Irreducible::Unknown;
    };
    let mut primitive = powers
        .iter()
        .any(|power| power.as_number().is_some_and(|number| !number.is_zero()));
    let parts: Vec<&Sum> = powers.iter().filter(|power| !power.is_zero()).collect();
    for (at, left) in parts.iter().enumerate() {
        for right in parts.iter().skip(at + 1) {
            match coprime(left, right, work) {
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
            && one_variable(&coefficients, work) == Irreducible::Yes
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
fn one_variable(coefficients: &[Rational], work: &mut Work) -> Irreducible {
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
    match has_rational_root(coefficients, work) {
        Some(true) => return Irreducible::No,
        Some(false) if degree == 3 => return Irreducible::Yes,
        Some(false) => {}
        None => return Irreducible::Unknown,
    }
    if sparse_factor(coefficients, work) {
        return Irreducible::No;
    }
    match has_quadratic_factor(coefficients, work) {
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

fn has_rational_root(coefficients: &[Rational], work: &mut Work) -> Option<bool> {
    work.take(FACTORING_STEPS).ok()?;
    let whole = whole_coefficients(coefficients);
    let numerators = divisors(whole.first()?)?;
    let denominators = divisors(whole.last()?)?;
    if numerators.len() * denominators.len() > MAX_TRIALS {
        return None;
    }
    for numerator in &numerators {
        for denominator in &denominators {
            work.take(coefficients.len()).ok()?;
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
fn sparse_factor(coefficients: &[Rational], work: &mut Work) -> bool {
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
    one_variable(&inner, work) == Irreducible::No
}

/// Kronecker's method for quadratic factors: a factor's values at 0, 1 and -1 divide the polynomial's.
fn has_quadratic_factor(coefficients: &[Rational], work: &mut Work) -> Option<bool> {
    work.take(FACTORING_STEPS).ok()?;
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
                    work.take(2 * whole.len()).ok()?;
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
