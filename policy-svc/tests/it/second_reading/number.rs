//! Exact fractions.

use std::ops::{Add, Mul, Neg, Sub};

/// A fraction in lowest terms, its sign above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    pub above: i128,
    pub below: i128,
}

impl Number {
    pub const ZERO: Self = Self::whole(0);
    pub const ONE: Self = Self::whole(1);

    pub const fn whole(above: i128) -> Self {
        Self { above, below: 1 }
    }

    /// `None` for a division by zero.
    pub fn fraction(above: i128, below: i128) -> Option<Self> {
        let shared = gcd(above, below) * below.signum();
        (below != 0).then(|| Self {
            above: above / shared,
            below: below / shared,
        })
    }

    pub fn over(self, other: Self) -> Option<Self> {
        let upside_down = Self::fraction(other.below, other.above)?;
        Some(self * upside_down)
    }

    pub fn power(self, exponent: u32) -> Self {
        Self {
            above: self.above.pow(exponent),
            below: self.below.pow(exponent),
        }
    }

    pub fn is_less_than(self, other: Self) -> bool {
        (self - other).above < 0
    }
}

impl Add for Number {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let above = self.above * other.below + other.above * self.below;
        Self::fraction(above, self.below * other.below).unwrap()
    }
}

impl Neg for Number {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            above: -self.above,
            ..self
        }
    }
}

impl Sub for Number {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Number {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Reduced before, so that powers do not grow too long.
        let one = Self::fraction(self.above, other.below).unwrap();
        let two = Self::fraction(other.above, self.below).unwrap();
        Self {
            above: one.above * two.above,
            below: one.below * two.below,
        }
    }
}

pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
