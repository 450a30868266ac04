//! An expression as it was written: forms are judged by it.

use std::rc::Rc;

use crate::algebra::Rational;

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// A number without a sign, with its decimal places where it was written as a decimal.
    Number {
        /// Its value.
        value: Rational,
        /// How many digits stood after the point; nothing without a point.
        places: Option<u32>,
    },
    /// A mixed number such as `2 1/2`: whole part, numerator, denominator.
    Mixed(Rational, Rational, Rational),
    /// A variable, or `π`.
    Variable(Rc<str>),
    /// Two or more summands.
    Add(Vec<Expression>),
    /// Two or more factors.
    Multiply(Vec<Expression>),
    /// The sign turned.
    Negate(Box<Expression>),
    /// Numerator and denominator.
    Divide(Box<Expression>, Box<Expression>),
    /// Base and exponent.
    Power(Box<Expression>, Box<Expression>),
    /// Index and radicand.
    Root(u32, Box<Expression>),
    /// The absolute value.
    Absolute(Box<Expression>),
    /// So many hundredths.
    Percent(Box<Expression>),
    /// Both the sum and the difference of two expressions: `-4 ± 3`. The first is absent in `±3`.
    PlusMinus(Option<Box<Expression>>, Box<Expression>),
}

/// How two sides relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sign {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `≤`
    LessOrEqual,
    /// `>`
    Greater,
    /// `≥`
    GreaterOrEqual,
    /// `≠`
    NotEqual,
}

impl Sign {
    /// The sign as it is written.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::LessOrEqual => "≤",
            Self::Greater => ">",
            Self::GreaterOrEqual => "≥",
            Self::NotEqual => "≠",
        }
    }

    /// The sign with the sides swapped.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Whether `left sign right` holds, given how the left compares with the right.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// One relation between two expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The left side.
    pub(crate) left: Expression,
    /// How they relate.
    pub(crate) sign: Sign,
    /// The right side.
    pub(crate) right: Expression,
}

impl Expression {
    /// The expressions directly below.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let (many, first, second): (&[Self], _, _) = match self {
            Self::Number { .. } | Self::Mixed(..) | Self::Variable(_) => (&[], None, None),
            Self::Add(parts) | Self::Multiply(parts) => (parts, None, None),
            Self::Negate(inner)
            | Self::Root(_, inner)
            | Self::Absolute(inner)
            | Self::Percent(inner)
            | Self::PlusMinus(None, inner) => (&[], Some(inner), None),
            Self::Divide(left, right)
            | Self::Power(left, right)
            | Self::PlusMinus(Some(left), right) => (&[], Some(left), Some(right)),
        };
        let boxed = first.into_iter().chain(second).map(|part| &**part);
        many.iter().chain(boxed)
    }

    /// Whether `test` holds for the expression or for any below it.
    pub(crate) fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self) || self.parts().any(|part| part.any(test))
    }

    /// The variables, ascending, each once; π is not one.
    pub(crate) fn variables(&self) -> Vec<Rc<str>> {
        fn collect(expression: &Expression, names: &mut Vec<Rc<str>>) {
            if let Expression::Variable(name) = expression
                && &**name != "π"
            {
                names.push(Rc::clone(name));
            }
            for part in expression.parts() {
                collect(part, names);
            }
        }
        let mut names = Vec::new();
        collect(self, &mut names);
        names.sort();
        names.dedup();
        names
    }

    /// Whether a variable stands in it.
    pub(crate) fn has_variable(&self) -> bool {
        self.any(&|part| matches!(part, Self::Variable(name) if &**name != "π"))
    }

    /// The most decimal places of the decimals that stand in it.
    pub(crate) fn decimal_places(&self) -> Option<u32> {
        let own = match self {
            Self::Number { places, .. } => *places,
            _ => None,
        };
        self.parts()
            .filter_map(Self::decimal_places)
            .chain(own)
            .max()
    }

    /// The two expressions that `±` stands for, or the expression alone. All its `±` go together.
    pub(crate) fn branches(&self) -> Vec<Self> {
        if self.any(&|part| matches!(part, Self::PlusMinus(..))) {
            vec![self.branch(true), self.branch(false)]
        } else {
            vec![self.clone()]
        }
    }

    fn branch(&self, plus: bool) -> Self {
        let one = |part: &Self| Box::new(part.branch(plus));
        match self {
            Self::Number { .. } | Self::Mixed(..) | Self::Variable(_) => self.clone(),
            Self::Add(parts) => Self::Add(parts.iter().map(|part| part.branch(plus)).collect()),
            Self::Multiply(parts) => {
                Self::Multiply(parts.iter().map(|part| part.branch(plus)).collect())
            }
            Self::Negate(inner) => Self::Negate(one(inner)),
            Self::Root(index, inner) => Self::Root(*index, one(inner)),
            Self::Absolute(inner) => Self::Absolute(one(inner)),
            Self::Percent(inner) => Self::Percent(one(inner)),
            Self::Divide(left, right) => Self::Divide(one(left), one(right)),
            Self::Power(left, right) => Self::Power(one(left), one(right)),
            Self::PlusMinus(left, right) => {
                let right = right.branch(plus);
                let right = if plus {
                    right
                } else {
                    Self::Negate(Box::new(right))
                };
                match left {
                    Some(left) => Self::Add(vec![left.branch(plus), right]),
                    None => right,
                }
            }
        }
    }
}
