//! A course's own wording of messages, and the texts of a course.

use std::collections::BTreeMap;

use fluent_bundle::FluentValue;

use crate::{Argument, Key, keys::PLACEHOLDERS, text};

/// What the keys begin with that a course may word: what the policy says to students who work in the course. What other
/// services say, what staff read, and what the homework helper says (lessons word that) is the catalogue's alone.
pub const COURSE_KEYS: [&str; 10] = [
    "button-",
    "choose-",
    "course-",
    "exam-",
    "feedback-",
    "meanwhile-",
    "teaching-",
    "tier-",
    "unit-",
    "way-",
];

/// The most characters of a course's own wording.
pub const MOST_WORDING_CHARS: usize = 500;

/// What is wrong with a course's own wording of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordingFault {
    /// There is no such message, or a course may not word it.
    UnknownKey,
    /// A placeholder of the message is missing.
    MissingPlaceholder(&'static str),
    /// The message has no such placeholder.
    UnknownPlaceholder(String),
    /// It has a link in it.
    Link,
    /// It has control characters in it, such as line breaks.
    ControlCharacters,
    /// It has so many characters, more than [`MOST_WORDING_CHARS`].
    TooLong(usize),
}

/// The keys that a course may word, each with the names of its placeholders, in the order of the catalogue.
pub fn course_keys() -> impl Iterator<Item = (Key, &'static [&'static str])> {
    let messages = PLACEHOLDERS.iter().copied();
    messages.filter(|(key, _)| {
        let mut prefixes = COURSE_KEYS.iter();
        prefixes.any(|prefix| key.name().starts_with(prefix))
    })
}

/// What is wrong with this wording of the message of this key; nothing, if a course may have it. A placeholder is
/// `{ $name }`; other braces are text, as in LaTeX.
#[must_use]
pub fn wording_faults(key: &str, wording: &str) -> Vec<WordingFault> {
    let Some((_, known)) = course_keys().find(|(known, _)| known.name() == key) else {
        return vec![WordingFault::UnknownKey];
    };
    let mut faults = Vec::new();
    let found: Vec<&str> = placeholders(wording).map(|piece| piece.name).collect();
    let missing = known.iter().copied().filter(|name| !found.contains(name));
    faults.extend(missing.map(WordingFault::MissingPlaceholder));
    let unknown = found.iter().filter(|name| !known.contains(name));
    faults.extend(unknown.map(|name| WordingFault::UnknownPlaceholder((*name).to_owned())));
    if has_link(wording) {
        faults.push(WordingFault::Link);
    }
    if wording.chars().any(char::is_control) {
        faults.push(WordingFault::ControlCharacters);
    }
    let chars = wording.chars().count();
    if chars > MOST_WORDING_CHARS {
        faults.push(WordingFault::TooLong(chars));
    }
    faults
}

/// The texts of a course: its own wording of messages, above the catalogue's in its language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    locale: String,
    own: BTreeMap<String, String>,
}

impl Texts {
    /// The catalogue's texts in a locale, and above them a course's own wording by key, without faults.
    #[must_use]
    pub fn new(locale: &str, own: BTreeMap<String, String>) -> Self {
        Self {
            locale: locale.to_owned(),
            own,
        }
    }

    /// The locale.
    #[must_use]
    pub fn locale(&self) -> &str {
        &self.locale
    }

    /// The text of a message, with its placeholders filled.
    #[must_use]
    pub fn text(&self, key: Key, arguments: &[Argument]) -> String {
        match self.own.get(key.0) {
            Some(wording) => filled(wording, arguments),
            None => text(&self.locale, key, arguments),
        }
    }
}

/// A wording with its placeholders filled, as far as there are arguments.
fn filled(wording: &str, arguments: &[Argument]) -> String {
    let mut filled = String::with_capacity(wording.len());
    let mut end = 0;
    for piece in placeholders(wording) {
        filled.push_str(&wording[end..piece.start]);
        match arguments.iter().find(|(name, _)| *name == piece.name) {
            Some((_, FluentValue::String(value))) => filled.push_str(value),
            Some((_, FluentValue::Number(value))) => filled.push_str(&value.as_string()),
            _ => filled.push_str(&wording[piece.start..piece.end]),
        }
        end = piece.end;
    }
    filled.push_str(&wording[end..]);
    filled
}

/// A placeholder and where it stands.
struct Placeholder<'w> {
    name: &'w str,
    start: usize,
    end: usize,
}

/// Every `{ $name }` of a wording, in order.
fn placeholders(wording: &str) -> impl Iterator<Item = Placeholder<'_>> {
    wording.match_indices('{').filter_map(move |(start, _)| {
        let (inside, _) = wording[start + 1..].split_once('}')?;
        let name = inside.trim().strip_prefix('$')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
        (starts && name.chars().all(is_name)).then(|| Placeholder {
            name,
            start,
            end: start + inside.len() + 2,
        })
    })
}

/// Whether there is something in a text that a client may show as a link: an address, or a link of Markdown or HTML.
fn has_link(text: &str) -> bool {
    let lower = text.to_lowercase();
    let marks = ["://", "](", "<a ", "mailto:", "www."];
    marks.iter().any(|mark| lower.contains(mark)) || text.split_whitespace().any(is_domain)
}

/// Whether a word is the name of a site, such as `example.org/page`.
fn is_domain(word: &str) -> bool {
    let host = word.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let host = host.trim_matches(|c: char| !c.is_alphanumeric());
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        label.chars().count() > 1 && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let ends = labels.last().is_some_and(|last| {
        last.chars().count() > 1 && last.chars().all(|c| c.is_ascii_lowercase())
    });
    labels.len() > 1 && ends && labels.iter().all(is_label)
}
