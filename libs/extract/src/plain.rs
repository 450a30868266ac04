//! Plain text: bytes to text, and text to paragraphs.

use crate::{
    Kind, MAX_INPUT, MAX_TEXT,
    document::{Place, Section},
    error::{ExtractError, Reason},
};

/// The file's text: UTF-8 without byte order mark, lines ended by `\n`, without control characters.
pub(crate) fn decode(name: &str, kind: Kind, bytes: &[u8]) -> Result<String, ExtractError> {
    check_size(name, bytes.len())?;
    if bytes.len() > MAX_TEXT {
        return Err(too_much_text(name));
    }
    if kind == Kind::Pdf || bytes.starts_with(b"%PDF-") {
        return Err(ExtractError::new(
            name,
            Reason::NotText,
            "this is a PDF",
            "read it as one (--kind pdf)",
        ));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        ExtractError::new(
            name,
            Reason::NotText,
            "this is not text in UTF-8",
            "save it as UTF-8 and try again",
        )
        .at(format!("line {line}"))
    })?;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Ok(clean(&text))
}

/// Refuses what is over [`MAX_INPUT`].
pub(crate) fn check_size(name: &str, bytes: usize) -> Result<(), ExtractError> {
    if bytes > MAX_INPUT {
        return Err(ExtractError::new(
            name,
            Reason::TooLarge,
            format!("it has {bytes} bytes, and {MAX_INPUT} is the most"),
            "split it, and add the parts as sources of their own",
        ));
    }
    Ok(())
}

/// The text is over [`MAX_TEXT`].
pub(crate) fn too_much_text(name: &str) -> ExtractError {
    ExtractError::new(
        name,
        Reason::TooLarge,
        format!("it holds more than {MAX_TEXT} bytes of text"),
        "split it, and add the parts as sources of their own",
    )
}

/// The text without control characters; a form feed ends a paragraph.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\x0c' => out.push_str("\n\n"),
            '\n' | '\t' => out.push(c),
            // The byte order mark is a character that nobody sees, wherever it stands.
            '\u{feff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// One section without a heading.
pub(crate) fn read(text: &str) -> Vec<Section> {
    let mut section = Section::default();
    let mut separator = "\n\n";
    for line in text.lines() {
        let line = line.trim_end();
        if line.trim_start().is_empty() {
            separator = "\n\n";
        } else {
            section.push(separator, line, Place::default());
            separator = "\n";
        }
    }
    vec![section]
}
