//! How a value is shown.

use crate::fault::{Problem, SyntaxError};
use crate::rational::Rational;

/// The largest numerator and denominator that are shown.
const MOST_SHOWN: (i64, i64) = (9_999, 999);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Plain,
    Brackets,
    Frac,
    Plus,
    Coef,
    PlusCoef,
}

impl Form {
    const ALL: [Self; 5] = [
        Self::Brackets,
        Self::Frac,
        Self::Plus,
        Self::Coef,
        Self::PlusCoef,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Brackets => "brackets",
            Self::Frac => "frac",
            Self::Plus => "plus",
            Self::Coef => "coef",
            Self::PlusCoef => "plus coef",
        }
    }

    /// The form with this name.
    pub(crate) fn read(name: &str) -> Result<Self, SyntaxError> {
        let found = Self::ALL
            .into_iter()
            .find(|form| form.name() == name.trim());
        found.ok_or_else(|| {
            let known: Vec<_> = Self::ALL
                .iter()
                .map(|form| format!("`{}`", form.name()))
                .collect();
            SyntaxError::new(format!(
                "`{}` is no form: write one of {}",
                name.trim(),
                known.join(", ")
            ))
        })
    }

    pub(crate) fn write(self, number: Rational) -> Result<String, Problem> {
        let (numerator, denominator) = MOST_SHOWN;
        if number.size().numerator() > numerator || number.denominator() > denominator {
            return Err(Problem::Unhandy(number.to_string()));
        }
        let sign = if number.is_negative() { "- " } else { "+ " };
        Ok(match self {
            Self::Brackets if number.is_negative() => format!("({number})"),
            Self::Plain | Self::Brackets => number.to_string(),
            Self::Frac if number.whole_number().is_some() => number.to_string(),
            Self::Frac => {
                let minus = if number.is_negative() { "-" } else { "" };
                let size = number.size().numerator();
                format!("{minus}\\frac{{{size}}}{{{}}}", number.denominator())
            }
            Self::Plus if number.numerator() == 0 => return Err(Problem::Zero(self.name())),
            Self::Plus => format!("{sign}{}", number.size()),
            Self::Coef => match self.coefficient(number)? {
                1 => String::new(),
                -1 => "-".to_owned(),
                other => other.to_string(),
            },
            Self::PlusCoef => match self.coefficient(number.size())? {
                1 => sign.to_owned(),
                size => format!("{sign}{size}"),
            },
        })
    }

    /// The whole number that stands before a letter.
    fn coefficient(self, number: Rational) -> Result<i64, Problem> {
        match number.whole_number() {
            Some(0) => Err(Problem::Zero(self.name())),
            Some(number) => Ok(number),
            None => Err(Problem::NotWhole(self.name())),
        }
    }
}
