//! Mistakes that mathematics names in a wrong answer, where the unit lists them under their usual names.

use turnwise_decisions::course::Unit;
use turnwise_grading::{Drill, Verdict, grade};

/// Longer values are no numbers that somebody mistook.
const MOST_CHARS: usize = 40;

/// Tags that the grader's reason alone names.
const BY_REASON: [(&str, &str); 4] = [
    ("lost_solution", "incomplete_solution_set"),
    ("not_lowest_terms", "not_simplified"),
    ("incomplete_factoring", "not_factored"),
    ("partial_factor", "not_factored"),
];

/// The first of the unit's mistakes that a wrong answer shows: by the grader's reason, or as another value would be right.
#[must_use]
pub fn named<'u>(unit: &'u Unit, reason: &str, drill: &Drill<'_>, answer: &str) -> Option<&'u str> {
    let value = answer.rsplit('=').next().unwrap_or(answer);
    let value = value.trim().trim_matches('$').trim();
    let would_be_right = |other: Option<String>| {
        other.is_some_and(|other| grade(drill, &other).verdict == Verdict::Right)
    };
    let shows = |tag: &str| match tag {
        "sign_error" => would_be_right(opposite(value)),
        "inverted" => would_be_right(reciprocal(value)),
        _ => BY_REASON.contains(&(tag, reason)),
    };
    let mut tags = unit.mistake_tags.iter().map(String::as_str);
    tags.find(|tag| shows(tag))
}

/// The value with the other sign, where it is one.
fn opposite(value: &str) -> Option<String> {
    let (size, is_negative) = unsigned(value);
    let is_one_value = !size.is_empty()
        && size.chars().count() <= MOST_CHARS
        && !size.contains(['+', '-', '−', '±', '<', '>', ',', ';']);
    let sign = if is_negative { "" } else { "-" };
    is_one_value.then(|| format!("{sign}{size}"))
}

/// The fraction upside down, where it is one of whole numbers.
fn reciprocal(value: &str) -> Option<String> {
    let (size, is_negative) = unsigned(value);
    let (above, below) = size.split_once('/').unwrap_or((size, "1"));
    let is_whole = |part: &str| {
        !part.is_empty() && part.len() <= MOST_CHARS && part.bytes().all(|b| b.is_ascii_digit())
    };
    let (above, below) = (above.trim(), below.trim());
    let sign = if is_negative { "-" } else { "" };
    (is_whole(above) && is_whole(below)).then(|| format!("{sign}{below}/{above}"))
}

/// A value without its sign, and whether it was negative.
fn unsigned(value: &str) -> (&str, bool) {
    let size = value.strip_prefix(['-', '−']);
    size.map_or((value, false), |size| (size.trim_start(), true))
}
