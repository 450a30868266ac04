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
    let better = |one: &(K, f64), other: &(K, f64)| {
        (other.1.partial_cmp(&one.1))
            .filter(|order| order.is_ne())
            .unwrap_or_else(|| ids(one.0, other.0))
    };
    if depth == 0 {
        ranking.clear();
    } else if depth < ranking.len() {
        ranking.select_nth_unstable_by(depth - 1, better);
        ranking.truncate(depth);
    }
    ranking.sort_unstable_by(better);
}

/// Fuses two rankings, each cut and sorted by [`best`]: the best `top`, best first; among equal scores the first by `ids`.
pub fn fuse<K: Copy + Ord>(
    lexical: &[(K, f64)],
    dense: &[(K, f64)],
    fusion: &Fusion,
    top: usize,
    ids: impl Fn(K, K) -> Ordering,
) -> Vec<Fused<K>> {
    let by_words = ranked(lexical).map(|(key, ranked)| (key, Some(ranked), None));
    let by_meaning = ranked(dense).map(|(key, ranked)| (key, None, Some(ranked)));
    let mut rows: Vec<_> = by_words.chain(by_meaning).collect();
    rows.sort_unstable_by_key(|(key, lexical, _)| (*key, lexical.is_none()));
    rows.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.2 = kept.2.or(later.2);
        }
        same
    });
    let share = |weight: f64, place: Option<Ranked>| {
        place.map_or(0.0, |place| weight / (fusion.k + f64::from(place.rank)))
    };
    let mut scores: Vec<((usize, K), f64)> = (rows.iter().enumerate())
        .map(|(at, (key, lexical, dense))| {
            let score = share(fusion.lexical, *lexical) + share(fusion.dense, *dense);
            ((at, *key), score)
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    best(&mut scores, top, |one, other| ids(one.1, other.1));
    scores
        .into_iter()
        .map(|((at, key), score)| Fused {
            key,
            score,
            lexical: rows[at].1,
            dense: rows[at].2,
        })
        .collect()
}

/// The places of a sorted ranking, from 1. Equal scores share the better place.
fn ranked<K: Copy>(ranking: &[(K, f64)]) -> impl Iterator<Item = (K, Ranked)> {
    let mut last: Option<Ranked> = None;
    (1..).zip(ranking).map(move |(place, (key, score))| {
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
    })
}
