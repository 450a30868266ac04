//! Forms of a text that its disguises share.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A text with letters that look Latin as Latin ones, and digits of other scripts as those of ours.
pub(crate) fn looking_latin(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let look = |c: char| match c.is_ascii() {
        true => c,
        false => digit(c).unwrap_or_else(|| like_latin(c)),
    };
    text.chars().map(look).collect()
}

/// The digits of some scripts by their zeros, and digits in circles by what would be theirs.
const ZEROS: [char; 11] = [
    '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{be6}', '\u{e50}',
    '\u{2775}', '\u{277f}', '\u{2789}',
];

/// The digits of Chinese and Japanese, by their values.
const HAN: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

fn digit(c: char) -> Option<char> {
    if let Some(value) = HAN.iter().position(|digit| *digit == c) {
        return char::from_digit(u32::try_from(value).ok()?, 10);
    }
    let values = ZEROS
        .iter()
        .filter_map(|zero| u32::from(c).checked_sub(u32::from(*zero)));
    let value = values.into_iter().find(|value| *value < 10)?;
    char::from_digit(value, 10)
}

/// A text in lower case and in compatibility form, with letters that look Latin as Latin ones and without marks.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
            continue;
        }
        match c {
            '\u{e4}' | '\u{f6}' | '\u{fc}' | '\u{df}' => folded.push(c),
            '\u{c4}' => folded.push('ä'),
            '\u{d6}' => folded.push('ö'),
            '\u{dc}' => folded.push('ü'),
            c => c
                .nfkd()
                .filter(|c| !is_combining_mark(*c))
                .flat_map(char::to_lowercase)
                .for_each(|c| folded.push(like_latin(c))),
        }
    }
    folded
}

fn like_latin(c: char) -> char {
    match c {
        'а' | 'ɑ' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'є' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ı' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' => 'k',
        'м' => 'm',
        'о' | 'ο' | 'օ' => 'o',
        'р' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' => 't',
        'ν' | 'ѵ' => 'v',
        'ԝ' => 'w',
        'х' => 'x',
        'у' => 'y',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        other => other,
    }
}

/// A text in the form that patterns are looked for in: words in lower case with Latin letters, one space between, before the
/// first and after the last, without apostrophes and the dots of umlauts, and each sentence's end as `.`, `?` or `!` among
/// them.
#[must_use]
pub fn plain_words(text: &str) -> String {
    plain(&folded(text))
}

/// The words of a text with one space between, before the first and after the last, and each sentence's end as `.`, `?`
/// or `!` among them. Apostrophes are left out; umlauts lose their dots.
pub(crate) fn plain(folded: &str) -> String {
    let mut plain = String::with_capacity(folded.len() + 16);
    plain.push(' ');
    let ends = |plain: &mut String, c: Option<char>| {
        if plain.as_bytes().last() != Some(&b' ') {
            plain.push(' ');
        }
        if let Some(c) = c
            && !matches!(plain.as_bytes(), [.., b' ', b'.' | b'?' | b'!', b' '])
            && plain.len() > 1
        {
            plain.push(c);
            plain.push(' ');
        }
    };
    let mut chars = folded.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '`' | '*' | '_' => {}
            'ä' => plain.push('a'),
            'ö' => plain.push('o'),
            'ü' => plain.push('u'),
            'ß' => plain.push_str("ss"),
            '?' | '!' | '\n' | '…' | ':' | ';' | '–' | '—' => ends(
                &mut plain,
                Some(match c {
                    '?' => '?',
                    '!' => '!',
                    _ => '.',
                }),
            ),
            '.' if chars.peek().is_none_or(|next| !next.is_alphanumeric()) => {
                ends(&mut plain, Some('.'))
            }
            ',' => {
                ends(&mut plain, None);
                plain.push_str(", ");
            }
            c if c.is_alphanumeric() => plain.push(c),
            _ => ends(&mut plain, None),
        }
    }
    ends(&mut plain, Some('.'));
    plain
}
