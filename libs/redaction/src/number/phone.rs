//! Finds phone numbers: with a cue, with a plus, or in a national grouping.

use std::ops::Range;

use super::{
    Numbers, Separator,
    cue::{self, Cue},
    expression::{is_maths_before, operator_after, reads_as_expression},
    is_glued,
};
use crate::{
    Kind,
    text::{MASK, Text, is_blank},
};

/// The digits of a phone number with a cue.
const CUED_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Claims every phone number.
pub(super) fn find(text: &mut Text, numbers: &Numbers) {
    let mut index = 0;
    let mut cued_until = 0;
    while index < numbers.len() {
        let start = first_place(text, numbers, index);
        // After a number with a cue, the next of a list has it too.
        let listed = cued_until > 0 && is_list(text, cued_until..start);
        match window(text, numbers, index, listed) {
            Some((end, is_cued)) => {
                let place = numbers.range(index..end).end;
                text.claim(start..place, Kind::Phone);
                cued_until = if is_cued { place } else { 0 };
                index = end;
            }
            None => index += 1,
        }
    }
}

/// The end of the phone number that starts with a group, and whether a cue made it one.
fn window(text: &Text, numbers: &Numbers, start: usize, listed: bool) -> Option<(usize, bool)> {
    let first = first_place(text, numbers, start);
    if let Some(end) = with_cue(text, numbers, start) {
        let range = numbers.range(start..end);
        let cue = cue::before(text, first).or_else(|| cue::after(text, range.end));
        let digits = numbers.joined(start..end);
        let shaped = text.before(range.start) == Some('+')
            || is_mobile(&digits)
            || national(numbers, start).is_some();
        match cue {
            Some(Cue::Phone) => return Some((end, true)),
            Some(Cue::PhoneShaped) if shaped => return Some((end, true)),
            _ if listed => return Some((end, true)),
            // Fewer digits with a plus may be a signed number, and 0123456789 are the digits.
            _ if shaped
                && digits.len() >= 10
                && !"012345678901".starts_with(&digits)
                && is_json_string(text, first..range.end) =>
            {
                return Some((end, false));
            }
            _ => {}
        }
    }
    let end = international(text, numbers, start).or_else(|| {
        let end = national(numbers, start)?;
        let range = first..numbers.range(start..end).end;
        (!reads_as_expression(text, &range)).then_some(end)
    })?;
    Some((end, false))
}

/// Whether a number is the whole of a string in JSON.
fn is_json_string(text: &Text, range: Range<usize>) -> bool {
    if text.before(range.start) != Some('"') || text.at(range.end) != Some('"') {
        return false;
    }
    let place = text.skip_back(range.start - 1, char::is_whitespace);
    matches!(text.before(place), Some(':' | '[' | ','))
}

/// Where a number begins that starts with a group: a plus and an open bracket belong to it.
fn first_place(text: &Text, numbers: &Numbers, index: usize) -> usize {
    text.skip_back(numbers.groups[index].start, |c| c == '+' || c == '(')
        .max(numbers.groups[index].start.saturating_sub(2))
}

/// Whether what stands between two numbers makes them a list.
fn is_list(text: &Text, gap: Range<usize>) -> bool {
    if gap.start > gap.end || gap.len() > 12 {
        return false;
    }
    let between: String = text.chars()[gap].iter().filter(|c| **c != MASK).collect();
    let between = between.trim_matches([' ', ',']);
    matches!(between, "" | "or" | "and" | "&" | "/" | ";")
}

/// 0 and nine or ten digits more: no number is written like that.
fn is_mobile(digits: &str) -> bool {
    digits.starts_with('0')
        && (10..=12).contains(&digits.len())
        && digits.bytes().any(|digit| digit > b'1')
}

/// The end of the digits that a cue can make a phone number.
fn with_cue(text: &Text, numbers: &Numbers, start: usize) -> Option<usize> {
    let first = numbers.groups[start].start;
    let near = text.before(first);
    let decimal = matches!(near, Some('.' | ','))
        && text.before(first - 1).is_some_and(|c| c.is_ascii_digit());
    if is_glued(near)
        || decimal
        || numbers
            .separator_before(start)
            .is_some_and(|separator| separator != Separator::Space)
    {
        return None;
    }
    if let Some(end) = national(numbers, start) {
        return Some(end);
    }
    let mut end = start + 1;
    let mut total = numbers.size(start);
    while end < numbers.len() {
        let next = numbers.size(end);
        let enough = total >= *CUED_DIGITS.start();
        let goes_on = match numbers.separators[end - 1] {
            Some(Separator::Space) => !enough || next >= 3 || next == numbers.size(end - 1),
            Some(Separator::Hyphen | Separator::Bracket) => true,
            Some(Separator::Wide | Separator::Slash) => !enough,
            Some(Separator::Dot) => {
                numbers.separators[end] == Some(Separator::Dot)
                    || end >= start + 2 && numbers.separators[end - 2] == Some(Separator::Dot)
            }
            None => false,
        };
        if !goes_on || total + next > *CUED_DIGITS.end() {
            break;
        }
        total += next;
        end += 1;
    }
    while goes_on_as_number(text, numbers.groups[end - 1].end) {
        end -= 1;
        total -= numbers.size(end);
        if end == start {
            return None;
        }
    }
    CUED_DIGITS.contains(&total).then_some(end)
}

/// Whether the digits before a place are part of a term or of a decimal number.
fn goes_on_as_number(text: &Text, end: usize) -> bool {
    let decimal = matches!(text.at(end), Some('.' | ','))
        && text.at(end + 1).is_some_and(|c| c.is_ascii_digit());
    is_glued(text.at(end)) || matches!(text.at(end), Some('^' | '%')) || decimal
}

/// +44 7700 900123: a plus at the beginning, or after a word of two letters or more.
fn international(text: &Text, numbers: &Numbers, start: usize) -> Option<usize> {
    let first = numbers.groups[start].start;
    if text.before(first) != Some('+') || numbers.digits[start].starts_with('0') {
        return None;
    }
    let most = if numbers.digits[start].starts_with(['1', '7']) {
        11
    } else {
        15
    };
    let mut end = start + 1;
    let mut total = numbers.size(start);
    while end < numbers.len() {
        let next = numbers.size(end);
        let goes_on = match numbers.separators[end - 1] {
            Some(Separator::Space) => total < 10 || next >= 3 || next == numbers.size(end - 1),
            Some(Separator::Hyphen | Separator::Bracket | Separator::Dot) => true,
            _ => false,
        };
        if !goes_on || total + next > most {
            break;
        }
        total += next;
        end += 1;
    }
    let place = numbers.groups[end - 1].end;
    if !may_follow(text, first - 1, end - start > 1) {
        return None;
    }
    // Digits without a grouping may be a signed number.
    let (least, operator) = match end - start {
        1 => (
            10,
            operator_after(text, place) || is_maths_before(text, first - 1),
        ),
        _ => (8, operator_follows(text, place)),
    };
    ((least..=15).contains(&total) && !goes_on_as_number(text, place) && !operator).then_some(end)
}

/// An operator and a number or a letter: the plus was a sign.
fn operator_follows(text: &Text, end: usize) -> bool {
    let place = text.skip(end, is_blank);
    text.at(place)
        .is_some_and(|c| "+*=^<>\u{d7}\u{f7}\u{22c5}\u{2212}".contains(c))
}

/// Whether a plus sign at a place can begin a number: `x +44` is a sum, `me +44` is not.
fn may_follow(text: &Text, plus: usize, is_grouped: bool) -> bool {
    let near = text.before(plus);
    let plus = if near == Some('(') { plus - 1 } else { plus };
    let place = text.skip_back(plus, is_blank);
    let place = match text.before(place) {
        Some('.' | '!' | '?') if place < plus => return true,
        Some(',' | ';') if place < plus && is_grouped => return true,
        Some(',' | ';' | ':' | '.' | '!' | '?' | '-' | '"' | '\'' | '[' | '<' | '/') => {
            text.skip_back(place - 1, is_blank)
        }
        _ => place,
    };
    match text.before(place) {
        None | Some('\n' | '\r' | MASK) => true,
        Some(c) if c.is_alphabetic() => {
            let letters = text.word_ending_at(place).is_some_and(|index| {
                let word = &text.words()[index].range;
                word.len() >= 2 && text.before(word.start) != Some('\\')
            });
            let unspaced = crate::text::is_unspaced(c);
            (letters || unspaced) && place < plus
        }
        _ => false,
    }
}

/// The end of the national grouping that starts with a group.
fn national(numbers: &Numbers, start: usize) -> Option<usize> {
    let before = numbers.separator_before(start);
    if before.is_some_and(|separator| separator != Separator::Space) {
        return None;
    }
    north_american(numbers, start)
        .or_else(|| with_trunk_zero(numbers, start))
        .filter(|end| {
            let after = numbers.separators[end - 1];
            after.is_none_or(|separator| {
                separator == Separator::Space || separator == Separator::Wide
            })
        })
}

/// (415) 555-0132, 415-555-0132, 415.555.0132, 415 555 0132, all also after a 1.
fn north_american(numbers: &Numbers, start: usize) -> Option<usize> {
    let country = numbers.digits[start] == "1" && numbers.separators[start].is_some();
    let first = if country { start + 1 } else { start };
    let end = first + 3;
    if end > numbers.len() || (first..end).map(|index| numbers.size(index)).ne([3, 3, 4]) {
        return None;
    }
    let [Some(one), Some(two)] = numbers.separators[first..end - 1] else {
        return None;
    };
    let printed = match (one, two) {
        (Separator::Hyphen, Separator::Hyphen) | (Separator::Dot, Separator::Dot) => true,
        (Separator::Space | Separator::Bracket, Separator::Hyphen) => true,
        (Separator::Bracket, Separator::Space | Separator::Dot) => true,
        // Three numbers with spaces are a list, unless they can be nothing but a phone number.
        (Separator::Space, Separator::Space) => {
            let alone =
                numbers.separator_before(start).is_none() && numbers.separators[end - 1].is_none();
            let round = numbers.digits[first].ends_with("00") && numbers.digits[first] != "800";
            alone && !round
        }
        _ => false,
    };
    let area = &numbers.digits[first];
    let exchange = &numbers.digits[first + 1];
    let assigned = |code: &str| code.starts_with(|digit: char| digit > '1');
    (printed && assigned(area) && assigned(exchange)).then_some(end)
}

/// 07700 900123, 020 7946 0958, 06 12 34 56 78, 0170/1234567, 0044 7700 900123.
fn with_trunk_zero(numbers: &Numbers, start: usize) -> Option<usize> {
    let code = &numbers.digits[start];
    let digit = |at: usize| code.as_bytes().get(at).copied().unwrap_or(b'0');
    let trunk = digit(0) == b'0' && digit(1) != b'0';
    let abroad = code.starts_with("00") && digit(2) != b'0';
    if !(trunk && (2..=6).contains(&code.len()) || abroad && (3..=5).contains(&code.len())) {
        return None;
    }
    let inner = numbers.separators.get(start + 1).copied().flatten();
    let (least, most) = if abroad { (10, 15) } else { (9, 11) };
    let mut end = start + 1;
    let mut total = code.len();
    while end < numbers.len() {
        let separator = numbers.separators[end - 1]?;
        let fits = match separator {
            Separator::Space | Separator::Hyphen => true,
            Separator::Bracket | Separator::Slash => end == start + 1,
            Separator::Dot => inner == Some(Separator::Dot),
            Separator::Wide => false,
        };
        let before = numbers.separators[end.saturating_sub(2).max(start)];
        let uniform = before == Some(separator)
            || end == start + 2 && matches!(before, Some(Separator::Bracket | Separator::Slash));
        let size = numbers.size(end);
        if !fits || !uniform || !(2..=8).contains(&size) || total + size > most {
            break;
        }
        total += size;
        end += 1;
        if numbers.separators[end - 1].is_none() {
            break;
        }
    }
    let groups = start..end;
    let sizes: Vec<usize> = groups.clone().map(|index| numbers.size(index)).collect();
    let printed = match sizes.as_slice() {
        [2, 2, 2, 2, 2] => true,
        [2, 4, 4] | [2, 8] | [2, 7] => true,
        [2, ..] => false,
        sizes => sizes.len() > 1,
    };
    let joined = numbers.joined(groups.clone());
    // 01 02 03 04 05 counts.
    let counted = groups
        .clone()
        .all(|index| numbers.digits[index].starts_with('0') && numbers.size(index) == code.len());
    let binary = joined.bytes().all(|digit| digit <= b'1');
    (printed && total >= least && !counted && !binary).then_some(end)
}
