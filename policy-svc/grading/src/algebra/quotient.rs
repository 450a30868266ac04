//! Quotients of sums: every expression comes down to one.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

use super::{
    Rational, Stop, Work, bounded,
    exponent::Exponent,
    product,
    sum::{Base, Monomial, Sum},
    total, weight,
};

/// A numerator over a denominator that is not zero. Common monomials are cancelled; other common factors may remain, and
/// equality is decided by cross-multiplying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quotient {
    /// The numerator.
    pub(crate) above: Sum,
    /// The denominator.
    pub(crate) below: Sum,
}

impl Quotient {
    /// A number.
    pub(crate) fn number(number: Rational) -> Self {
        Self::whole(Sum::number(number))
    }

    /// A sum over one.
    pub(crate) fn whole(above: Sum) -> Self {
        Self {
            above,
            below: Sum::one(),
        }
    }

    fn new(above: Sum, below: Sum, work: &mut Work) -> Result<Self, Stop> {
        if below.is_zero() {
            return Err(Stop::Undefined);
        }
        Self { above, below }.tidy(work)
    }

    /// Cancels what can be cancelled cheaply: powers of variables, surds of a one-term denominator, and numbers.
    fn tidy(mut self, work: &mut Work) -> Result<Self, Stop> {
        // Negative powers of variables move across.
        let shift = |sum: &Sum| -> Monomial {
            let mut common = sum.common_monomial();
            common.0.retain(|(_, exponent)| exponent.is_negative());
            common
        };
        for lowest in [shift(&self.above), shift(&self.below)] {
            self.above = self.above.divide_by_monomial(&lowest);
            self.below = self.below.divide_by_monomial(&lowest);
        }
        if self.above.is_zero() {
            return Ok(Self::whole(Sum::default()));
        }
        let below = self.below.common_monomial();
        if !below.0.is_empty() {
            let above = self.above.common_monomial();
            let mut common = Monomial::default();
            for (base, exponent) in &below.0 {
                common.set(base.clone(), above.exponent(base).min(*exponent));
            }
            self.above = self.above.divide_by_monomial(&common);
            self.below = self.below.divide_by_monomial(&common);
        }
        // A surd alone below: 1/sqrt(2) is sqrt(2)/2.
        let surds: Vec<(Base, Exponent)> = match self.below.single() {
            Some((monomial, _)) => monomial
                .0
                .iter()
                .filter(|(base, _)| matches!(base, Base::Prime(_)))
                .map(|(base, exponent)| (base.clone(), Exponent::one() - exponent))
                .collect(),
            None => Vec::new(),
        };
        if !surds.is_empty() {
            let factor = Sum::term(Monomial(surds), Rational::one());
            self.above = self.above.multiply(&factor, work)?;
            self.below = self.below.multiply(&factor, work)?;
        }
        let content = self.below.content();
        if !content.is_one() {
            let factor = content.recip();
            self.above = self.above.scale(&factor);
            self.below = self.below.scale(&factor);
        }
        Ok(self)
    }

    /// Whether it is zero: see [`Sum::is_zero`].
    pub(crate) fn is_zero(&self) -> bool {
        self.above.is_zero()
    }

    /// The rational number that it is, if it is one.
    pub(crate) fn as_number(&self) -> Option<Rational> {
        let below = self.below.as_number()?;
        let above = self.above.as_number()?;
        (!below.is_zero()).then(|| above / below)
    }

    /// The number that it is, where it is one and not zero, and its denominator is one.
    fn as_plain(&self) -> Option<&Rational> {
        let is_whole = self.below.as_term_number().is_some_and(One::is_one);
        is_whole.then(|| self.above.as_term_number()).flatten()
    }

    /// The numbers that both are: most of what a pupil works out needs no sums.
    fn plain_pair<'a>(&'a self, other: &'a Self) -> Option<(&'a Rational, &'a Rational)> {
        self.as_plain().zip(other.as_plain())
    }

    /// A number that was worked out in one step.
    fn worked_out(number: Rational, work: &mut Work) -> Result<Self, Stop> {
        bounded(&number)?;
        work.take(1 + weight(&number))?;
        Ok(Self::number(number))
    }

    /// Whether it can be written out with decimals of so many places.
    pub(crate) fn terminates(&self, places: u32) -> bool {
        let Some(below) = self.below.as_number().filter(|below| !below.is_zero()) else {
            return false;
        };
        let scale = Rational::from(BigInt::from(10).pow(places.min(40))) / below;
        self.above.is_polynomial()
            && !self.above.has_surd()
            && self.above.variables().iter().all(|name| &**name != "π")
            && self
                .above
                .terms()
                .all(|(_, number)| (number * &scale).is_integer())
    }

    /// Whether no variable stands in it.
    pub(crate) fn is_constant(&self) -> bool {
        self.above.variables().is_empty() && self.below.variables().is_empty()
    }

    /// The sum of both.
    pub(crate) fn add(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        if self.is_zero() {
            return Ok(other.clone());
        }
        if let Some((own, other)) = self.plain_pair(other) {
            return Self::worked_out(total(own, other), work);
        }
        if self.below == other.below {
            let above = self.above.add(&other.above, work)?;
            return Self::new(above, self.below.clone(), work);
        }
        let left = self.above.multiply(&other.below, work)?;
        let right = other.above.multiply(&self.below, work)?;
        let below = self.below.multiply(&other.below, work)?;
        Self::new(left.add(&right, work)?, below, work)
    }

    /// The quotient with its sign turned.
    pub(crate) fn negated(&self) -> Self {
        Self {
            above: self.above.negated(),
            below: self.below.clone(),
        }
    }

    /// The difference of both.
    pub(crate) fn subtract(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        self.add(&other.negated(), work)
    }

    /// The product of both.
    pub(crate) fn multiply(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        if let Some((own, other)) = self.plain_pair(other) {
            return Self::worked_out(product(own, other), work);
        }
        let above = self.above.multiply(&other.above, work)?;
        let below = self.below.multiply(&other.below, work)?;
        Self::new(above, below, work)
    }

    /// One over it.
    pub(crate) fn inverse(&self, work: &mut Work) -> Result<Self, Stop> {
        if let Some(own) = self.as_plain() {
            return Self::worked_out(own.recip(), work);
        }
        Self::new(self.below.clone(), self.above.clone(), work)
    }

    /// Both divided.
    pub(crate) fn divide(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        self.multiply(&other.inverse(work)?, work)
    }

    /// A whole power.
    pub(crate) fn power(&self, exponent: i64, work: &mut Work) -> Result<Self, Stop> {
        let base = if exponent < 0 {
            self.inverse(work)?
        } else {
            self.clone()
        };
        let size = exponent.checked_abs().ok_or(Stop::TooBig)?;
        let above = base.above.power(size, work)?;
        let below = base.below.power(size, work)?;
        Self::new(above, below, work)
    }

    /// Whether both are equal, as far as terms tell: `None` where roots of sums keep it open.
    pub(crate) fn equals(&self, other: &Self, work: &mut Work) -> Result<Option<bool>, Stop> {
        if let Some((own, other)) = self.plain_pair(other) {
            return Ok(Some(own == other));
        }
        let left = self.above.multiply(&other.below, work)?;
        let right = other.above.multiply(&self.below, work)?;
        let difference = left.subtract(&right, work)?;
        if difference.is_zero() {
            return Ok(Some(true));
        }
        if !difference.has_radicand() {
            return Ok(Some(false));
        }
        // Constants that an enclosure tells apart are different all the same.
        let constant = Self::whole(difference);
        Ok(match super::sign(&constant) {
            Some(sign) if constant.is_constant() && sign != 0 => Some(false),
            _ => None,
        })
    }
}

/// The number `numerator/denominator` as an exponent, where it fits.
pub(crate) fn as_exponent(number: &Rational) -> Option<Exponent> {
    use num_traits::ToPrimitive;
    let numerator = number.numer().to_i64()?;
    let denominator = number.denom().to_i64()?;
    (!denominator.is_zero()).then(|| Ratio::new(numerator, denominator))
}
