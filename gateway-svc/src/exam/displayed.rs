//! What a client may show of help: a bounded text without control characters, and an address on the web.

/// The most bytes of a text; more is cut.
const TEXT_MAX_BYTES: usize = 32_768;
/// The most bytes of an address.
const ADDRESS_MAX_BYTES: usize = 2_048;

/// A text as it may be shown.
pub(super) fn text(text: &str) -> String {
    text[..text.floor_char_boundary(TEXT_MAX_BYTES)]
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\t' | '\n'))
        .collect()
}

/// Whether this is an address that a client may open.
pub(super) fn is_web_address(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://"))
        && text.len() <= ADDRESS_MAX_BYTES
        && text
            .parse::<http::Uri>()
            .is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

/// The first address in a text; empty where there is none.
pub(super) fn address_in(text: &str) -> &str {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| "<>()[],;.!?\"'".contains(c)))
        .find(|word| is_web_address(word))
        .unwrap_or_default()
}
