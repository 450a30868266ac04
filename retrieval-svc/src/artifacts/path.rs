//! Key paths of JSON, written in the dotted form.

pub(super) use turnwise_course_pack::key_path::parse;

/// Adds a member's key to a path in the dotted form.
pub(super) fn push_key(path: &mut String, key: &str) {
    let mut bytes = key.bytes();
    let plain = bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if plain {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        return;
    }
    path.push_str("['");
    for c in key.chars() {
        if matches!(c, '\'' | '\\') {
            path.push('\\');
        }
        path.push(c);
    }
    path.push_str("']");
}

/// Adds an element's number to a path in the dotted form.
pub(super) fn push_index(path: &mut String, index: usize) {
    path.push_str(&format!("[{index}]"));
}

/// The number of an element, as a pointer writes it: digits without a leading zero.
pub(super) fn index(step: &str) -> Option<usize> {
    let digits = step.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = step.len() > 1 && step.starts_with('0');
    (digits && !leading_zero).then(|| step.parse().ok())?
}
