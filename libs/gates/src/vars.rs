//! Variables: their kinds and ranges, and values that came of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A value that was observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; may be NaN or infinite.
    Double(f64),
    /// A word.
    Text(String),
}

/// The latest values by the names of their variables. Others than the declared ones may be among them.
pub type Vars = BTreeMap<String, Value>;

/// What a variable may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// True or false.
    Bool,
    /// A whole number from `min` to `max`, in the variable's unit.
    Int {
        /// The least.
        min: i64,
        /// The greatest, not less than `min`.
        max: i64,
    },
    /// A number from `min` to `max`, in the variable's unit.
    Double {
        /// The least; finite.
        min: f64,
        /// The greatest, not less than `min`; finite.
        max: f64,
    },
    /// One of these words, of which there is at least one.
    Enum(Vec<String>),
}

/// A declared variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Var {
    /// Its name, as behind `vars.`: see [`is_var_name`].
    pub name: String,
    /// What it may be.
    pub kind: Kind,
    /// The unit of a number, as people read it; may be empty.
    pub unit: String,
}

impl Var {
    /// The value as one of this variable's kind. A whole number may be spelled as a double, and a double as a whole number;
    /// what is NaN, infinite, of another kind or none of the words is none. Ranges say what is usual: a value outside is
    /// taken as it is.
    #[must_use]
    pub fn admit(&self, value: &Value) -> Option<Value> {
        Some(match self.point(value)? {
            Point::Bool(value) => Value::Bool(value),
            Point::Int(value) => Value::Int(value),
            Point::Double(value) => Value::Double(value),
            Point::Text(value) => Value::Text(value.to_owned()),
        })
    }

    pub(crate) fn point<'v>(&self, value: &'v Value) -> Option<Point<'v>> {
        match (&self.kind, value) {
            (Kind::Bool, Value::Bool(value)) => Some(Point::Bool(*value)),
            (Kind::Int { .. }, Value::Int(value)) => Some(Point::Int(*value)),
            (Kind::Int { .. }, Value::Double(value)) => whole(*value).map(Point::Int),
            (Kind::Double { .. }, Value::Int(value)) => Some(Point::Double(*value as f64)),
            (Kind::Double { .. }, Value::Double(value)) => {
                value.is_finite().then_some(Point::Double(*value))
            }
            (Kind::Enum(words), Value::Text(value)) => {
                words.contains(value).then_some(Point::Text(value))
            }
            _ => None,
        }
    }
}

/// A value of a variable's kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Point<'v> {
    Bool(bool),
    Int(i64),
    /// Finite.
    Double(f64),
    Text(&'v str),
}

/// The whole number that a double spells.
fn whole(value: f64) -> Option<i64> {
    // 2^63 is the first that is too large, and a double itself.
    let fits = value.fract() == 0.0 && (-(2_f64.powi(63))..2_f64.powi(63)).contains(&value);
    fits.then_some(value as i64)
}

/// Words that CEL keeps for itself.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether a variable can have this name: `[a-z][a-z0-9_]{0,63}`, and no word that CEL keeps for itself.
#[must_use]
pub fn is_var_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !RESERVED.contains(&text)
}
