//! Finds e-mail addresses, also where the at sign or the dots are written as words.

use crate::{
    Kind,
    text::{Text, is_blank},
};

/// Top-level domains that make a "name at school dot org" an address, where nothing but words says so.
const SPOKEN_DOMAINS: [&str; 14] = [
    "com", "org", "net", "edu", "gov", "info", "example", "test", "invalid", "uk", "de", "fr",
    "es", "au",
];

/// Claims every e-mail address.
pub fn find(text: &mut Text) {
    let signs: Vec<usize> = (0..text.chars().len())
        .filter(|place| text.at(*place) == Some('@'))
        .collect();
    for sign in signs {
        let left = text
            .before(sign)
            .filter(|c| is_blank(*c))
            .map_or(sign, |_| sign - 1);
        let right = text
            .at(sign + 1)
            .filter(|c| is_blank(*c))
            .map_or(sign + 1, |_| sign + 2);
        if let Some(start) = local_part(text, left)
            && let Some(end) = domain(text, right, Dots::Written)
        {
            text.claim(start..end, Kind::Email);
        }
    }
    let spoken: Vec<usize> = (0..text.words().len())
        .filter(|index| text.lower(Some(*index)) == "at")
        .collect();
    for index in spoken {
        find_spoken(text, index);
    }
}

/// `ada (at) school (dot) org`, and `ada at school dot org`.
fn find_spoken(text: &mut Text, index: usize) {
    let word = text.words()[index].range.clone();
    let open = text.before(word.start).is_some_and(|c| "([{<".contains(c));
    let close = text.at(word.end).is_some_and(|c| ")]}>".contains(c));
    let (before, after, dots) = match (open, close) {
        (true, true) => (word.start - 1, word.end + 1, Dots::Any),
        (false, false) => (word.start, word.end, Dots::Spoken),
        _ => return,
    };
    let left = text.skip_back(before, is_blank);
    let right = text.skip(after, is_blank);
    if dots == Dots::Spoken && (left == before || right == after) {
        return;
    }
    if let Some(start) = local_part(text, left)
        && let Some(end) = domain(text, right, dots)
    {
        text.claim(start..end, Kind::Email);
    }
}

/// The start of the local part that ends at a place.
fn local_part(text: &Text, end: usize) -> Option<usize> {
    let start = text.skip_back(end, |c| c.is_alphanumeric() || "._%+-'".contains(c));
    let start = text.skip(start, |c| "._%+-'".contains(c) && c != '_');
    (start < end && text.chars()[start..end].iter().any(|c| c.is_alphanumeric())).then_some(start)
}

/// How the dots of a domain may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dots {
    Written,
    /// With at least one as a word, and a top-level domain that is known.
    Spoken,
    Any,
}

/// The end of the domain that starts at a place: labels with dots between them, the last of two letters or more.
fn domain(text: &Text, start: usize, dots: Dots) -> Option<usize> {
    let mut end = None;
    let mut place = start;
    let mut spoken = false;
    let mut labels = 0;
    loop {
        let label = text.skip(place, |c| c.is_alphanumeric() || c == '-' || c == '_');
        if label == place {
            return end;
        }
        labels += 1;
        let letters =
            label - place >= 2 && text.chars()[place..label].iter().all(|c| c.is_alphabetic());
        let top = letters || text.chars()[place..label].starts_with(&['x', 'n', '-', '-']);
        if labels > 1 && top {
            let known = || {
                let lower = text.lower(text.word_starting_at(place));
                spoken && SPOKEN_DOMAINS.contains(&lower)
            };
            if dots != Dots::Spoken || known() {
                end = Some(label);
            }
        }
        let (next, was_word) = match dot(text, label, dots) {
            Some(found) => found,
            None => return end,
        };
        spoken |= was_word;
        place = next;
    }
}

/// The place after a dot, and whether it was a word.
fn dot(text: &Text, place: usize, dots: Dots) -> Option<(usize, bool)> {
    if text.at(place) == Some('.') {
        return Some((place + 1, false));
    }
    if dots == Dots::Written {
        return None;
    }
    let open = text.skip(place, is_blank);
    let bracket = text.at(open).is_some_and(|c| "([{<".contains(c));
    let word = if bracket { open + 1 } else { open };
    let index = text.word_starting_at(word)?;
    if !matches!(text.lower(Some(index)), "dot" | "point") || !bracket && open == place {
        return None;
    }
    let end = text.words()[index].range.end;
    let closed = text.at(end).is_some_and(|c| ")]}>".contains(c));
    let end = if bracket && closed { end + 1 } else { end };
    Some((text.skip(end, is_blank), true))
}
