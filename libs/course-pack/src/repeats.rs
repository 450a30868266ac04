//! Texts that stand in a list more than once.

use std::collections::HashMap;

/// Lists up to this length are compared pair by pair, which is quicker and takes no memory.
const FEW: usize = 16;

/// The place of each text that stood before, and the place where it stood first.
pub(crate) fn repeats<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if texts.clone().nth(FEW).is_none() {
        for (n, text) in texts.clone().enumerate() {
            if let Some(first) = texts.clone().take(n).position(|earlier| earlier == text) {
                found.push((n, first));
            }
        }
        return found;
    }
    let mut firsts = HashMap::new();
    for (n, text) in texts.enumerate() {
        let first = *firsts.entry(text).or_insert(n);
        if first < n {
            found.push((n, first));
        }
    }
    found
}
