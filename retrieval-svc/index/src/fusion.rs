//! Two rankings become one: weighted reciprocal rank fusion.

use std::cmp::Ordering;

use crate::engine::{Fusion, Ranked};

/// A row with its places in both rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fused<K> {
    /// The row.
    pub key: K,
    /// The fused score, above 0.
    pub score: f64,
    /// Its place by words.
    pub lexical: Option<Ranked>,
    /// Its place by meaning.
    pub dense: Option<Ranked>,
}

/// Cuts a ranking to its best `depth` rows, best first; among equal scores the first by `ids`. Scores are not NaN.
pub fn best<K: Copy>(ranking: &mut Vec<(K, f64)>, depth: usize, ids: impl Fn(K, K) -> Ordering) {
    // Whole numbers sort several times faster than rows do: the score, then where the row stands.
    let mut keys: Vec<u128> = (0..)
        .zip(&*ranking)
        .map(|(at, (_, score))| u128::from(descending(*score)) << 64 | at)
        .collect();
    if depth == 0 {
        keys.clear();
    } else if depth < keys.len() {
        let last = *keys.select_nth_unstable(depth - 1).1 >> 64;
        // Rows as good as the last stay until the ids have decided.
        keys.retain(|key| key >> 64 <= last);
    }
    keys.sort_unstable();
    let mut sorted: Vec<(K, f64)> = (keys.iter())
        .filter_map(|key| ranking.get(*key as u64 as usize).copied())
        .collect();
    for equal in sorted.chunk_by_mut(|one, other| one.1 == other.1) {
        if equal.len() > 1 {
            equal.sort_unstable_by(|one, other| ids(one.0, other.0));
        }
    }
    sorted.truncate(depth);
    *ranking = sorted;
}

/// A number that is the smaller, the larger a score is; the same for both zeros.
fn descending(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    let ascending = if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    };
    !ascending
}

/// Fuses two rankings, each cut and sorted by [`best`]: the best `top`, best first; among equal scores the first by `ids`.
pub fn fuse<K: Copy + Ord>(
    lexical: &[(K, f64)],
    dense: &[(K, f64)],
    fusion: &Fusion,
    top: usize,
    ids: impl Fn(K, K) -> Ordering,
) -> Vec<Fused<K>> {
    let by_words = ranked(lexical);
    let mut by_meaning = ranked(dense);
    by_meaning.sort_unstable_by_key(|(key, _)| *key);
    let mut in_both = vec![false; by_meaning.len()];
    let share = |weight: f64, place: Option<Ranked>| {
        place.map_or(0.0, |place| weight / (fusion.k + f64::from(place.rank)))
    };
    let row = |key: K, lexical: Option<Ranked>, dense: Option<Ranked>| Fused {
        key,
        score: share(fusion.lexical, lexical) + share(fusion.dense, dense),
        lexical,
        dense,
    };
    let mut rows = Vec::with_capacity(by_words.len() + by_meaning.len());
    for (key, lexical) in by_words {
        let found = by_meaning.binary_search_by_key(&key, |(key, _)| *key).ok();
        if let Some(at) = found {
            in_both[at] = true;
        }
        rows.push(row(key, Some(lexical), found.map(|at| by_meaning[at].1)));
    }
    for ((key, dense), _) in by_meaning
        .into_iter()
        .zip(in_both)
        .filter(|(_, both)| !both)
    {
        rows.push(row(key, None, Some(dense)));
    }
    let mut scores: Vec<((usize, K), f64)> = (rows.iter().enumerate())
        .map(|(at, row)| ((at, row.key), row.score))
        .filter(|(_, score)| *score > 0.0)
        .collect();
    best(&mut scores, top, |one, other| ids(one.1, other.1));
    scores.into_iter().map(|((at, _), _)| rows[at]).collect()
}

/// The places of a sorted ranking, from 1. Equal scores share the better place.
fn ranked<K: Copy>(ranking: &[(K, f64)]) -> Vec<(K, Ranked)> {
    let mut last: Option<Ranked> = None;
    let places = (1..).zip(ranking);
    let ranked = places.map(|(place, (key, score))| {
        let rank = match last {
            Some(last) if last.score == *score => last.rank,
            _ => place,
        };
        let ranked = Ranked {
            score: *score,
            rank,
        };
        last = Some(ranked);
        (*key, ranked)
    });
    ranked.collect()
}
