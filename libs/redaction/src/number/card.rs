//! Finds numbers of payment cards: an issuer's prefix and a valid check digit, or a cue.

use super::{
    Numbers, Separator,
    cue::{self, Cue},
    expression::reads_as_expression,
};
use crate::{Kind, text::Text};

/// How issuers print the digits.
const GROUPINGS: [&[usize]; 4] = [&[4, 4, 4, 4], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4]];

/// Claims every card number.
pub(super) fn find(text: &mut Text, numbers: &Numbers) {
    let mut index = 0;
    while index < numbers.len() {
        let end = cued(text, numbers, index).or_else(|| printed(text, numbers, index));
        match end {
            Some(end) => {
                text.claim(numbers.range(index..end), Kind::Card);
                index = end;
            }
            None => index += 1,
        }
    }
}

/// With a cue: 12 to 19 digits, however they are grouped; the longest that a check digit confirms.
fn cued(text: &Text, numbers: &Numbers, start: usize) -> Option<usize> {
    let mut end = start;
    let mut digits = String::new();
    let mut longest = None;
    let mut checked = None;
    while end < numbers.len() {
        if end > start
            && !matches!(
                numbers.separators[end - 1],
                Some(Separator::Space | Separator::Hyphen | Separator::Wide)
            )
        {
            break;
        }
        digits.push_str(&numbers.digits[end]);
        if digits.len() > 19 {
            break;
        }
        end += 1;
        if digits.len() >= 12 {
            longest = Some(end);
            if is_valid(&digits) {
                checked = longest;
            }
        }
    }
    let end = checked.or(longest)?;
    (cue::before(text, numbers.groups[start].start) == Some(Cue::Card)).then_some(end)
}

/// Without a cue: printed as cards print it, with a valid check digit and a known issuer, and no operator beside it.
fn printed(text: &Text, numbers: &Numbers, start: usize) -> Option<usize> {
    let groupings = GROUPINGS.iter().map(|sizes| sizes.len()).chain([1]);
    let mut ends = groupings
        .map(|count| start + count)
        .filter(|end| *end <= numbers.len())
        .filter(|end| is_printed(numbers, start, *end))
        .filter(|end| {
            let digits = numbers.joined(start..*end);
            is_valid(&digits) && has_issuer(&digits)
        })
        .filter(|end| !reads_as_expression(text, &numbers.range(start..*end)));
    ends.next()
}

fn is_printed(numbers: &Numbers, start: usize, end: usize) -> bool {
    if end - start == 1 {
        return true;
    }
    let separator = numbers.separators[start];
    if !matches!(separator, Some(Separator::Space | Separator::Hyphen)) {
        return false;
    }
    let sizes = GROUPINGS.iter().any(|sizes| {
        (start..end)
            .map(|index| numbers.size(index))
            .eq(sizes.iter().copied())
    });
    let mut inner = numbers.separators[start..end - 1].iter();
    // One more group of four makes it a list of numbers.
    let listed = numbers.separators[end - 1] == separator && numbers.size(end) == 4
        || numbers.separator_before(start) == separator && numbers.size(start - 1) == 4;
    sizes && inner.all(|other| *other == separator) && !listed
}

/// Luhn's check digit.
fn is_valid(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(digit - b'0') << (place % 2);
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether the first digits and the length are those of a known issuer.
fn has_issuer(digits: &str) -> bool {
    let prefix = |count: usize| {
        digits
            .get(..count)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0_u32)
    };
    match digits.len() {
        13 | 19 if prefix(1) == 4 => true,
        14 => matches!(prefix(3), 300..=305) || matches!(prefix(2), 36 | 38 | 39),
        15 => matches!(prefix(2), 34 | 37),
        16 if matches!(prefix(1), 4) || matches!(prefix(2), 51..=55) => true,
        16 if matches!(prefix(4), 2200..=2204 | 2221..=2720) || matches!(prefix(2), 81 | 82) => {
            true
        }
        16..=19 => {
            matches!(
                prefix(4),
                6011 | 3528..=3589 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761 | 6763
            ) || matches!(prefix(3), 644..=649)
                || matches!(prefix(2), 60 | 62 | 65)
        }
        _ => false,
    }
}
