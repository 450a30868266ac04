//! DOT's syntax: how text is written so that Graphviz reads it as text.

use std::fmt::Write;

/// How wide a title may be before it is broken, in characters.
const WIDTH: usize = 20;

/// A word that is longer is cut; a shorter one stands out a little and stays whole.
const LONGEST_WORD: usize = 2 * WIDTH;

/// The most lines of a title.
const MOST_LINES: usize = 6;

/// Writes `text` as a quoted string that stands for exactly this text in a label.
///
/// Graphviz reads backslashes and HTML's entities in labels, and writes what it is given into its XML; so a character
/// that XML does not have is shown as the replacement character.
pub(super) fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("\\n"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Writes a list of attributes, each with a blank before it.
pub(super) fn attributes(out: &mut String, attributes: &[(&str, &str)]) {
    out.push_str(" [");
    for (i, (name, value)) in attributes.iter().enumerate() {
        let gap = if i == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(out, "{gap}{name}=");
        quote(out, value);
    }
    out.push(']');
}

/// Breaks a title into lines at blanks and line ends; what does not fit at all is cut off, with a mark.
pub(super) fn broken(title: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut width = WIDTH;
    for word in title.split_whitespace().flat_map(pieces) {
        let length = word.chars().count();
        if lines.is_empty() || width + 1 + length > WIDTH {
            lines.push(word);
            width = length;
        } else if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(&word);
            width += 1 + length;
        }
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            if let Some(line) = lines.last_mut() {
                line.push('…');
            }
            break;
        }
    }
    lines
}

/// The word, or pieces of it if it is far too long for a line.
fn pieces(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() <= LONGEST_WORD {
        return vec![word.to_owned()];
    }
    letters
        .chunks(WIDTH)
        .map(|piece| piece.iter().collect())
        .collect()
}
