//! Which parts of an artifact fit a text best.
//!
//! A part is its words and those of its name, in lower case; `snake_case` and `camelCase` are several. It scores
//! Σ ln(1 + N / nᵥ) / √m over the words v that it has in common with the text, each once: N parts in all, nᵥ of them with
//! the word, m different words in the part. So rare words count for more than common ones, and a long part has no
//! advantage. Equal scores: the earlier part is first.

use std::collections::{HashMap, HashSet};

use super::Piece;

/// The parts that have a word in common with the text, by number, the best first.
pub(super) fn rank(content: &str, pieces: &[Piece], text: &str) -> Vec<usize> {
    let mut wanted: HashMap<String, usize> = HashMap::new();
    words(text, &mut |word| {
        let next = wanted.len();
        wanted.entry(word.to_owned()).or_insert(next);
    });
    let mut parts_with = vec![0_usize; wanted.len()];
    let mut matches: Vec<(usize, Vec<usize>, usize)> = Vec::new();
    let mut distinct = HashSet::new();
    for (number, piece) in pieces.iter().enumerate() {
        let mut common = Vec::new();
        distinct.clear();
        for range in [&piece.name, &piece.range] {
            words(&content[range.clone()], &mut |word| {
                if !distinct.contains(word) {
                    distinct.insert(word.to_owned());
                    common.extend(wanted.get(word).copied());
                }
            });
        }
        if !common.is_empty() {
            // The order of a sum is part of its value.
            common.sort_unstable();
            for word in &common {
                parts_with[*word] += 1;
            }
            matches.push((number, common, distinct.len()));
        }
    }
    let mut scored: Vec<(f64, usize)> = matches
        .into_iter()
        .map(|(number, common, distinct)| {
            let rarity = |word: &usize| (1.0 + pieces.len() as f64 / parts_with[*word] as f64).ln();
            let sum: f64 = common.iter().map(rarity).sum();
            (sum / (distinct as f64).sqrt(), number)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, number)| number).collect()
}

/// Calls `each` with the words of the text, in lower case.
fn words(text: &str, each: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let ends = !c.is_alphanumeric() || was_lower && c.is_uppercase();
        if ends && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(&word);
    }
}
