//! Removes what identifies a person from a student's text, before it is stored, logged, traced or sent to a model.
//!
//! E-mail addresses, web addresses with user data, and phone numbers with a plus prefix or a cue word are replaced by a
//! word in brackets. Mathematics is never changed: a group of digits alone is a number.

use std::borrow::Cow;

use regex::{Captures, Regex};

/// The patterns, compiled once.
pub struct Redactor {
    email: Regex,
    web_user: Regex,
    plus_phone: Regex,
    cued_phone: Regex,
}

impl Redactor {
    /// Compiles the patterns.
    pub fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            email: Regex::new(
                r"[\p{L}\p{N}._%+-]*[\p{L}\p{N}_%+-]\s?@\s?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
            )?,
            web_user: Regex::new(r"(?i)\bhttps?://[^\s/@]+@\S+")?,
            // A word (two letters or more) or the beginning before the plus: `x +44…` is a sum, `me +44…` is a number.
            plus_phone: Regex::new(
                r"(?P<before>^\s*|[\p{L}]{2,}[:,]?\s+)\+\d{1,3}(?:[ -]?\(?\d\)?){7,12}",
            )?,
            cued_phone: Regex::new(
                r"(?i)(?P<before>\b(?:phone|mobile|cell|tel|telephone|whatsapp|call me|text me|ring me)\b[^\d\n=+*/^]{0,16})(?:\d[ -]?){6,14}\d",
            )?,
        })
    }

    /// The text without what identifies a person.
    pub fn redact(&self, text: &str) -> String {
        let plain = fold(text);
        let out = self.web_user.replace_all(&plain, "[web address]");
        let out = replace(&self.email, out, |_| "[e-mail]".to_owned());
        let phone = |c: &Captures<'_>| format!("{}[phone]", &c["before"]);
        let out = replace(&self.plus_phone, out, phone);
        let out = replace(&self.cued_phone, out, phone);
        if out == plain {
            // Nothing personal: the text stays exactly as it was written.
            text.to_owned()
        } else {
            out.into_owned()
        }
    }
}

fn replace<'a>(
    pattern: &Regex,
    text: Cow<'a, str>,
    by: impl Fn(&Captures<'_>) -> String,
) -> Cow<'a, str> {
    match pattern.replace_all(&text, by) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => Cow::Owned(changed),
    }
}

/// Undoes tricks that hide an address from a pattern: full-width ASCII, and characters without width. Nothing else is
/// changed, so that a superscript stays one.
fn fold(text: &str) -> String {
    text.chars()
        .filter(|c| {
            !matches!(
                c,
                '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{00ad}'
            )
        })
        .map(|c| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
            '\u{3000}' => ' ',
            c => c,
        })
        .collect()
}
