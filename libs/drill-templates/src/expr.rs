//! Expressions over a template's parameters, and what they are worth.

use std::cmp::Ordering;

use crate::fault::Problem;
use crate::rational::{Rational, gcd};

/// An expression. Parameters are places in the list of values.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Number(Rational),
    Parameter(usize),
    Negative(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

/// A function of one or two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Min,
    Max,
    Gcd,
    Lcm,
    Mod,
    Num,
    Den,
}

impl Function {
    pub(crate) const ALL: [Self; 8] = [
        Self::Abs,
        Self::Min,
        Self::Max,
        Self::Gcd,
        Self::Lcm,
        Self::Mod,
        Self::Num,
        Self::Den,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Gcd => "gcd",
            Self::Lcm => "lcm",
            Self::Mod => "mod",
            Self::Num => "num",
            Self::Den => "den",
        }
    }

    /// How many numbers it takes.
    pub(crate) fn arity(self) -> usize {
        match self {
            Self::Abs | Self::Num | Self::Den => 1,
            Self::Min | Self::Max | Self::Gcd | Self::Lcm | Self::Mod => 2,
        }
    }

    fn value(self, a: Rational, b: Rational) -> Result<Rational, Problem> {
        let whole = |number: Rational| {
            let number = number.whole_number().map(i128::from);
            number.ok_or(Problem::NotWhole(self.name()))
        };
        let small = |number: i128| {
            let number = i64::try_from(number).map_err(|_| Problem::TooLarge)?;
            // Through the arithmetic, which keeps the bounds.
            Rational::whole(number).times(Rational::ONE)
        };
        match self {
            Self::Abs => Ok(a.size()),
            Self::Min if a.compare(b) == Ordering::Greater => Ok(b),
            Self::Max if a.compare(b) == Ordering::Less => Ok(b),
            Self::Min | Self::Max => Ok(a),
            Self::Gcd => small(gcd(whole(a)?, whole(b)?)),
            Self::Lcm => {
                let (a, b) = (whole(a)?, whole(b)?);
                match gcd(a, b) {
                    0 => small(0),
                    divisor => small((a / divisor * b).abs()),
                }
            }
            Self::Mod => match (whole(a)?, whole(b)?) {
                (_, 0) => Err(Problem::DividesByZero),
                (a, b) => small(a.rem_euclid(b)),
            },
            Self::Num => small(i128::from(a.numerator())),
            Self::Den => small(i128::from(a.denominator())),
        }
    }
}

impl Expr {
    /// What it is worth. The values are those of the parameters that it was read with.
    pub(crate) fn value(&self, values: &[Rational]) -> Result<Rational, Problem> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Parameter(at) => Ok(values[*at]),
            Self::Negative(inner) => Ok(inner.value(values)?.negated()),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(values)?, right.value(values)?);
                match operator {
                    Operator::Plus => left.plus(right),
                    Operator::Minus => left.minus(right),
                    Operator::Times => left.times(right),
                    Operator::Over => left.over(right),
                    Operator::Power => left.to_the(right),
                }
            }
            Self::Call(function, arguments) => {
                let mut numbers = [Rational::ONE; 2];
                for (number, argument) in numbers.iter_mut().zip(arguments) {
                    *number = argument.value(values)?;
                }
                let [a, b] = numbers;
                function.value(a, b)
            }
        }
    }

    /// The last parameter that it names.
    pub(crate) fn last_parameter(&self) -> Option<usize> {
        match self {
            Self::Number(_) => None,
            Self::Parameter(at) => Some(*at),
            Self::Negative(inner) => inner.last_parameter(),
            Self::Binary(_, left, right) => left.last_parameter().max(right.last_parameter()),
            Self::Call(_, arguments) => arguments.iter().filter_map(Self::last_parameter).max(),
        }
    }
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}
