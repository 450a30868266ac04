//! A formula without what makes no other exercise of it.

use num_traits::{One, Signed, Zero};

use crate::{
    algebra::Rational,
    notation::{Expression, Relation},
};

/// What the only unknown of an exercise is called.
const UNKNOWN: &str = "x";

/// A variable's name, which says nothing where it is the only one.
pub(super) fn name<'a>(name: &'a str, lone: Option<&str>) -> &'a str {
    if lone == Some(name) { UNKNOWN } else { name }
}

/// The formula without zeros that are added, ones that multiply, and the name of its only unknown.
pub(super) fn tidied(formula: &Expression, lone: Option<&str>) -> Expression {
    let tidy = Tidy {
        lone,
        numbers: false,
    };
    tidy.expression(formula)
}

/// The relation with both sides tidied. Its numbers are no task of their own: `3 + 4`, `14/2` and `-(-7)` are 7 there,
/// unless the unknown alone is a side, and to work out the other is all there is to do.
pub(super) fn tidied_relation(relation: &Relation, lone: Option<&str>) -> Relation {
    let left = tidied(&relation.left, lone);
    let right = tidied(&relation.right, lone);
    let is_variable = |side: &Expression| matches!(side, Expression::Variable(_));
    let tidy = Tidy {
        lone: None,
        numbers: !is_variable(&left) && !is_variable(&right),
    };
    Relation {
        left: tidy.expression(&left),
        sign: relation.sign,
        right: tidy.expression(&right),
    }
}

/// Whether it is a number alone, however it is written.
pub(super) fn is_number(formula: &Expression) -> bool {
    match formula {
        Expression::Number { .. } | Expression::Mixed(..) => true,
        Expression::Negate(inner) | Expression::Percent(inner) => is_number(inner),
        Expression::Divide(above, below) => number(above).is_some() && number(below).is_some(),
        _ => false,
    }
}

#[derive(Debug, Clone, Copy)]
struct Tidy<'a> {
    /// The only unknown.
    lone: Option<&'a str>,
    /// Whether sums of numbers, fractions that are whole numbers, and double signs become one number.
    numbers: bool,
}

impl Tidy<'_> {
    fn expression(self, formula: &Expression) -> Expression {
        let one = |part: &Expression| Box::new(self.expression(part));
        match formula {
            Expression::Number { .. } | Expression::Mixed(..) => formula.clone(),
            Expression::Variable(own) => Expression::Variable(name(own, self.lone).into()),
            Expression::Add(parts) => self.sum(parts),
            Expression::Multiply(factors) => self.product(factors),
            Expression::Negate(inner) => match self.expression(inner) {
                Expression::Negate(twice) if self.numbers => *twice,
                inner => Expression::Negate(Box::new(inner)),
            },
            Expression::Divide(above, below) => {
                self.quotient(self.expression(above), self.expression(below))
            }
            Expression::Power(base, exponent) => Expression::Power(one(base), one(exponent)),
            Expression::Root(index, inner) => Expression::Root(*index, one(inner)),
            Expression::Absolute(inner) => Expression::Absolute(one(inner)),
            Expression::Percent(inner) => Expression::Percent(one(inner)),
            Expression::PlusMinus(left, right) => {
                Expression::PlusMinus(left.as_deref().map(one), one(right))
            }
        }
    }

    fn sum(self, parts: &[Expression]) -> Expression {
        let mut rest = Vec::with_capacity(parts.len());
        let mut total = Rational::zero();
        for part in parts {
            let inner = match self.expression(part) {
                Expression::Add(inner) => inner,
                other => vec![other],
            };
            for part in inner {
                match number(&part) {
                    Some(value) if self.numbers || value.is_zero() => total += value,
                    _ => rest.push(part),
                }
            }
        }
        if rest.is_empty() || !total.is_zero() {
            rest.push(written(&total));
        }
        match rest.pop() {
            Some(only) if rest.is_empty() => only,
            last => Expression::Add(rest.into_iter().chain(last).collect()),
        }
    }

    fn product(self, factors: &[Expression]) -> Expression {
        let mut rest = Vec::with_capacity(factors.len());
        for factor in factors {
            match self.expression(factor) {
                Expression::Number { value, .. } if value.is_one() => {}
                Expression::Multiply(inner) => rest.extend(inner),
                other => rest.push(other),
            }
        }
        match rest.pop() {
            None => written(&Rational::one()),
            Some(only) if rest.is_empty() => only,
            last => Expression::Multiply(rest.into_iter().chain(last).collect()),
        }
    }

    fn quotient(self, above: Expression, below: Expression) -> Expression {
        let quotient = match (number(&above), number(&below)) {
            (_, Some(divisor)) if divisor.is_one() => return above,
            (Some(dividend), Some(divisor)) if self.numbers && !divisor.is_zero() => {
                Some(dividend / divisor)
            }
            _ => None,
        };
        match quotient {
            Some(whole) if whole.is_integer() => written(&whole),
            _ => Expression::Divide(Box::new(above), Box::new(below)),
        }
    }
}

/// The number that is written there.
fn number(formula: &Expression) -> Option<Rational> {
    match formula {
        Expression::Number { value, .. } => Some(value.clone()),
        Expression::Negate(inner) => number(inner).map(|value| -value),
        _ => None,
    }
}

/// A number as an expression.
fn written(number: &Rational) -> Expression {
    let size = Expression::Number {
        value: number.abs(),
        places: None,
    };
    if number.is_negative() {
        Expression::Negate(Box::new(size))
    } else {
        size
    }
}
