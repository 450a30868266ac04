//! Exact algebra: sums of terms with rational coefficients and rational powers, and quotients of them.
//!
//! Terms may hold fractional powers of primes (`2^(1/2)`) and of variables. Products of different fractional powers of
//! primes are linearly independent over the rationals (Besicovitch, 1940), so two such sums are equal exactly if their
//! terms are, and no approximation is needed to know that a sum of surds is zero.

mod coprime;
mod enclosure;
mod equation;
mod exponent;
mod factors;
mod integers;
mod normal;
mod quotient;
pub mod residue;
mod roots;
mod set;
mod sum;

pub(crate) use self::{
    coprime::coprime,
    enclosure::{compare, is_rounding, sign},
    equation::{Solutions, SystemSolution, solve_relation, solve_system},
    factors::{Irreducible, irreducible, primitive_part},
    integers::integer_factors,
    normal::{Env, Roots, normal},
    quotient::Quotient,
    residue::{residue, varies},
    set::{Edge, RealSet, Span},
    sum::Sum,
};

use num_rational::BigRational;

/// An exact rational number.
pub(crate) type Rational = BigRational;

/// Why algebra stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The work or a number grew past its bound.
    TooBig,
    /// A division by zero.
    Undefined,
    /// An even root of a negative number.
    NotReal,
    /// Outside these rules.
    Unsupported,
}

/// Steps of term arithmetic that one look at an answer may take. A step costs about a quarter of a microsecond, so this
/// bounds a call's time.
const STEPS: u32 = 2_500;

/// What taking a root is worth: the number under it is factored.
pub(crate) const ROOT_STEPS: usize = 80;

/// A coefficient of more bits stops the call.
pub(crate) const MAX_BITS: u64 = 512;

/// Bits of a coefficient that are multiplied in the time of one step.
const BITS_A_STEP: u64 = 64;

/// What is left of a call's steps.
#[derive(Debug)]
pub(crate) struct Work {
    left: u32,
}

impl Work {
    /// A call's whole allowance.
    pub(crate) fn new() -> Self {
        Self { left: STEPS }
    }

    /// Takes `steps`, or stops.
    pub(crate) fn take(&mut self, steps: usize) -> Result<(), Stop> {
        let steps = u32::try_from(steps).map_err(|_| Stop::TooBig)?;
        self.left = self.left.checked_sub(steps).ok_or(Stop::TooBig)?;
        Ok(())
    }
}

/// The product, sparing whole numbers the search for common divisors.
pub(crate) fn product(left: &Rational, right: &Rational) -> Rational {
    if left.is_integer() && right.is_integer() {
        Rational::from(left.numer() * right.numer())
    } else {
        left * right
    }
}

/// The sum, sparing whole numbers the search for common divisors.
pub(crate) fn total(left: &Rational, right: &Rational) -> Rational {
    if left.is_integer() && right.is_integer() {
        Rational::from(left.numer() + right.numer())
    } else {
        left + right
    }
}

/// The steps that a number's size is worth: whole numbers are cheap, long fractions are not.
pub(crate) fn weight(number: &Rational) -> usize {
    let bits = if number.is_integer() {
        number.numer().bits() / 4
    } else {
        number.numer().bits() + number.denom().bits()
    };
    usize::try_from(bits / BITS_A_STEP).unwrap_or(usize::MAX)
}

/// Whether a number is within the bound on bits.
pub(crate) fn bounded(number: &Rational) -> Result<(), Stop> {
    if number.numer().bits() > MAX_BITS || number.denom().bits() > MAX_BITS {
        Err(Stop::TooBig)
    } else {
        Ok(())
    }
}
