//! What problems ask for.

/// What a problem asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All solutions of an equation.
    Equation,
    /// All solutions of several equations.
    System,
    /// All solutions of an inequality.
    Inequality,
    /// A value.
    Calculation,
    /// A value, calculated with fractions.
    Fraction,
    /// So many per cent of something.
    Percent,
    /// A simpler form.
    Simplify,
    /// A form without brackets.
    Expand,
    /// A product.
    Factor,
    /// Another task that mathematics decides, such as rounding.
    Other,
}
