//! A template's parameters and conditions, and the values that a seed gives them.

use std::fmt;

use crate::choices::Choices;
use crate::expr::{Comparison, Expr};
use crate::fault::{Fault, Problem, SyntaxError};
use crate::parse::Parser;
use crate::rational::Rational;
use crate::seeds::{SplitMix64, fnv1a};
use crate::text::Text;
use crate::tokens::Token;

/// How often values are drawn until they meet all conditions.
const MOST_ATTEMPTS: usize = 1_000;

/// The most parameters, and the most conditions.
const MOST_ITEMS: usize = 16;

/// The parameters and conditions of a drill.
#[derive(Debug, Clone)]
pub struct Template {
    /// A hash of the id: templates that draw from the same ranges get different numbers.
    key: u64,
    names: Vec<String>,
    parameters: Vec<Parameter>,
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone)]
struct Parameter {
    /// As it is written.
    piece: String,
    origin: Origin,
}

#[derive(Debug, Clone)]
enum Origin {
    Drawn(Choices),
    Computed(Expr),
}

#[derive(Debug, Clone)]
struct Condition {
    piece: String,
    left: Expr,
    comparison: Comparison,
    right: Expr,
    /// The parameter that it waits for.
    decided_at: usize,
}

/// What the parameters are in one instance. Shown as `a = 3, b = -4`.
#[derive(Debug, Clone)]
pub struct Values<'t> {
    names: &'t [String],
    numbers: Vec<Rational>,
}

impl Template {
    /// A template without parameters. The id is a part of every seed.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self {
            key: fnv1a(id),
            names: Vec::new(),
            parameters: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Adds a parameter: `a in 2..9`, or `c = a*b` of those that stand above.
    ///
    /// # Errors
    /// It cannot be read, names what is not there, or there are too many.
    pub fn parameter(&mut self, text: &str) -> Result<(), SyntaxError> {
        few(self.parameters.len(), "parameters")?;
        let mut parser = Parser::new(text, &self.names)?;
        let name = parser.new_name()?;
        let origin = if parser.takes(Token::Name("in")) {
            Origin::Drawn(parser.choices()?)
        } else if parser.takes(Token::Sign("=")) {
            Origin::Computed(parser.sum()?)
        } else {
            return Err(SyntaxError::new(format!(
                "`{name}` has neither a range nor a value"
            )));
        };
        parser.end()?;
        self.names.push(name);
        self.parameters.push(Parameter {
            piece: text.trim().to_owned(),
            origin,
        });
        Ok(())
    }

    /// Adds a condition, such as `a != b`.
    ///
    /// # Errors
    /// It cannot be read, names what is not there, or there are too many.
    pub fn condition(&mut self, text: &str) -> Result<(), SyntaxError> {
        few(self.conditions.len(), "conditions")?;
        let mut parser = Parser::new(text, &self.names)?;
        let (left, comparison, right) = parser.comparison()?;
        parser.end()?;
        let last = left.last_parameter().max(right.last_parameter());
        let decided_at = last.ok_or_else(|| SyntaxError::new("it names no parameter"))?;
        self.conditions.push(Condition {
            piece: text.trim().to_owned(),
            left,
            comparison,
            right,
            decided_at,
        });
        Ok(())
    }

    /// Reads a text that shows values.
    ///
    /// # Errors
    /// A part in double brackets cannot be read or names what is not there.
    pub fn text(&self, text: &str) -> Result<Text, SyntaxError> {
        Text::read(text, &self.names)
    }

    /// What the parameters are for a seed: always the same.
    ///
    /// # Errors
    /// The seed makes no instance.
    pub fn values(&self, seed: u32) -> Result<Values<'_>, Fault> {
        let mut drawn = SplitMix64::new(self.key ^ u64::from(seed));
        for _ in 0..MOST_ATTEMPTS {
            if let Some(values) = self.attempt(&mut drawn)? {
                return Ok(values);
            }
        }
        Err(Fault::NoValues)
    }

    /// One draw of all parameters; `None` if it misses a condition.
    fn attempt(&self, drawn: &mut SplitMix64) -> Result<Option<Values<'_>>, Fault> {
        let mut values = Values {
            names: &self.names,
            numbers: Vec::with_capacity(self.parameters.len()),
        };
        for (at, parameter) in self.parameters.iter().enumerate() {
            let number = match &parameter.origin {
                Origin::Drawn(choices) => Rational::whole(choices.draw(drawn)),
                Origin::Computed(expr) => {
                    let number = expr.value(&values.numbers);
                    number.map_err(|problem| values.fault(&parameter.piece, problem))?
                }
            };
            values.numbers.push(number);
            for condition in &self.conditions {
                if condition.decided_at == at && !condition.holds(&values)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(values))
    }
}

impl Condition {
    fn holds(&self, values: &Values<'_>) -> Result<bool, Fault> {
        let side = |expr: &Expr| {
            let number = expr.value(&values.numbers);
            number.map_err(|problem| values.fault(&self.piece, problem))
        };
        let order = side(&self.left)?.compare(side(&self.right)?);
        Ok(self.comparison.holds(order))
    }
}

impl Values<'_> {
    pub(crate) fn numbers(&self) -> &[Rational] {
        &self.numbers
    }

    pub(crate) fn fault(&self, piece: &str, problem: Problem) -> Fault {
        Fault::Broken {
            values: self.to_string(),
            piece: piece.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.numbers.is_empty() {
            return f.write_str("no values");
        }
        for (at, (name, number)) in self.names.iter().zip(&self.numbers).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {number}")?;
        }
        Ok(())
    }
}

fn few(count: usize, what: &str) -> Result<(), SyntaxError> {
    if count < MOST_ITEMS {
        return Ok(());
    }
    Err(SyntaxError::new(format!(
        "there are more than {MOST_ITEMS} {what}"
    )))
}
