//! Removes what identifies a person from text, before it is stored, logged, traced or sent to a model.
//!
//! | module | what is in it |
//! |---|---|
//! | `fold` | a text without the tricks of Unicode, and the way back to the text as written |
//! | `text` | the folded text at work: its words, and what has been found in it |
//! | `email`, `web`, `number` | the finders of e-mail addresses, web addresses, and numbers |
//! | `roster`, `names` | a class's names, and the finder of them |
//!
//! Mathematics is never changed. A group of digits is a phone or card number only with a cue word, a plus prefix, a
//! national grouping with no operator beside it, a place as a whole string of JSON, or a valid check digit and an
//! issuer's prefix. The work is linear in the text's length, and no text makes it fail.

mod email;
mod fold;
mod names;
mod number;
mod roster;
mod text;
mod web;

use std::{borrow::Cow, fmt, ops::Range};

use text::Text;

pub use fold::is_blank;
pub use roster::{MAX_NAME_CHARS, MAX_NAMES, Roster, RosterError, cue_words};

/// What was found; its `Display` is the word in brackets that stands for it afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// The number of a payment card.
    Card,
    /// Another number of a person: social security, national insurance, bank account, passport, student number.
    Id,
    /// A web address that carries a user's data.
    WebAddress,
    /// A name of the roster.
    Name,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Email,
        Self::Phone,
        Self::Card,
        Self::Id,
        Self::WebAddress,
        Self::Name,
    ];

    /// The word in brackets that stands for what was found.
    pub const fn replacement(self) -> &'static str {
        match self {
            Self::Email => "[e-mail]",
            Self::Phone => "[phone]",
            Self::Card => "[card number]",
            Self::Id => "[id number]",
            Self::WebAddress => "[web address]",
            Self::Name => "[name]",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.replacement())
    }
}

/// One place of a text that identifies a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The bytes of the text, on character boundaries.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// How often the finders look again. One find can uncover another (a number freed of its neighbour); two rounds are
/// enough for what people write, and a bound keeps the work linear for what they do not.
const MAX_ROUNDS: usize = 8;

/// The places of a text that identify a person, in order and apart from each other.
pub fn find(text: &str, roster: &Roster) -> Vec<Finding> {
    if roster.is_empty() && shows_nothing(text.as_bytes()) {
        return Vec::new();
    }
    let mut work = Text::new(text);
    for _ in 0..MAX_ROUNDS {
        let before = work.found();
        web::find(&mut work);
        email::find(&mut work);
        names::find(&mut work, roster);
        number::find(&mut work);
        if work.found() == before {
            break;
        }
    }
    work.into_findings()
}

/// Whether a look at its bytes shows that only a name could be found in a text: they fold to themselves, no at sign or dot
/// is that of an address, in words or not, and the digits are too few for a number.
fn shows_nothing(text: &[u8]) -> bool {
    let is_plain = |c: &u8| matches!(c, b' '..=b'~' | b'\n' | b'\r' | b'\t') && *c != b'@';
    let joins = |pair: &[u8]| match pair {
        [b'.', next] => !next.is_ascii_whitespace(),
        pair => pair == b":/",
    };
    let has = |word: &[u8]| {
        let mut parts = text.windows(word.len());
        parts.any(|part| part.eq_ignore_ascii_case(word))
    };
    text.iter().all(is_plain)
        && text.iter().filter(|c| c.is_ascii_digit()).count() < number::FEWEST_DIGITS
        && !text.windows(2).any(joins)
        && !has(b"dot")
        && !has(b"point")
}

/// The text without e-mail addresses, phone, card and ID numbers, and web addresses with user data. Nothing to remove:
/// the very text, borrowed.
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_with(text, &Roster::default())
}

/// The same as [`redact`], and without the names of the roster.
pub fn redact_with<'a>(text: &'a str, roster: &Roster) -> Cow<'a, str> {
    let findings = find(text, roster);
    if findings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut written = 0;
    for finding in findings {
        out.push_str(&text[written..finding.range.start]);
        out.push_str(finding.kind.replacement());
        written = finding.range.end;
    }
    out.push_str(&text[written..]);
    Cow::Owned(out)
}
