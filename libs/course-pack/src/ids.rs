//! How ids and keys of a pack are spelled.

/// The rule for ids, as a remedy.
pub(crate) const RULE: &str =
    "use 1 to 128 characters out of A-Z, a-z, 0-9 and `.`, `_`, `~`, `@`, `-`, without spaces";

/// Whether this is an id as units, questions and courses have it: `[A-Za-z0-9._~@-]{1,128}`.
#[must_use]
pub fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._~@-".contains(&b))
}

/// Whether this is a reference's key: `[a-z0-9_-]{1,128}`.
#[must_use]
pub fn is_reference_key(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
}
