//! Fractions, exact and small.

use std::{cmp::Ordering, fmt};

use crate::fault::Problem;

/// The largest size of a numerator or denominator. Products of two of them are far from the ends of `i128`.
const MOST: i128 = 1_000_000_000_000;

/// The largest exponent.
const MOST_EXPONENT: i64 = 20;

/// A fraction in lowest terms, with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rational {
    numerator: i64,
    denominator: i64,
}

impl Rational {
    pub(crate) const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// A whole number; it must be within the bounds, as all that is read is.
    pub(crate) fn whole(number: i64) -> Self {
        Self {
            numerator: number,
            denominator: 1,
        }
    }

    fn new(numerator: i128, denominator: i128) -> Result<Self, Problem> {
        if denominator == 0 {
            return Err(Problem::DividesByZero);
        }
        let divisor = gcd(numerator, denominator) * denominator.signum();
        let part = |number: i128| {
            let part = number / divisor;
            let small = (-MOST..=MOST).contains(&part);
            let part = i64::try_from(part).ok().filter(|_| small);
            part.ok_or(Problem::TooLarge)
        };
        Ok(Self {
            numerator: part(numerator)?,
            denominator: part(denominator)?,
        })
    }

    pub(crate) fn numerator(self) -> i64 {
        self.numerator
    }

    pub(crate) fn denominator(self) -> i64 {
        self.denominator
    }

    /// The whole number that it is.
    pub(crate) fn whole_number(self) -> Option<i64> {
        (self.denominator == 1).then_some(self.numerator)
    }

    pub(crate) fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            numerator: -self.numerator,
            ..self
        }
    }

    pub(crate) fn size(self) -> Self {
        Self {
            numerator: self.numerator.abs(),
            ..self
        }
    }

    pub(crate) fn plus(self, other: Self) -> Result<Self, Problem> {
        let [a, b, c, d] = self.beside(other);
        Self::new(a * d + c * b, b * d)
    }

    pub(crate) fn minus(self, other: Self) -> Result<Self, Problem> {
        self.plus(other.negated())
    }

    pub(crate) fn times(self, other: Self) -> Result<Self, Problem> {
        let [a, b, c, d] = self.beside(other);
        Self::new(a * c, b * d)
    }

    pub(crate) fn over(self, other: Self) -> Result<Self, Problem> {
        let [a, b, c, d] = self.beside(other);
        Self::new(a * d, b * c)
    }

    pub(crate) fn to_the(self, exponent: Self) -> Result<Self, Problem> {
        let exponent = exponent.whole_number();
        let exponent = exponent.filter(|n| (0..=MOST_EXPONENT).contains(n));
        let exponent = exponent.ok_or(Problem::Exponent)?;
        (0..exponent).try_fold(Self::ONE, |power, _| power.times(self))
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        let [a, b, c, d] = self.beside(other);
        (a * d).cmp(&(c * b))
    }

    /// Both numerators and denominators, wide enough for products.
    fn beside(self, other: Self) -> [i128; 4] {
        [
            self.numerator,
            self.denominator,
            other.numerator,
            other.denominator,
        ]
        .map(i128::from)
    }
}

/// The greatest common divisor; not negative, and 0 only for two zeros.
pub(crate) fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole_number() {
            Some(number) => write!(f, "{number}"),
            None => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}
