//! Text that cannot be seen, or that changes how what stands around it is seen.

use unicode_normalization::char::is_combining_mark;

/// The most combining marks on one letter: more are drawn over other lines.
const MOST_MARKS: usize = 2;

/// Whether a text holds something that cannot be seen, or a text that is not empty shows nothing.
pub(crate) fn is_found(text: &str) -> bool {
    if text.is_ascii() {
        let is_hidden = |b: u8| b.is_ascii_control() && !matches!(b, b'\n' | b'\r' | b'\t');
        return text.bytes().any(is_hidden);
    }
    let mut marks = 0;
    let mut stands_on = false;
    for c in text.chars() {
        if is_hidden(c) {
            return true;
        }
        if !c.is_ascii() && is_combining_mark(c) {
            marks += 1;
            // Enclosing marks and variation selectors of emoji stand on signs; a letter's mark needs a letter.
            if marks > MOST_MARKS || !stands_on {
                return true;
            }
        } else {
            marks = 0;
            stands_on = !c.is_whitespace();
        }
    }
    false
}

/// Control characters, characters without a width, marks of direction, tags, private use, and what is no character.
/// The joiner and the variation selector of emoji are let through: they are everywhere in ordinary text.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(
            c,
            '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200c}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0e}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{ffff}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{e0000}'..='\u{10ffff}'
        )
}
