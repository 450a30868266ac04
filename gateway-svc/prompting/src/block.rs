//! Delimited blocks of data, which nothing inside them can close.
//!
//! A block is a tag, one line of JSON and the closing tag, each on a line of its own. Inside the JSON no `<` can begin a
//! tag, nothing can begin a new line, and no character is there that people cannot see. What a tag-like `<` becomes is
//! still the same JSON string, so that data comes through whole.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use crate::fault::RenderError;

/// Data as a block of this name.
pub(crate) fn block<T: Serialize>(name: &str, data: &T) -> Result<String, RenderError> {
    let json = json(data)?;
    Ok(format!("<{name}>\n{json}\n</{name}>"))
}

/// Data as one line of JSON, fit to stand in a block.
pub(crate) fn json<T: Serialize>(data: &T) -> Result<String, RenderError> {
    let mut line = Vec::with_capacity(1024);
    data.serialize(&mut Serializer::with_formatter(&mut line, Contained))
        .map_err(RenderError::Json)?;
    String::from_utf8(line).map_err(|error| {
        RenderError::Json(serde::ser::Error::custom(format!(
            "no UTF-8 at {}",
            error.utf8_error().valid_up_to()
        )))
    })
}

/// Writes strings so that they stay inside their block.
struct Contained;

impl Formatter for Contained {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let suspect = |b: u8| b == b'<' || b >= 0x7f;
        if !fragment.bytes().any(suspect) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        for (at, c) in fragment.char_indices() {
            let end = at + c.len_utf8();
            let instead = match c {
                '<' if compares(&fragment[end..]) => continue,
                // The wide and the small form are the same sign to a model.
                '<' | '\u{ff1c}' | '\u{fe64}' => "\\u003c",
                '\u{85}' | '\u{2028}' | '\u{2029}' => "\\n",
                c if is_unseen(c) => "",
                _ => continue,
            };
            writer.write_all(&fragment.as_bytes()[written..at])?;
            writer.write_all(instead.as_bytes())?;
            written = end;
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }

    fn write_char_escape<W>(&mut self, writer: &mut W, char_escape: CharEscape) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        match char_escape {
            CharEscape::AsciiControl(_) | CharEscape::Backspace | CharEscape::FormFeed => Ok(()),
            seen => CompactFormatter.write_char_escape(writer, seen),
        }
    }
}

/// Whether a `<` before this text compares and cannot begin a tag: a number, a sign or a parenthesis follows, or after a
/// space one letter alone. Mathematics stays readable for small models that way.
fn compares(rest: &str) -> bool {
    let after = rest.trim_start_matches(' ');
    let mut chars = after.chars();
    match chars.next() {
        Some('0'..='9' | '=' | '-' | '+' | '(' | '.') => true,
        Some(c) if c.is_ascii_alphabetic() => {
            after.len() < rest.len()
                && !chars
                    .next()
                    .is_some_and(|next| next.is_alphanumeric() || next == '_')
        }
        _ => false,
    }
}

/// Characters that show nothing: controls, soft hyphens, marks of direction, fillers, and tags, which can carry a whole
/// text that nobody sees. The joiners stay, since scripts need them.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
