//! Ids at the edge.

use crate::Fault;

/// The most characters that an id may have.
pub const MAX_ID_CHARS: usize = 128;

/// Whether `id` matches `[A-Za-z0-9._~@-]{1,128}`.
pub fn is_valid(id: &str) -> bool {
    (1..=MAX_ID_CHARS).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._~@-".contains(&b))
}

/// Refuses an id that does not match `[A-Za-z0-9._~@-]{1,128}`, naming its field.
pub fn check(field: &str, id: &str) -> Result<(), Fault> {
    if is_valid(id) {
        return Ok(());
    }
    let problem = if id.is_empty() {
        "is required"
    } else {
        "must match [A-Za-z0-9._~@-]{1,128}"
    };
    Err(Fault::invalid(field, problem))
}

/// Refuses an idempotency key that is not 1 to 128 visible ASCII characters.
pub fn check_key(field: &str, key: &str) -> Result<(), Fault> {
    if (1..=MAX_ID_CHARS).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(());
    }
    let problem = if key.is_empty() {
        "is required: make a fresh one, such as a UUID, for each new request"
    } else {
        "must be 1 to 128 visible ASCII characters"
    };
    Err(Fault::invalid(field, problem))
}
