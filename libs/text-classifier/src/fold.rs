//! One form for text that people spell in many.

use unicode_normalization::{
    IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfkc_quick,
};

/// A text's letters in one form: compatibility forms resolved (NFKC), in lower case, without characters that show nothing.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = run(rest, |c| c.is_ascii());
        let mut other = run(&rest[ascii..], |c| !c.is_ascii());
        // A mark may join the letter before it; otherwise ASCII stays as it is.
        let joins = rest[ascii..].chars().next().is_some_and(is_combining_mark);
        let plain = ascii - usize::from(joins && ascii > 0);
        folded.extend(rest[..plain].chars().map(|c| c.to_ascii_lowercase()));
        other += ascii - plain;
        let (special, after) = rest[plain..].split_at(other);
        if is_nfkc_quick(special.chars()) == IsNormalized::Yes {
            lower(special.chars(), &mut folded);
        } else {
            lower(special.nfkc(), &mut folded);
        }
        rest = after;
    }
    folded
}

/// How many bytes at the beginning are of such characters.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn lower(chars: impl Iterator<Item = char>, folded: &mut String) {
    for c in chars {
        match c {
            c if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            c if is_unseen(c) => {}
            c => folded.extend(c.to_lowercase()),
        }
    }
}

/// Characters that show nothing and that evasions put into words.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
