//! Hashes that stand for names in Redis and where a queue is shown, all of one length, so that what is sorted there by name
//! sorts by rule and no student's name is kept. The student's is part of the contract: `QueueEntry.student_hash`.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::digest::{Context, SHA256};

use crate::{order::EntryId, request::Owner};

/// The bytes of a hash that are kept: enough that nobody finds two names with the same.
const BYTES: usize = 16;
/// What the student of nobody in particular begins with; no hash does.
pub(crate) const NOBODY: char = '~';

/// The hash of some words, 22 signs. Their lengths are hashed too, so other words give another hash.
pub(crate) fn hash(words: &[&str]) -> String {
    let mut hash = Context::new(&SHA256);
    for word in words {
        hash.update(&(word.len() as u64).to_be_bytes());
        hash.update(word.as_bytes());
    }
    URL_SAFE_NO_PAD.encode(&hash.finish().as_ref()[..BYTES])
}

/// The hash of an entry's student. Each entry of nobody in particular is a student of its own.
pub(crate) fn student(owner: &Owner, id: EntryId) -> String {
    if owner.student.is_empty() {
        format!("{NOBODY}{id:021}")
    } else {
        hash(&[&owner.class, &owner.student])
    }
}

/// The hash of an entry's owner; empty for nobody in particular.
pub(crate) fn owner(owner: &Owner) -> String {
    if owner.student.is_empty() {
        return String::new();
    }
    hash(&[&owner.class, &owner.student, &owner.thread, owner.purpose])
}
