//! Whether a reply repeats the prompt that made it: its sentences in any spelling or code, its keys, its marks.

use turnwise_fingerprint::{Letters, RUN, RunSet};

/// The letters of a passage that is no longer an everyday phrase.
const PASSAGE: usize = 22;
/// The least characters of a code that is worth decoding.
const CODED: usize = 16;
/// Marks of the prompt's blocks that are words in capitals.
const BLOCKS: [&str; 5] = [
    "POLICY",
    "CONTEXT",
    "EARLIER_TURNS",
    "STUDENT_INPUT",
    "MISTAKE_TAGS",
];

/// The runs of the prompt that a text holds, and whether they are a leak. `everyday` are runs that anybody may say.
pub(crate) fn passages(
    text: &str,
    letters: &Letters,
    prompt: &RunSet,
    everyday: &RunSet,
) -> (Vec<u64>, bool) {
    if prompt.is_empty() {
        return (Vec::new(), false);
    }
    let mut found = prompt.find(letters);
    let mut leaks = found.longest >= PASSAGE && everyday.find(letters).longest < found.longest;
    // Nobody writes backwards by accident: one run is enough.
    let reversed: String = text.chars().rev().collect();
    let rotated: String = text.chars().map(rotated).collect();
    for disguised in [reversed, rotated] {
        let hidden = prompt.find(&Letters::of(&disguised));
        leaks |= hidden.longest >= RUN;
        found.runs.extend(hidden.runs);
    }
    (found.runs, leaks)
}

/// A Latin letter as the one thirteen places on, around the alphabet.
fn rotated(c: char) -> char {
    let turn = |first: u8| char::from(first + (c as u8 - first + 13) % 26);
    match c {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        _ => c,
    }
}

/// Whether a text has the form of a prompt's parts: keys of its data, names of its blocks, an object, a code.
pub(crate) fn has_parts(text: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\\'))
        .any(is_key)
        || BLOCKS.iter().any(|block| is_block(text, block))
        || text.contains("{\"")
        || text.contains("\":")
        || text
            .split_whitespace()
            .any(|word| word.len() >= CODED && decodes(word))
        || hexadecimal(text)
}

/// `examReady`, `turn_analysis`, `DRILL_CARD`: two words and more in one, as programs write them.
fn is_key(word: &str) -> bool {
    if word.len() < 8 || word.contains('\\') || word.contains("__") {
        return false;
    }
    let parts: Vec<&str> = word.split('_').filter(|part| !part.is_empty()).collect();
    let named = |part: &&str| part.len() > 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    if parts.len() > 1 {
        return parts.iter().filter(|part| named(part)).count() > 1;
    }
    let bytes = word.as_bytes();
    let lower = bytes.iter().take_while(|b| b.is_ascii_lowercase()).count();
    lower > 2
        && bytes.get(lower).is_some_and(u8::is_ascii_uppercase)
        && bytes[lower + 1..]
            .iter()
            .take_while(|b| b.is_ascii_lowercase())
            .count()
            > 1
        && bytes.iter().all(u8::is_ascii_alphabetic)
}

fn is_block(text: &str, block: &str) -> bool {
    text.match_indices(block).any(|(at, _)| {
        let bounded = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let before = text[..at].chars().next_back();
        let after = text[at + block.len()..].chars().next();
        // Words in capitals all around are a shout and not a name.
        let shout = !text.bytes().any(|b| b.is_ascii_lowercase());
        bounded(before) && bounded(after) && !shout
    })
}

/// Whether a word is base64 of text.
fn decodes(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || "+/-_=".contains(c)));
    let body = word.trim_end_matches('=');
    if body.len() < CODED {
        return false;
    }
    let mut bytes = Vec::with_capacity(body.len());
    let (mut bits, mut count) = (0u32, 0);
    for b in body.bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    is_text(&bytes)
}

/// Whether a row of hexadecimal digits, with or without spaces, spells text.
fn hexadecimal(text: &str) -> bool {
    let belongs = |c: char| c.is_ascii_hexdigit() || c == ' ' || c == ':';
    text.split(|c: char| !belongs(c)).any(|row| {
        let digits: Vec<u8> = row.bytes().filter(u8::is_ascii_hexdigit).collect();
        let letters = digits.iter().any(u8::is_ascii_alphabetic);
        if digits.len() < 2 * CODED || !letters || !digits.len().is_multiple_of(2) {
            return false;
        }
        let value = |b: u8| char::from(b).to_digit(16).unwrap_or_default() as u8;
        let bytes: Vec<u8> = digits
            .chunks(2)
            .map(|two| value(two[0]) << 4 | value(two[1]))
            .collect();
        is_text(&bytes)
    })
}

/// Whether bytes are words: nearly all of them letters and spaces.
fn is_text(bytes: &[u8]) -> bool {
    let wordy = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b' ' | b',' | b'.' | b'"' | b':');
    let count = bytes.iter().filter(wordy).count();
    bytes.len() > 8 && count * 10 >= bytes.len() * 9
}
