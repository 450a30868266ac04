//! A text without the tricks that hide something from a reader of characters: full-width and foreign digits, characters
//! without width, marks, ligatures. Only what is looked for is read from it; the text itself stays as written.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

/// One character of a folded text, and the bytes of the text that it stands for.
pub struct Folded {
    /// The characters.
    pub chars: Vec<char>,
    /// For each of them, its bytes. What was dropped after a character belongs to it.
    pub bytes: Vec<Range<usize>>,
}

/// Folds a text.
pub fn fold(text: &str) -> Folded {
    let mut folded = Folded {
        chars: Vec::with_capacity(text.len()),
        bytes: Vec::with_capacity(text.len()),
    };
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        let before = folded.chars.len();
        fold_char(c, &mut folded.chars);
        if folded.chars.len() == before
            && let Some(last) = folded.bytes.last_mut()
        {
            last.end = end;
        }
        folded.bytes.resize(folded.chars.len(), start..end);
    }
    folded
}

fn fold_char(c: char, out: &mut Vec<char>) {
    if matches!(c, ' '..='~' | '\n' | '\r' | '\t') {
        out.push(c);
    } else if is_invisible(c) {
    } else if let Some(digit) = digit(c) {
        out.push(digit);
    } else if c.is_numeric() {
        // Superscripts, fractions, Roman numerals: mathematics, and not digits of a number.
        out.push(c);
    } else if let Some(plain) = plain(c) {
        out.push(plain);
    } else {
        decompose_compatible(c, |part| {
            if !is_mark(part) {
                out.push(plain(part).unwrap_or(part));
            }
        });
    }
}

/// Whether nothing of a text can be seen: it is white space and characters without width or form.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Characters without width or form of their own: joiners, direction marks, soft hyphens, variation selectors, controls.
fn is_invisible(c: char) -> bool {
    is_mark(c)
        || c.is_control() && c != '\u{85}'
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Marks that stand on another character. A name is the same with and without them, and so in either normal form.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// The plain character that another is written for. The minus sign stays: it is an operator, a hyphen may be none.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{2010}'..='\u{2013}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{3002}' | '\u{ff61}' | '\u{fe52}' | '\u{2024}' => '.',
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{b4}' | '\u{ff07}' => '\'',
        '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\u{1680}' => ' ',
        _ => return None,
    })
}

/// The ASCII digit of a decimal digit of any script, and of a single digit in a circle.
fn digit(c: char) -> Option<char> {
    let code = c as u32;
    let zero = match ZEROS.binary_search(&code) {
        Ok(at) => Some(ZEROS[at]),
        Err(0) => None,
        Err(at) => Some(ZEROS[at - 1]).filter(|zero| code - zero < 10),
    };
    let value = match (zero, code) {
        (Some(zero), _) => code - zero,
        (None, 0x24ea | 0x24ff) => 0,
        (None, 0x2460..=0x2468) => code - 0x245f,
        (None, 0x2776..=0x277e) => code - 0x2775,
        (None, 0x2780..=0x2788) => code - 0x277f,
        (None, 0x278a..=0x2792) => code - 0x2789,
        _ => return None,
    };
    char::from_digit(value, 10)
}

/// The zeros of Unicode 17's decimal digits (general category Nd); nine digits follow each.
const ZEROS: [u32; 77] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x10d40, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0,
    0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50,
    0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70, 0x1ccf0, 0x1d7ce,
    0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e5f1, 0x1e950, 0x1fbf0,
];
