//! Formulas as exercises and keys write them, and what they come to.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter::Peekable,
    vec::IntoIter,
};

use super::number::Number;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    Number(Number),
    Letter(char),
    Minus(Box<Formula>),
    Sum(Box<Formula>, Box<Formula>),
    Product(Box<Formula>, Box<Formula>),
    Quotient(Box<Formula>, Box<Formula>),
    Power(Box<Formula>, u32),
}

use Formula::{Letter, Minus, Power, Product, Quotient, Sum};

/// What stands for what.
pub type Values = BTreeMap<char, Number>;

impl Formula {
    /// `None` for what is no formula or none that is read here.
    pub fn read(text: &str) -> Option<Self> {
        let mut text = text.replace('−', "-");
        for (latex, plain) in [
            ("\\left", ""),
            ("\\right", ""),
            ("\\cdot", "*"),
            ("\\times", "*"),
            ("\\div", "/"),
            (":", "/"),
            ("\\frac", "#"),
            (" ", ""),
        ] {
            text = text.replace(latex, plain);
        }
        let mut reader = Reader(text.chars().collect::<Vec<_>>().into_iter().peekable());
        let formula = reader.sum()?;
        reader.0.next().is_none().then_some(formula)
    }

    /// `None` where it divides by zero or a letter has no value.
    pub fn value(&self, values: &Values) -> Option<Number> {
        Some(match self {
            Self::Number(number) => *number,
            Letter(letter) => *values.get(letter)?,
            Minus(of) => -of.value(values)?,
            Sum(a, b) => a.value(values)? + b.value(values)?,
            Product(a, b) => a.value(values)? * b.value(values)?,
            Quotient(a, b) => a.value(values)?.over(b.value(values)?)?,
            Power(of, exponent) => of.value(values)?.power(*exponent),
        })
    }

    /// No lower than the degree of what is above, with that of what is below added to it.
    pub fn degree(&self) -> u32 {
        match self {
            Self::Number(_) => 0,
            Letter(_) => 1,
            Minus(of) => of.degree(),
            Sum(a, b) => a.degree().max(b.degree()),
            Product(a, b) | Quotient(a, b) => a.degree() + b.degree(),
            Power(of, exponent) => of.degree() * exponent,
        }
    }

    pub fn letters(&self) -> BTreeSet<char> {
        match self {
            Self::Number(_) => BTreeSet::new(),
            Letter(letter) => [*letter].into(),
            Minus(of) | Power(of, _) => of.letters(),
            Sum(a, b) | Product(a, b) | Quotient(a, b) => &a.letters() | &b.letters(),
        }
    }

    /// What is added up, signs left out.
    pub fn summands(&self) -> Vec<&Self> {
        match self {
            Sum(a, b) => [a.summands(), b.summands()].concat(),
            Minus(of) if !matches!(**of, Sum(..)) => of.summands(),
            _ => vec![self],
        }
    }

    /// What is multiplied, signs left out.
    pub fn factors(&self) -> Vec<&Self> {
        match self {
            Product(a, b) => [a.factors(), b.factors()].concat(),
            Minus(of) => of.factors(),
            _ => vec![self],
        }
    }

    /// The letters with their exponents, where it is one number at most and letters, each once.
    pub fn monomial(&self) -> Option<BTreeMap<char, u32>> {
        let mut letters = BTreeMap::new();
        let mut numbers = 0;
        for factor in self.factors() {
            let (letter, exponent) = match factor {
                Self::Number(_) => {
                    numbers += 1;
                    continue;
                }
                Letter(letter) => (*letter, 1),
                Power(of, exponent) => match **of {
                    Letter(letter) => (letter, *exponent),
                    _ => return None,
                },
                _ => return None,
            };
            if letters.insert(letter, exponent).is_some() {
                return None;
            }
        }
        (numbers <= 1).then_some(letters)
    }
}

/// Reads from left to right; a product without a sign is one like another.
struct Reader(Peekable<IntoIter<char>>);

impl Reader {
    fn takes(&mut self, wanted: char) -> bool {
        self.0.next_if_eq(&wanted).is_some()
    }

    fn sum(&mut self) -> Option<Formula> {
        let mut sum = self.product()?;
        loop {
            let next = if self.takes('+') {
                self.product()?
            } else if self.takes('-') {
                Minus(self.product()?.into())
            } else {
                return Some(sum);
            };
            sum = Sum(sum.into(), next.into());
        }
    }

    fn product(&mut self) -> Option<Formula> {
        let mut product = self.factor()?;
        loop {
            product = if self.takes('*') {
                Product(product.into(), self.factor()?.into())
            } else if self.takes('/') {
                Quotient(product.into(), self.factor()?.into())
            } else {
                // No digit: `x2` is nothing; and `2\frac{1}{2}` may be a mixed number.
                let next = self.0.peek();
                if !next.is_some_and(|next| next.is_ascii_alphabetic() || *next == '(') {
                    return Some(product);
                }
                Product(product.into(), self.factor()?.into())
            }
        }
    }

    fn factor(&mut self) -> Option<Formula> {
        if self.takes('-') {
            return Some(Minus(self.factor()?.into()));
        }
        let base = match self.0.peek()? {
            '(' => self.between('(', ')')?,
            '#' => {
                self.0.next();
                let above = self.between('{', '}')?;
                Quotient(above.into(), self.between('{', '}')?.into())
            }
            letter if letter.is_ascii_alphabetic() => Letter(self.0.next()?),
            _ => self.number()?,
        };
        if !self.takes('^') {
            return Some(base);
        }
        let is_braced = self.takes('{');
        let exponent = self.digits().parse().ok()?;
        (!is_braced || self.takes('}')).then_some(Power(base.into(), exponent))
    }

    fn between(&mut self, open: char, close: char) -> Option<Formula> {
        let is_open = self.takes(open);
        let inner = self.sum()?;
        (is_open && self.takes(close)).then_some(inner)
    }

    fn number(&mut self) -> Option<Formula> {
        let whole = self.digits();
        let part = if self.takes('.') {
            self.digits()
        } else {
            String::new()
        };
        let below = 10_i128.pow(u32::try_from(part.len()).ok()?);
        let number = Number::fraction((whole + &part).parse().ok()?, below)?;
        Some(Formula::Number(number))
    }

    fn digits(&mut self) -> String {
        let next = || self.0.next_if(char::is_ascii_digit);
        std::iter::from_fn(next).collect()
    }
}
