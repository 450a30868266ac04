//! Sums of terms: a rational coefficient times powers, the exponents rational.

use std::{collections::BTreeMap, rc::Rc};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::{
    Rational, Stop, Work, bounded,
    exponent::{Exponent, MAX_EXPONENT, checked_add, checked_multiply, number_power},
    product, total, weight,
};

/// Sums of more terms are refused.
const MAX_TERMS: usize = 400;

/// Powers of sums beyond this are refused.
const MAX_SUM_POWER: i64 = 24;

/// What a power stands on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    /// A prime; its exponents lie between 0 and 1.
    Prime(u64),
    /// A variable, or a constant such as π.
    Variable(Rc<str>),
    /// A sum under a root; its exponents lie between 0 and 1.
    Radicand(Rc<Sum>),
}

/// Powers of different bases, ascending by base, no exponent zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Monomial(pub(crate) Vec<(Base, Exponent)>);

impl Monomial {
    /// The exponent of `base`.
    pub(crate) fn exponent(&self, base: &Base) -> Exponent {
        self.0
            .iter()
            .find(|(own, _)| own == base)
            .map_or_else(Exponent::zero, |(_, exponent)| *exponent)
    }

    /// Sets the exponent of `base`.
    pub(crate) fn set(&mut self, base: Base, exponent: Exponent) {
        match self.0.binary_search_by(|(own, _)| own.cmp(&base)) {
            Ok(at) if exponent.is_zero() => {
                self.0.remove(at);
            }
            Ok(at) => {
                if let Some(entry) = self.0.get_mut(at) {
                    entry.1 = exponent;
                }
            }
            Err(_) if exponent.is_zero() => {}
            Err(at) => self.0.insert(at, (base, exponent)),
        }
    }
}

/// A sum of terms in canonical form: no coefficient zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sum {
    terms: BTreeMap<Monomial, Rational>,
}

impl Sum {
    /// A number.
    pub(crate) fn number(number: Rational) -> Self {
        Self::term(Monomial::default(), number)
    }

    /// One.
    pub(crate) fn one() -> Self {
        Self::number(Rational::one())
    }

    /// A variable.
    pub(crate) fn variable(name: &str) -> Self {
        let power = (Base::Variable(name.into()), Exponent::one());
        Self::term(Monomial(vec![power]), Rational::one())
    }

    /// One term.
    pub(crate) fn term(monomial: Monomial, coefficient: Rational) -> Self {
        let mut terms = BTreeMap::new();
        if !coefficient.is_zero() {
            terms.insert(monomial, coefficient);
        }
        Self { terms }
    }

    /// Whether it is zero. Certain only where no radicand is left (see [`Sum::has_radicand`]) or where it says yes.
    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// How many terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The terms, ascending.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.terms.iter()
    }

    /// The number that it is, where it is a rational one.
    pub(crate) fn as_number(&self) -> Option<Rational> {
        if self.terms.is_empty() {
            return Some(Rational::zero());
        }
        self.as_term_number().cloned()
    }

    /// The rational number that it is, where it is one and not zero.
    pub(crate) fn as_term_number(&self) -> Option<&Rational> {
        let (monomial, number) = self.single()?;
        monomial.0.is_empty().then_some(number)
    }

    fn bases(&self) -> impl Iterator<Item = &(Base, Exponent)> {
        self.terms.keys().flat_map(|monomial| monomial.0.iter())
    }

    /// Whether a sum stands under a root somewhere.
    pub(crate) fn has_radicand(&self) -> bool {
        self.bases()
            .any(|(base, _)| matches!(base, Base::Radicand(_)))
    }

    /// Whether it holds a root of a number.
    pub(crate) fn has_surd(&self) -> bool {
        self.bases().any(|(base, _)| matches!(base, Base::Prime(_)))
    }

    /// The variables, ascending, each once; π is not one.
    pub(crate) fn variables(&self) -> Vec<Rc<str>> {
        let mut names: Vec<Rc<str>> = Vec::new();
        for (base, _) in self.bases() {
            match base {
                Base::Variable(name) if &**name == "π" => {}
                Base::Variable(name) => names.push(Rc::clone(name)),
                Base::Radicand(inner) => names.extend(inner.variables()),
                Base::Prime(_) => {}
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// Whether all exponents are whole and not negative and nothing but variables stands in it.
    pub(crate) fn is_polynomial(&self) -> bool {
        self.bases().all(|(base, exponent)| {
            matches!(base, Base::Variable(_)) && exponent.is_integer() && !exponent.is_negative()
        })
    }

    /// Whether it is a polynomial of degree one at most.
    pub(crate) fn is_linear(&self) -> bool {
        self.is_polynomial()
            && self.terms().all(|(monomial, _)| {
                monomial.0.len() <= 1
                    && monomial
                        .0
                        .iter()
                        .all(|(_, exponent)| exponent.to_integer() <= 1)
            })
    }

    /// The sum of both.
    pub(crate) fn add(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        // Both are copied, long fractions at their weight.
        work.take(self.len() / 4 + other.len())?;
        work.take(other.terms.values().map(weight).sum())?;
        let mut terms = self.terms.clone();
        for (monomial, coefficient) in &other.terms {
            add_term(&mut terms, monomial.clone(), coefficient.clone())?;
        }
        Ok(Self { terms })
    }

    /// The sum times a number.
    pub(crate) fn scale(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::default();
        }
        let terms = self
            .terms
            .iter()
            .map(|(monomial, coefficient)| (monomial.clone(), product(coefficient, factor)))
            .collect();
        Self { terms }
    }

    /// The sum with its sign turned.
    pub(crate) fn negated(&self) -> Self {
        self.scale(&-Rational::one())
    }

    /// The difference of both.
    pub(crate) fn subtract(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        self.add(&other.negated(), work)
    }

    /// The product of both.
    pub(crate) fn multiply(&self, other: &Self, work: &mut Work) -> Result<Self, Stop> {
        work.take(self.len().saturating_mul(other.len()))?;
        let mut terms = BTreeMap::new();
        for (left, left_number) in &self.terms {
            for (right, right_number) in &other.terms {
                let number = product(left_number, right_number);
                bounded(&number)?;
                work.take(weight(&number))?;
                multiply_terms(left, right, number, &mut terms, work)?;
                if terms.len() > MAX_TERMS {
                    return Err(Stop::TooBig);
                }
            }
        }
        Ok(Self { terms })
    }

    /// The sum to a whole power that is not negative.
    pub(crate) fn power(&self, exponent: i64, work: &mut Work) -> Result<Self, Stop> {
        if exponent < 0 {
            return Err(Stop::Unsupported);
        }
        if exponent == 0 {
            return Ok(Self::one());
        }
        if let Some((monomial, number)) = self.single() {
            return term_power(monomial, number, exponent, work);
        }
        if self.is_zero() {
            return Ok(Self::default());
        }
        if exponent > MAX_SUM_POWER {
            return Err(Stop::TooBig);
        }
        let mut result = self.clone();
        for _ in 1..exponent {
            result = result.multiply(self, work)?;
        }
        Ok(result)
    }

    /// The term, where there is one only.
    pub(crate) fn single(&self) -> Option<(&Monomial, &Rational)> {
        match self.terms.first_key_value() {
            Some(term) if self.len() == 1 => Some(term),
            _ => None,
        }
    }

    /// The greatest rational number that leaves whole coefficients without a common divisor, with the sign of the last
    /// term. One for zero.
    pub(crate) fn content(&self) -> Rational {
        let mut numerator = BigInt::zero();
        let mut denominator = BigInt::one();
        for coefficient in self.terms.values() {
            numerator = numerator.gcd(coefficient.numer());
            denominator = denominator.lcm(coefficient.denom());
        }
        if numerator.is_zero() {
            return Rational::one();
        }
        let content = Rational::new(numerator, denominator);
        match self.terms.last_key_value() {
            Some((_, last)) if last.is_negative() => -content,
            _ => content,
        }
    }

    /// The lowest power of each variable that all terms share.
    pub(crate) fn common_monomial(&self) -> Monomial {
        let mut terms = self.terms.keys();
        let Some(first) = terms.next() else {
            return Monomial::default();
        };
        let mut common = Monomial(
            first
                .0
                .iter()
                .filter(|(base, _)| matches!(base, Base::Variable(_)))
                .cloned()
                .collect(),
        );
        // A variable that is missing in a term has exponent zero there, which is the lowest unless another is negative.
        let mut bases: Vec<Base> = self
            .bases()
            .filter(|(base, _)| matches!(base, Base::Variable(_)))
            .map(|(base, _)| base.clone())
            .collect();
        bases.sort();
        bases.dedup();
        for base in bases {
            let lowest = self
                .terms
                .keys()
                .map(|monomial| monomial.exponent(&base))
                .min()
                .unwrap_or_default();
            common.set(base, lowest);
        }
        common
    }

    /// The sum divided by a monomial of variables.
    pub(crate) fn divide_by_monomial(&self, divisor: &Monomial) -> Self {
        if divisor.0.is_empty() {
            return self.clone();
        }
        let terms = self
            .terms
            .iter()
            .map(|(monomial, coefficient)| {
                let mut quotient = monomial.clone();
                for (base, exponent) in &divisor.0 {
                    let own = quotient.exponent(base);
                    quotient.set(base.clone(), own - exponent);
                }
                (quotient, coefficient.clone())
            })
            .collect();
        Self { terms }
    }

    /// The coefficients by powers of one variable, constant first, where the exponents are whole, at most `most`, and the
    /// variable stands under no root.
    pub(crate) fn by_powers(&self, variable: &str, most: usize) -> Option<Vec<Self>> {
        let base = Base::Variable(variable.into());
        let mut powers: Vec<Self> = Vec::new();
        for (monomial, coefficient) in &self.terms {
            let exponent = monomial.exponent(&base);
            if !exponent.is_integer() {
                return None;
            }
            let hidden = monomial.0.iter().any(|(other, _)| {
                matches!(other, Base::Radicand(inner)
                    if inner.variables().iter().any(|name| &**name == variable))
            });
            let at = usize::try_from(exponent.to_integer()).ok()?;
            if hidden || at > most {
                return None;
            }
            let mut rest = monomial.clone();
            rest.set(base.clone(), Exponent::zero());
            while powers.len() <= at {
                powers.push(Self::default());
            }
            if let Some(power) = powers.get_mut(at) {
                power.terms.insert(rest, coefficient.clone());
            }
        }
        Some(powers)
    }

    /// The coefficients of a polynomial in one variable with rational coefficients, constant first.
    pub(crate) fn coefficients(&self, variable: &str, most: usize) -> Option<Vec<Rational>> {
        self.by_powers(variable, most)?
            .iter()
            .map(Self::as_number)
            .collect()
    }

    /// Some radicand that holds `variable`, with the least common denominator of its exponents.
    pub(crate) fn radicand_with(&self, variable: &str) -> Option<(Rc<Sum>, i64)> {
        let mut found: Option<(Rc<Sum>, i64)> = None;
        for (base, exponent) in self.bases() {
            let Base::Radicand(inner) = base else {
                continue;
            };
            if !inner.variables().iter().any(|name| &**name == variable) {
                continue;
            }
            match &mut found {
                None => found = Some((Rc::clone(inner), *exponent.denom())),
                Some((own, index)) if own == inner => *index = index.lcm(exponent.denom()),
                Some(_) => {}
            }
        }
        found
    }

    /// The parts by powers of `radicand^(1/index)`, lowest first.
    pub(crate) fn by_root(&self, radicand: &Rc<Sum>, index: i64) -> Option<Vec<Self>> {
        let base = Base::Radicand(Rc::clone(radicand));
        let mut parts = vec![Self::default(); usize::try_from(index).ok()?];
        for (monomial, coefficient) in &self.terms {
            let exponent = monomial.exponent(&base) * index;
            if !exponent.is_integer() {
                return None;
            }
            let mut rest = monomial.clone();
            rest.set(base.clone(), Exponent::zero());
            parts
                .get_mut(usize::try_from(exponent.to_integer()).ok()?)?
                .terms
                .insert(rest, coefficient.clone());
        }
        Some(parts)
    }
}

fn add_term(
    terms: &mut BTreeMap<Monomial, Rational>,
    monomial: Monomial,
    coefficient: Rational,
) -> Result<(), Stop> {
    use std::collections::btree_map::Entry;
    match terms.entry(monomial) {
        Entry::Vacant(place) => {
            if !coefficient.is_zero() {
                place.insert(coefficient);
            }
        }
        Entry::Occupied(mut place) => {
            let sum = total(place.get(), &coefficient);
            bounded(&sum)?;
            if sum.is_zero() {
                place.remove();
            } else {
                place.insert(sum);
            }
        }
    }
    Ok(())
}

fn multiply_terms(
    left: &Monomial,
    right: &Monomial,
    number: Rational,
    into: &mut BTreeMap<Monomial, Rational>,
    work: &mut Work,
) -> Result<(), Stop> {
    let mut product = left.clone();
    for (base, exponent) in &right.0 {
        let sum = checked_add(product.exponent(base), *exponent)?;
        product.set(base.clone(), sum);
    }
    let settled = settle(product, number, work)?;
    for (monomial, coefficient) in settled.terms {
        add_term(into, monomial, coefficient)?;
    }
    Ok(())
}

/// Moves whole powers of primes into the coefficient and multiplies whole powers of radicands out.
fn settle(mut monomial: Monomial, mut number: Rational, work: &mut Work) -> Result<Sum, Stop> {
    let mut radicands: Vec<(Rc<Sum>, i64)> = Vec::new();
    let mut changes: Vec<(Base, Exponent)> = Vec::new();
    for (base, exponent) in &monomial.0 {
        if exponent.numer().abs() > MAX_EXPONENT || *exponent.denom() > MAX_EXPONENT {
            return Err(Stop::TooBig);
        }
        let whole = exponent.floor();
        if whole.is_zero() || matches!(base, Base::Variable(_)) {
            continue;
        }
        let power = whole.to_integer();
        match base {
            Base::Prime(prime) => {
                number *= number_power(&Rational::from(BigInt::from(*prime)), power)?;
                bounded(&number)?;
            }
            Base::Radicand(inner) if power > 0 => radicands.push((Rc::clone(inner), power)),
            Base::Radicand(_) | Base::Variable(_) => return Err(Stop::Unsupported),
        }
        changes.push((base.clone(), exponent - whole));
    }
    for (base, exponent) in changes {
        monomial.set(base, exponent);
    }
    let mut result = Sum::term(monomial, number);
    for (inner, power) in radicands {
        let factor = inner.power(power, work)?;
        result = result.multiply(&factor, work)?;
    }
    Ok(result)
}

fn term_power(
    monomial: &Monomial,
    number: &Rational,
    exponent: i64,
    work: &mut Work,
) -> Result<Sum, Stop> {
    let mut power = Monomial::default();
    for (base, own) in &monomial.0 {
        let raised = checked_multiply(*own, Exponent::from(exponent))?;
        power.set(base.clone(), raised);
    }
    settle(power, number_power(number, exponent)?, work)
}
