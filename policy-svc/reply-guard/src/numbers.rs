//! Numbers as they are written: divisions that come out even, and decimals that a solution was rounded to.

use turnwise_grading::{Drill, Reason, grade};

use crate::formula::{Formula, Symbol, is_relation};

/// Whether a number is a division that comes out even.
pub(crate) fn is_division(literal: &[Symbol]) -> bool {
    let [
        Symbol::Number(above),
        Symbol::Sign('/'),
        Symbol::Number(below),
    ] = literal
    else {
        return false;
    };
    let (above, below) = (above.parse::<u64>(), below.parse::<u64>());
    matches!((above, below), (Ok(above), Ok(below)) if below > 0 && above.is_multiple_of(below))
}

/// Whether a statement that the grader leaves open ends with a decimal that a solution was rounded to: with another number
/// before its digits it is wrong. One digit is not enough.
pub(crate) fn is_rounded(drill: &Drill<'_>, statement: &str) -> bool {
    let before = statement.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '%'));
    let decimal = statement.strip_prefix(before).unwrap_or_default();
    let digits = decimal.trim_start_matches(['0', '.']);
    let significant = digits.bytes().filter(u8::is_ascii_digit).count();
    if !decimal.contains('.') || significant < 2 {
        return false;
    }
    let other = format!("{before}9{decimal}");
    grade(drill, &other).reason != Reason::Undecided
}

/// `x = 31A`, `x = 5m`: without a letter that the exercise does not have, at the end of a number after a relation.
pub(crate) fn without_unit<'a>(
    formula: &Formula,
    letters: impl IntoIterator<Item = &'a char>,
) -> Option<Formula> {
    let [
        rest @ ..,
        relation,
        Symbol::Number(number),
        Symbol::Letter(unit),
    ] = formula.0.as_slice()
    else {
        return None;
    };
    if !is_relation(relation) || letters.into_iter().any(|letter| letter == unit) {
        return None;
    }
    let mut bare = rest.to_vec();
    bare.extend([relation.clone(), Symbol::Number(number.clone())]);
    Some(Formula(bare))
}
