//! Tokens: hashes that stand for names in Redis, all of one length, so that what is sorted there by name sorts by rule and
//! no pupil's name is kept.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::digest::{Context, SHA256};

use crate::{ask::Owner, order::EntryId};

/// The bytes of a hash that are kept: enough that nobody finds two names with the same.
const BYTES: usize = 16;

/// The token of some words, 22 signs. Their lengths are hashed too, so other words give another token.
pub(super) fn token(words: &[&str]) -> String {
    let mut hash = Context::new(&SHA256);
    for word in words {
        hash.update(&(word.len() as u64).to_be_bytes());
        hash.update(word.as_bytes());
    }
    URL_SAFE_NO_PAD.encode(&hash.finish().as_ref()[..BYTES])
}

/// The token of an entry's pupil. Each entry of nobody in particular is a pupil of its own.
pub(super) fn pupil(owner: &Owner, id: EntryId) -> String {
    if owner.pupil.is_empty() {
        format!("~{id:021}")
    } else {
        token(&[&owner.class, &owner.pupil])
    }
}

/// The token of an entry's owner; empty for nobody in particular.
pub(super) fn owner(owner: &Owner) -> String {
    if owner.pupil.is_empty() {
        return String::new();
    }
    token(&[&owner.class, &owner.pupil, &owner.thread, owner.purpose])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_one_length_and_tell_words_apart() {
        let nobody = Owner {
            class: "class".to_owned(),
            pupil: String::new(),
            thread: String::new(),
            purpose: "turn",
        };
        assert_eq!(token(&["ab", "c"]).len(), 22);
        assert_eq!(pupil(&nobody, EntryId::MAX).len(), 22);
        assert_ne!(token(&["ab", "c"]), token(&["a", "bc"]));
        assert_ne!(pupil(&nobody, 1), pupil(&nobody, 2));
    }
}
