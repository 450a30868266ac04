//! Less usual readings of an answer. None of them makes it right, but while one would not be wrong nobody can tell.

use super::{Answer, Item, Part, Reading, readings};
use crate::{
    answer::read,
    notation::{Comma, Expression, Sign, Slash},
};

/// Longer answers are read in the usual ways only.
const MAX_CHARACTERS: usize = 120;

/// The less usual readings of a text.
pub(crate) fn doubts(text: &str) -> Vec<Answer> {
    if text.chars().count() > MAX_CHARACTERS {
        return Vec::new();
    }
    let rewritings: [fn(&str) -> String; 6] = [
        plus_minus,
        long_roots,
        percent_of_fraction,
        mixed_in_words,
        points_between_thousands,
        intervals_or,
    ];
    let mut texts: Vec<String> = rewritings.iter().map(|rewrite| rewrite(text)).collect();
    texts.push(
        rewritings
            .iter()
            .fold(text.to_owned(), |text, rewrite| rewrite(&text)),
    );
    texts.extend(without_remark(text));
    texts.sort();
    texts.dedup();
    texts
        .iter()
        .filter(|other| *other != text)
        .flat_map(|other| readings(other))
        .map(|(_, answer)| answer)
        .collect()
}

/// The text read with every comma between values: `1,200` as 1 and 200. It is too unusual to spare an answer that is wrong
/// but for being several values.
pub(crate) fn as_list(text: &str) -> Option<Answer> {
    let reading = Reading {
        comma: Comma::List,
        slash: Slash::Short,
    };
    text.contains(',').then(|| read(text, reading)).flatten()
}

/// The sides of `11 = 3 + 8` but for the last, by which it was judged.
pub(crate) fn other_sides(answer: &Answer) -> Vec<Answer> {
    let Answer::Items(items) = answer else {
        return Vec::new();
    };
    let [(link, Item::Chain { sides, signs, .. })] = items.as_slice() else {
        return Vec::new();
    };
    let Some((_, before)) = sides.split_last() else {
        return Vec::new();
    };
    if signs.iter().any(|sign| *sign != Sign::Equal) {
        return Vec::new();
    }
    before
        .iter()
        .filter_map(|side| match side {
            Part::Value(Expression::Variable(_)) | Part::Infinite(_) => None,
            Part::Value(expression) => Some(Answer::Items(vec![(
                *link,
                Item::Value {
                    plain: Some(expression.clone()),
                    united: None,
                },
            )])),
        })
        .collect()
}

/// `+-3`, `+/-3`
fn plus_minus(text: &str) -> String {
    // `2x+-3` is a sum.
    let value = text.rsplit('=').next().unwrap_or(text);
    let letters = ["sqrt", "or", "and"]
        .iter()
        .fold(value.to_owned(), |value, word| value.replace(word, ""));
    if letters.contains(char::is_alphabetic) {
        return text.to_owned();
    }
    text.replace('−', "-")
        .replace("+/-", "±")
        .replace("+-", "±")
}

/// `√2x` as the root of `2x`.
fn long_roots(text: &str) -> String {
    let text = text.replace("\\sqrt", "√").replace("sqrt", "√");
    let mut rewritten = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('√') {
        let (before, after) = rest.split_at(at + '√'.len_utf8());
        let end = after
            .find(|character: char| !character.is_alphanumeric() && character != '^')
            .unwrap_or(after.len());
        let (radicand, left) = after.split_at(end);
        rewritten.push_str(before);
        if radicand.chars().count() > 1 {
            rewritten.push_str(&format!("({radicand})"));
        } else {
            rewritten.push_str(radicand);
        }
        rest = left;
    }
    rewritten + rest
}

/// The text with every match of `left`, `between`, `right` written anew, where `left` and `right` are runs of digits.
fn between_digits(text: &str, between: &str, write: impl Fn(&str, &str) -> String) -> String {
    let mut rewritten = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(between) {
        let (before, after) = (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + between.len()..).unwrap_or_default(),
        );
        let kept = before
            .trim_end_matches(|character: char| character.is_ascii_digit())
            .len();
        let end = after
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(after.len());
        let (lead, left) = before.split_at(kept);
        let (right, tail) = after.split_at(end);
        rewritten.push_str(lead);
        if left.is_empty() || right.is_empty() {
            rewritten.push_str(left);
            rewritten.push_str(between);
            rest = after;
        } else {
            rewritten.push_str(&write(left, right));
            rest = tail;
        }
    }
    rewritten + rest
}

/// `1/2%` as half a per cent.
fn percent_of_fraction(text: &str) -> String {
    if text.contains('%') {
        between_digits(text, "/", |above, below| format!("({above}/{below})"))
    } else {
        text.to_owned()
    }
}

/// `1 and 1/2`
fn mixed_in_words(text: &str) -> String {
    between_digits(text, " and ", |whole, above| format!("{whole} {above}"))
}

/// `1.200,00` and `1.200`, where points part thousands.
fn points_between_thousands(text: &str) -> String {
    // Of a chain, the last side counts.
    let (before, value) = text.split_at(text.rfind('=').map_or(0, |at| at + 1));
    let (whole, places) = value.split_once(',').unwrap_or((value, ""));
    let mut groups = whole.split('.');
    let lead = groups.next().unwrap_or_default();
    let digits = |text: &str| text.chars().all(|character| character.is_ascii_digit());
    let number =
        lead.trim_start_matches(|character: char| !character.is_ascii_digit() || character == '0');
    let rest: Vec<&str> = groups.collect();
    let parted = (1..=3).contains(&number.len())
        && digits(number)
        && !rest.is_empty()
        && rest.iter().all(|group| group.len() == 3 && digits(group))
        && digits(places);
    if !parted {
        return text.to_owned();
    }
    let point = if places.is_empty() { "" } else { "." };
    format!("{before}{lead}{}{point}{places}", rest.concat())
}

/// `(-∞, -2) and (2, ∞)`, meant as a union.
fn intervals_or(text: &str) -> String {
    text.replace(") and (", ") or (")
        .replace(") and [", ") or [")
        .replace("] and (", "] or (")
        .replace("] and [", "] or [")
}

/// `7/2 (3.5)`: the same again in another form.
fn without_remark(text: &str) -> Option<String> {
    let (before, _) = text.trim().strip_suffix(')')?.rsplit_once(" (")?;
    (!before.trim().is_empty()).then(|| before.to_owned())
}
