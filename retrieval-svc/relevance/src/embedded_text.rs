//! What a vector is made from: text as people wrote it, with one spelling for signs. A model has its own idea of words, so
//! nothing is stemmed or left out.

use sha2::{Digest, Sha256};
use turnwise_retrieval_index::ContentHash;
use turnwise_text::normalise_signs;

/// Characters of a turn that are embedded, at most; models read some 250 pieces of words and pass over the rest.
const MAX_TURN_CHARS: usize = 1_000;
/// Earlier messages that are embedded with a message, at most.
const MAX_TURNS: usize = 4;

/// A heading and the text below it.
pub(crate) fn of_passage(heading: &str, text: &str) -> String {
    if heading.is_empty() {
        return normalise_signs(text);
    }
    normalise_signs(&format!("{heading}. {text}"))
}

/// A message and those before it, the latest first, in the order in which they were said. Of the earlier ones, those that
/// fit: a model must not pass over the message itself.
pub(crate) fn of_turn<'a>(text: &'a str, recent: impl Iterator<Item = &'a str>) -> String {
    let mut room = MAX_TURN_CHARS.saturating_sub(text.chars().count());
    let mut parts = vec![text];
    for earlier in recent.take(MAX_TURNS) {
        let length = earlier.chars().count() + 1;
        if length > room {
            break;
        }
        room -= length;
        parts.push(earlier);
    }
    parts.reverse();
    normalise_signs(&parts.join(" "))
}

/// SHA-256 of a text.
pub(crate) fn hash(text: &str) -> ContentHash {
    Sha256::digest(text).into()
}
