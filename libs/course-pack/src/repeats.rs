//! Texts that stand in a list more than once.

use std::collections::HashMap;

/// The place of each text that stood before, and the place where it stood first.
pub(crate) fn repeats<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<(usize, usize)> {
    let mut firsts = HashMap::new();
    let mut found = Vec::new();
    for (n, text) in texts.enumerate() {
        let first = *firsts.entry(text).or_insert(n);
        if first < n {
            found.push((n, first));
        }
    }
    found
}
