//! Finds numbers of persons: social security, national insurance, bank accounts, and any number with a cue.

use std::ops::Range;

use super::{
    Numbers, Separator,
    cue::{self, Cue},
    expression::reads_as_expression,
    is_glued,
};
use crate::{Kind, text::Text};

/// The lengths of IBANs by country (ISO 13616 registry).
const IBAN_LENGTHS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18\
FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21MC27MD24ME22MK19\
MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20";

/// Claims every ID number.
pub(super) fn find(text: &mut Text, numbers: &Numbers) {
    let mut claims = Vec::new();
    for index in 0..numbers.len() {
        let start = numbers.groups[index].start;
        if let Some(range) = social_security(text, numbers, index)
            .or_else(|| national_insurance(text, start))
            .or_else(|| bank_account(text, start))
        {
            claims.push(range);
        }
    }
    claims.extend(cued(text, numbers));
    for range in claims {
        text.claim(range, Kind::Id);
    }
}

/// 123-45-6789.
fn social_security(text: &Text, numbers: &Numbers, start: usize) -> Option<Range<usize>> {
    let end = start + 3;
    let hyphens =
        end <= numbers.len() && numbers.separators[start..end - 1] == [Some(Separator::Hyphen); 2];
    if !hyphens || (start..end).map(|index| numbers.size(index)).ne([3, 2, 4]) {
        return None;
    }
    let [area, group, serial] = &numbers.digits[start..end] else {
        return None;
    };
    let issued = area != "000" && group != "00" && serial != "0000";
    let range = numbers.range(start..end);
    (issued && !reads_as_expression(text, &range)).then_some(range)
}

/// QQ 12 34 56 C, from its first digits.
fn national_insurance(text: &Text, digits: usize) -> Option<Range<usize>> {
    let letters = text.skip_back(digits, |c| c == ' ');
    if digits - letters > 1 || letters < 2 {
        return None;
    }
    let start = letters - 2;
    let capitals = text.chars()[start..letters]
        .iter()
        .all(char::is_ascii_uppercase);
    if !capitals || is_glued(text.before(start)) || text.before(start) == Some('\\') {
        return None;
    }
    let mut place = digits;
    for count in 0..6 {
        if count % 2 == 0 && count > 0 && text.at(place) == Some(' ') {
            place += 1;
        }
        if !text.at(place)?.is_ascii_digit() {
            return None;
        }
        place += 1;
    }
    if text.at(place) == Some(' ') {
        place += 1;
    }
    let suffix = matches!(text.at(place), Some('A'..='D'));
    (suffix && !is_glued(text.at(place + 1))).then_some(start..place + 1)
}

/// An IBAN, from its check digits: the country's length, and the remainder 1 by 97.
fn bank_account(text: &Text, digits: usize) -> Option<Range<usize>> {
    let start = digits.checked_sub(2)?;
    let country: String = text.chars()[start..digits]
        .iter()
        .collect::<String>()
        .to_ascii_uppercase();
    let at = (0..IBAN_LENGTHS.len())
        .step_by(4)
        .find(|at| IBAN_LENGTHS[*at..].starts_with(&country))?;
    let length: usize = IBAN_LENGTHS[at + 2..at + 4].parse().ok()?;
    if is_glued(text.before(start)) {
        return None;
    }
    let mut read = String::with_capacity(length);
    let mut place = start;
    while read.len() < length {
        match text.at(place)? {
            c if c.is_ascii_alphanumeric() => read.push(c),
            ' ' | '-'
                if text
                    .at(place + 1)
                    .is_some_and(|c| c.is_ascii_alphanumeric()) => {}
            _ => return None,
        }
        place += 1;
    }
    (!is_glued(text.at(place)) && is_valid_iban(&read)).then_some(start..place)
}

fn is_valid_iban(iban: &str) -> bool {
    let (head, rest) = iban.split_at(4);
    let remainder = rest.chars().chain(head.chars()).try_fold(0, |sum: u32, c| {
        let value = c.to_digit(36)?;
        let shift = if value > 9 { 100 } else { 10 };
        Some((sum * shift + value) % 97)
    });
    remainder == Some(1)
}

/// Letters and digits after a cue: five characters or more, four of them digits.
fn cued(text: &Text, numbers: &Numbers) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut seen = 0;
    let mut index = 0;
    while index < numbers.len() {
        let group = numbers.groups[index].clone();
        index += 1;
        if group.start < seen {
            continue;
        }
        let start = text.skip(text.skip_back(group.start, is_part), |c| c == '-');
        let mut end = text.skip(group.end, is_part);
        while let Some(next) = numbers.groups.get(index) {
            if next.start >= end {
                let joined = numbers.separators[index - 1] == Some(Separator::Space)
                    && next.start == end + 1
                    && next.len() >= 2
                    && end - start < 20;
                if !joined {
                    break;
                }
                end = text.skip(next.end, is_part);
            }
            index += 1;
        }
        seen = end;
        let end = text.skip_back(end, |c| c == '-');
        if start >= end || end - start > 40 {
            continue;
        }
        let part = &text.chars()[start..end];
        let digits = part.iter().filter(|c| c.is_ascii_digit()).count();
        // "passport AB 123456": the letters before are its own.
        let series = text.skip_back(start, |c| c.is_ascii_uppercase());
        let spaced = start > 0 && text.before(start) == Some(' ');
        let series = if spaced {
            text.skip_back(start - 1, |c| c.is_ascii_uppercase())
        } else {
            series
        };
        let own =
            spaced && (1..=3).contains(&(start - 1 - series)) && !is_glued(text.before(series));
        if part.len() < 5 || digits < 4 {
            continue;
        }
        if own && cue::before(text, series) == Some(Cue::Id) {
            found.push(series..end);
        } else if cue::before(text, start) == Some(Cue::Id)
            || cue::after(text, end) == Some(Cue::Id)
        {
            found.push(start..end);
        }
    }
    found
}
