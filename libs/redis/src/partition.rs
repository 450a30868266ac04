//! Names of partitions.

use std::borrow::Cow;

/// A name that can be a part of a partition's: without braces, as a cluster goes by what stands before the first one.
/// Different names stay different; one without braces and per cent signs stays as it is.
pub fn without_braces(name: &str) -> Cow<'_, str> {
    if !name.contains(['{', '}', '%']) {
        return name.into();
    }
    name.replace('%', "%25")
        .replace('{', "%7B")
        .replace('}', "%7D")
        .into()
}
