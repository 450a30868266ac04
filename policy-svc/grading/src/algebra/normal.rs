//! From an expression to its quotient of sums.

use std::{collections::BTreeMap, rc::Rc};

use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    Quotient, Rational, Stop, Work,
    exponent::{Exponent, checked_multiply},
    quotient::as_exponent,
    roots::rational_power,
    sum::{Base, Monomial, Sum},
};
use crate::notation::Expression;

/// How roots of variables are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Variables stand for positive numbers, as school books have it when they simplify: `sqrt(x^2)` is `x`.
    Positive,
    /// Variables stand for any real number: `sqrt(x^2)` stays.
    Real,
}

/// What an expression is read under.
#[derive(Debug, Clone)]
pub(crate) struct Env {
    values: BTreeMap<Rc<str>, Quotient>,
    roots: Roots,
    /// Every denominator met: none of them may be zero.
    pub(crate) denominators: Vec<Sum>,
}

impl Env {
    /// No values.
    pub(crate) fn new(roots: Roots) -> Self {
        Self {
            values: BTreeMap::new(),
            roots,
            denominators: Vec::new(),
        }
    }

    /// With `name` standing for `value`.
    pub(crate) fn with(mut self, name: &str, value: Quotient) -> Self {
        self.values.insert(name.into(), value);
        self
    }

    fn over(
        &mut self,
        above: &Quotient,
        below: &Quotient,
        work: &mut Work,
    ) -> Result<Quotient, Stop> {
        if !below.is_constant() {
            self.denominators.push(below.above.clone());
        }
        above.divide(below, work)
    }
}

/// The quotient that an expression comes down to.
pub(crate) fn normal(
    expression: &Expression,
    env: &mut Env,
    work: &mut Work,
) -> Result<Quotient, Stop> {
    work.take(1)?;
    match expression {
        Expression::Number { value, .. } => Ok(Quotient::number(value.clone())),
        Expression::Mixed(whole, above, below) => {
            if below.is_zero() {
                return Err(Stop::Undefined);
            }
            Ok(Quotient::number(whole + above / below))
        }
        Expression::Variable(name) => Ok(match env.values.get(name) {
            Some(value) => value.clone(),
            None => Quotient::whole(Sum::variable(name)),
        }),
        Expression::Add(parts) => {
            let Some((first, rest)) = parts.split_first() else {
                return Ok(Quotient::whole(Sum::default()));
            };
            let mut sum = normal(first, env, work)?;
            for part in rest {
                let part = normal(part, env, work)?;
                sum = sum.add(&part, work)?;
            }
            Ok(sum)
        }
        Expression::Multiply(factors) => {
            let Some((first, rest)) = factors.split_first() else {
                return Ok(Quotient::whole(Sum::one()));
            };
            let mut product = normal(first, env, work)?;
            for factor in rest {
                let factor = normal(factor, env, work)?;
                product = product.multiply(&factor, work)?;
            }
            Ok(product)
        }
        Expression::Negate(inner) => Ok(normal(inner, env, work)?.negated()),
        Expression::Divide(above, below) => {
            let above = normal(above, env, work)?;
            let below = normal(below, env, work)?;
            env.over(&above, &below, work)
        }
        Expression::Power(base, exponent) => {
            let base = normal(base, env, work)?;
            let exponent = normal(exponent, env, work)?;
            let exponent = exponent.as_number().ok_or(Stop::Unsupported)?;
            power(&base, &exponent, env, work)
        }
        Expression::Root(index, inner) => {
            let inner = normal(inner, env, work)?;
            root(&inner, Exponent::new(1, i64::from(*index)), env, work)
        }
        Expression::Absolute(inner) => {
            let inner = normal(inner, env, work)?;
            absolute(&inner, env, work)
        }
        Expression::Percent(inner) => {
            let inner = normal(inner, env, work)?;
            let hundredth = Rational::new(1.into(), 100.into());
            inner.multiply(&Quotient::number(hundredth), work)
        }
        Expression::PlusMinus(..) => Err(Stop::Unsupported),
    }
}

fn power(
    base: &Quotient,
    exponent: &Rational,
    env: &mut Env,
    work: &mut Work,
) -> Result<Quotient, Stop> {
    if exponent.is_integer() {
        let whole = exponent.to_integer().to_i64().ok_or(Stop::TooBig)?;
        if base.is_zero() && whole <= 0 {
            return Err(Stop::Undefined);
        }
        if whole <= 0 && !base.is_constant() {
            env.denominators.push(base.above.clone());
        }
        return base.power(whole, work);
    }
    let exponent = as_exponent(exponent).ok_or(Stop::TooBig)?;
    if exponent.is_negative() {
        let one = Quotient::whole(Sum::one());
        let below = root(base, -exponent, env, work)?;
        return env.over(&one, &below, work);
    }
    root(base, exponent, env, work)
}

/// A quotient to a positive power that is not whole.
fn root(
    base: &Quotient,
    exponent: Exponent,
    env: &mut Env,
    work: &mut Work,
) -> Result<Quotient, Stop> {
    if *exponent.denom() > 12 || exponent.numer().abs() > 60 {
        return Err(Stop::TooBig);
    }
    work.take(super::ROOT_STEPS)?;
    if let Some(number) = base.as_number() {
        return Ok(Quotient::whole(rational_power(&number, exponent)?));
    }
    if base.is_zero() {
        return Ok(Quotient::whole(Sum::default()));
    }
    if base.below.as_number().is_some_and(|below| below.is_one()) {
        return Ok(Quotient::whole(sum_root(&base.above, exponent, env, work)?));
    }
    // The root of a quotient is the quotient of the roots only where both have one: sqrt(a/b) = sqrt(a*b)/b with b > 0
    // needs no such care for odd roots. Even ones are taken over a positive denominator.
    let even = exponent.denom().is_even();
    let single = base.below.single().is_some();
    if even && !(env.roots == Roots::Positive && single) && !base.is_constant() {
        return Err(Stop::Unsupported);
    }
    let (above, below) = if even && super::sign(&Quotient::whole(base.below.clone())) == Some(-1) {
        (base.above.negated(), base.below.negated())
    } else {
        (base.above.clone(), base.below.clone())
    };
    let above = Quotient::whole(sum_root(&above, exponent, env, work)?);
    let below = Quotient::whole(sum_root(&below, exponent, env, work)?);
    env.over(&above, &below, work)
}

fn sum_root(sum: &Sum, exponent: Exponent, env: &Env, work: &mut Work) -> Result<Sum, Stop> {
    if let Some(number) = sum.as_number() {
        return rational_power(&number, exponent);
    }
    let even = exponent.denom().is_even();
    if let Some((monomial, number)) = sum.single()
        && let Some(root) = monomial_root(monomial, number, exponent, env.roots)?
    {
        return Ok(root);
    }
    if sum.variables().is_empty() && even {
        match super::sign(&Quotient::whole(sum.clone())) {
            Some(-1) => return Err(Stop::NotReal),
            Some(_) => {}
            None => return Err(Stop::Unsupported),
        }
    }
    if let Some(root) = nested(sum, exponent, work)? {
        return Ok(root);
    }
    // Perfect powers of a sum are not looked for: what is left under the root is compared as it stands.
    let mut content = sum.content();
    if even && content.is_negative() {
        content = -content;
    }
    let inner = sum.scale(&content.recip());
    if inner.has_radicand() {
        return Err(Stop::Unsupported);
    }
    let outer = rational_power(&content, exponent)?;
    let whole = exponent.floor();
    let power = (Base::Radicand(Rc::new(inner.clone())), exponent - whole);
    let mut result = outer.multiply(&Sum::term(Monomial(vec![power]), Rational::one()), work)?;
    if !whole.is_zero() {
        result = result.multiply(&inner.power(whole.to_integer(), work)?, work)?;
    }
    Ok(result)
}

/// The root of one term, where it can be taken factor by factor.
fn monomial_root(
    monomial: &Monomial,
    number: &Rational,
    exponent: Exponent,
    roots: Roots,
) -> Result<Option<Sum>, Stop> {
    let mut power = Monomial::default();
    for (base, own) in &monomial.0 {
        match base {
            Base::Variable(_) => {
                // Without signs known, only the root of the variable itself is safe: it says that there is one.
                let safe = roots == Roots::Positive || exponent.denom().is_odd();
                if !safe {
                    return Ok(None);
                }
            }
            Base::Prime(_) => {}
            Base::Radicand(_) => return Ok(None),
        }
        power.set(base.clone(), checked_multiply(*own, exponent)?);
    }
    // Roots of surds: exponents of primes stay below one, as they were.
    let coefficient = rational_power(number, exponent)?;
    let mut work = Work::new();
    coefficient
        .multiply(&Sum::term(power, Rational::one()), &mut work)
        .map(Some)
}

/// `sqrt(a + b√c)` as a sum of two simple roots, where it is one.
fn nested(sum: &Sum, exponent: Exponent, work: &mut Work) -> Result<Option<Sum>, Stop> {
    if exponent != Exponent::new(1, 2) || sum.len() != 2 || !sum.variables().is_empty() {
        return Ok(None);
    }
    let mut rational = Rational::zero();
    let mut surd = Sum::default();
    for (monomial, number) in sum.terms() {
        if monomial.0.is_empty() {
            rational = number.clone();
        } else {
            surd = Sum::term(monomial.clone(), number.clone());
        }
    }
    let Some(square) = surd.multiply(&surd, work)?.as_number() else {
        return Ok(None);
    };
    let norm = &rational * &rational - square;
    if norm.is_negative() {
        return Ok(None);
    }
    let Some(middle) = rational_power(&norm, Exponent::new(1, 2))?.as_number() else {
        return Ok(None);
    };
    let half = Rational::new(1.into(), 2.into());
    let (larger, smaller) = ((&rational + &middle) * &half, (&rational - &middle) * &half);
    if larger.is_negative() || smaller.is_negative() {
        return Ok(None);
    }
    let larger = rational_power(&larger, Exponent::new(1, 2))?;
    let smaller = rational_power(&smaller, Exponent::new(1, 2))?;
    let negative = super::sign(&Quotient::whole(surd)) == Some(-1);
    let root = if negative {
        larger.subtract(&smaller, work)?
    } else {
        larger.add(&smaller, work)?
    };
    Ok(Some(root))
}

fn absolute(inner: &Quotient, env: &mut Env, work: &mut Work) -> Result<Quotient, Stop> {
    if inner.is_constant() {
        return match super::sign(inner) {
            Some(-1) => Ok(inner.negated()),
            Some(_) => Ok(inner.clone()),
            None => Err(Stop::Unsupported),
        };
    }
    if env.roots == Roots::Positive
        && let (Some((_, above)), Some((_, below))) = (inner.above.single(), inner.below.single())
    {
        return Ok(if above.is_negative() == below.is_negative() {
            inner.clone()
        } else {
            inner.negated()
        });
    }
    // |a| is the root of a²; a polynomial only, so that what stands under the root stays one.
    let below = inner.below.as_number().ok_or(Stop::Unsupported)?;
    let polynomial = inner.above.scale(&below.recip());
    let content = polynomial.content();
    let primitive = polynomial.scale(&content.recip());
    if !primitive.is_polynomial() {
        return Err(Stop::Unsupported);
    }
    let square = primitive.multiply(&primitive, work)?;
    let half = Exponent::new(1, 2);
    let power = (Base::Radicand(Rc::new(square)), half);
    Ok(Quotient::whole(Sum::term(
        Monomial(vec![power]),
        content.abs(),
    )))
}
