//! Drills as models write them for a whole course of algebra: for each unit of the demo course as many, in the kinds that
//! the unit has, and as many that only a reader of words could grade.

mod algebra;
mod numbers;

pub use self::numbers::in_words;
use super::{Written, plus, written};

/// So many for each unit.
pub const OF_A_UNIT: i64 = 28;

/// A drill by its number.
type Made = fn(i64) -> Written;

/// The units, in the course's order, and what stands in none.
const UNITS: [(&str, Made); 20] = [
    ("integers", numbers::integers),
    ("order of operations", numbers::order_of_operations),
    ("fractions", numbers::fractions),
    ("sums of fractions", numbers::sums_of_fractions),
    ("ratios", numbers::ratios),
    ("substitution", algebra::substitution),
    ("like terms", algebra::like_terms),
    ("brackets", algebra::brackets),
    ("unknown numbers", numbers::unknown_numbers),
    ("one step equations", algebra::one_step_equations),
    ("two step equations", algebra::two_step_equations),
    ("both sides", algebra::both_sides),
    ("coordinates", numbers::coordinates),
    ("slope", numbers::slope),
    ("lines", algebra::lines),
    ("powers", algebra::powers),
    ("products", algebra::products),
    ("factors", algebra::factors),
    ("quadratics", algebra::quadratics),
    ("in words", numbers::in_words),
];

/// All drills, by unit.
pub fn drills() -> Vec<(&'static str, Vec<Written>)> {
    let of_unit = |(name, made): (&'static str, Made)| (name, (0..OF_A_UNIT).map(made).collect());
    UNITS.into_iter().map(of_unit).collect()
}

/// A drill with its answers.
fn with(prompt: &str, question: String, right: impl ToString, wrong: impl ToString) -> Written {
    written(prompt, question, right.to_string(), wrong.to_string())
}

/// One of several wordings, by turns.
fn one_of<'a>(n: i64, wordings: &[&'a str]) -> &'a str {
    wordings[usize::try_from(n).unwrap() % wordings.len()]
}
