//! The bounds of a lesson's scope.

use std::ops::RangeInclusive;

use turnwise_kit::{Fault, ids};
use turnwise_proto::helper::v1::LessonScope;
use turnwise_redaction::is_blank;

const CONTEXT_MAX_CHARS: usize = 500;
const TOPIC_MAX_CHARS: usize = 100;
const MOST_TOPICS: usize = 50;
const LANGUAGE_MAX_CHARS: usize = 35;

/// Refuses a scope that is out of the bounds of [`LessonScope`], naming its field.
///
/// # Errors
///
/// INVALID_ARGUMENT with the field, such as `scope.topics`.
pub fn check_scope(scope: &LessonScope) -> Result<(), Fault> {
    check_words("scope.context", &scope.context, 1..=CONTEXT_MAX_CHARS)?;
    for (field, topics) in [
        ("scope.topics", &scope.topics),
        ("scope.allowed_topics", &scope.allowed_topics),
    ] {
        if topics.len() > MOST_TOPICS {
            let problem = format!(
                "has {} topics; at most {MOST_TOPICS} are read",
                topics.len()
            );
            return Err(Fault::invalid(field, problem));
        }
        for topic in topics {
            check_words(field, topic, 1..=TOPIC_MAX_CHARS)?;
        }
    }
    let is_key = scope.reference.len() <= ids::MAX_ID_CHARS
        && scope
            .reference
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b));
    if !is_key {
        return Err(Fault::invalid(
            "scope.reference",
            "must match [a-z0-9_-]{0,128}",
        ));
    }
    if !scope.language.is_empty() && !is_language_tag(&scope.language) {
        return Err(Fault::invalid(
            "scope.language",
            "must be a BCP 47 tag, such as `de-CH`",
        ));
    }
    Ok(())
}

/// Words on one line.
fn check_words(field: &str, words: &str, chars: RangeInclusive<usize>) -> Result<(), Fault> {
    if !chars.contains(&words.chars().count()) || is_blank(words) {
        let problem = format!("must have {} to {} characters", chars.start(), chars.end());
        return Err(Fault::invalid(field, problem));
    }
    if words.chars().any(|c| c.is_control() || is_unseen(c)) {
        return Err(Fault::invalid(
            field,
            "holds control characters; write it on one line without any",
        ));
    }
    Ok(())
}

/// Line breaks, marks of direction and tags, which nobody sees on a page.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether the text has the shape of a BCP 47 tag without extensions.
fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    text.len() <= LANGUAGE_MAX_CHARS
        && (2..=8).contains(&language.len())
        && language.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}
