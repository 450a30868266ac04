//! Text as words that can be compared.

use std::mem;

use turnwise_text_classifier::fold;
use unicode_normalization::char::is_combining_mark;

/// What stands before the first word of a message and behind the last, and so in a phrase that matches nowhere else.
pub(crate) const EDGE: char = '.';

/// A text's words with one space before each and one after the last; empty if it has none. A word in a row of words is
/// then found with a plain search for it with its spaces.
pub(crate) fn of(text: &str) -> String {
    of_folded(&fold(text))
}

/// As [`of`], of a text in the form of [`fold`].
pub(crate) fn of_folded(folded: &str) -> String {
    let mut words = String::with_capacity(folded.len() + 2);
    for run in folded.split(|c: char| !is_word(c)) {
        // A mark that stands on nothing belongs to no word.
        let run = run.trim_start_matches(is_combining_mark);
        split(run, &mut words);
    }
    if !words.is_empty() {
        words.push(' ');
    }
    words
}

/// Words in the form of [`of`] as a whole message.
pub(crate) fn as_message(words: &str) -> String {
    format!("{EDGE}{words}{EDGE}")
}

/// A text in the form of [`fold`] in which a word that is repeated in a row stands once: `help help help` says no more than
/// `help`. Single letters stay, as they may spell a word.
pub(crate) fn once(folded: &str) -> String {
    let mut once = String::with_capacity(folded.len());
    let mut last = "";
    for piece in folded.split_inclusive(char::is_whitespace) {
        let word = piece.trim_matches(|c: char| !is_word(c));
        if word != last || word.chars().nth(1).is_none() {
            once.push_str(piece);
        }
        if !word.is_empty() {
            last = word;
        }
    }
    once
}

/// Whether a letter is drawn out: it stands three times in a row, as in hardly a word.
pub(crate) fn is_drawn_out(text: &str) -> bool {
    let (mut last, mut times) = (' ', 0);
    text.chars().any(|c| {
        times = if c == last { times + 1 } else { 1 };
        last = c;
        times == 3 && c.is_alphabetic()
    })
}

/// A text in which each run of one letter is that letter once.
pub(crate) fn squeezed(text: &str) -> String {
    let mut last = ' ';
    text.chars()
        .filter(|c| mem::replace(&mut last, *c) != *c || !c.is_alphabetic())
        .collect()
}

/// Splits a run of letters and digits where a script has no spaces, by the rules of UAX #29 for default word boundaries.
fn split(run: &str, words: &mut String) {
    // Before U+0E00 every script has spaces.
    if run.bytes().all(|b| b < 0xe0) {
        return push(run, words);
    }
    let mut start = 0;
    let mut before = None;
    for (at, c) in run.char_indices() {
        if is_combining_mark(c) {
            continue;
        }
        let now = Spacing::of(c);
        if before.is_some_and(|before| before != now || now == Spacing::Alone) {
            push(&run[start..at], words);
            start = at;
        }
        before = Some(now);
    }
    push(&run[start..], words);
}

/// How a character goes together with those beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spacing {
    /// As a letter of a word.
    Letter,
    /// With other Katakana only.
    Katakana,
    /// It stands alone: Thai, Lao, Burmese, Khmer, Hiragana, Chinese characters.
    Alone,
}

impl Spacing {
    fn of(c: char) -> Self {
        match c {
            '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Self::Katakana,
            '\u{e01}'..='\u{e4f}'
            | '\u{e80}'..='\u{ecf}'
            | '\u{1000}'..='\u{103f}'
            | '\u{1050}'..='\u{108f}'
            | '\u{1780}'..='\u{17df}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3029}'
            | '\u{3041}'..='\u{309f}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Alone,
            _ => Self::Letter,
        }
    }
}

fn push(word: &str, words: &mut String) {
    let end = words.len();
    words.push(' ');
    for c in word.chars() {
        match c {
            'ä' => words.push_str("ae"),
            'ö' => words.push_str("oe"),
            'ü' => words.push_str("ue"),
            'ß' => words.push_str("ss"),
            'ς' => words.push('σ'),
            c if is_apostrophe(c) => {}
            c => words.push(c),
        }
    }
    if words.len() == end + 1 {
        words.truncate(end);
    }
}

/// Characters that make words; the apostrophe is left out later, so that `don't` is one.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '\'';
    }
    is_common_letter(c) || c.is_alphanumeric() || is_apostrophe(c) || is_combining_mark(c)
}

/// Letters and marks of common scripts, told from their blocks alone: looking each up in the tables takes most of the time
/// that a long text needs.
fn is_common_letter(c: char) -> bool {
    matches!(
        c,
        'À'..='Ö'
            | 'Ø'..='ö'
            | 'ø'..='ɏ'
            | '\u{400}'..='\u{481}'
            | '\u{e01}'..='\u{e3a}'
            | '\u{e40}'..='\u{e4e}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
    )
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{2bc}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::{fold, is_combining_mark, is_common_letter, of};

    #[test]
    fn common_letters_are_letters_or_marks() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(
                !is_common_letter(c) || c.is_alphanumeric() || is_combining_mark(c),
                "{c:?}"
            );
        }
    }

    proptest! {

        #[test]
        fn words_end_where_unicode_says(text in "[a-eäé\u{301}0-3жщ分数をどうะกขคำกカタナー가 ,.!-]{0,24}") {
            // Full stops and commas between letters or digits are none of ours: they never hold a word together.
            let apart: String = text.chars().map(|c| if ".,".contains(c) { ' ' } else { c }).collect();
            let expected: String = fold(&apart).unicode_words().map(of).collect();
            // Each of them brings its two spaces.
            prop_assert_eq!(of(&text), expected.replace("  ", " "));
        }
    }
}
