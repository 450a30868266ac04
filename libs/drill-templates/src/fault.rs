//! What can be wrong with a template.

/// A text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(String);

impl SyntaxError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Why a seed makes no instance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// All that was drawn missed a condition.
    #[error("no values meet its conditions in 1,000 attempts")]
    NoValues,
    /// Something cannot be worked out or shown.
    #[error("with {values}, `{piece}` {problem}")]
    Broken {
        /// The parameters so far, as in `a = 3, b = 0`.
        values: String,
        /// The part of the template.
        piece: String,
        /// What happens.
        problem: Problem,
    },
}

/// What keeps an expression from having a value, or a value from being shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A division by zero.
    #[error("divides by zero")]
    DividesByZero,
    /// A number beyond the bounds of the arithmetic.
    #[error("becomes too large a number")]
    TooLarge,
    /// An exponent that is not a whole number from 0 to 20.
    #[error("has an exponent that is not a whole number from 0 to 20")]
    Exponent,
    /// A function or form of whole numbers that gets a fraction.
    #[error("needs a whole number for `{0}`")]
    NotWhole(&'static str),
    /// A summand or coefficient that is 0.
    #[error("shows 0 as `{0}`")]
    Zero(&'static str),
    /// A number that no pupil can handle.
    #[error("shows {0}, which is too long a number for a drill")]
    Unhandy(String),
}
