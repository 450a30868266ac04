//! Search by the letter of the contract, over plain documents: slow, and without any code of the engine.

use std::collections::{BTreeMap, BTreeSet};

use turnwise_retrieval_index::{Document, Filter, Namespace, Query, Ranked};

/// What a search must find.
#[derive(Debug, PartialEq)]
pub struct Expected {
    pub id: Box<str>,
    pub units: Vec<Box<str>>,
    pub score: f64,
    pub lexical: Option<Ranked>,
    pub dense: Option<Ranked>,
}

/// Searches the documents of parts.
pub fn search(
    parts: &[Vec<Document>],
    namespace: Namespace,
    query: &Query,
    filter: &Filter,
    top: usize,
) -> Vec<Expected> {
    let rows = |part: &usize| {
        parts[*part]
            .iter()
            .filter(move |row| row.namespace == namespace)
    };
    let places: Vec<usize> = (0..parts.len()).collect();
    let documents = places.iter().flat_map(rows).count() as f64;
    let idf = |term: &str| {
        let holds = |row: &&Document| row.terms.iter().any(|(held, _)| &**held == term);
        let holders = places.iter().flat_map(rows).filter(holds).count() as f64;
        if holders == 0.0 {
            0.0
        } else {
            (1.0 + (documents - holders + 0.5) / (holders + 0.5)).ln()
        }
    };
    let mut seen = BTreeSet::new();
    let mut by_words = Vec::new();
    let mut by_meaning = Vec::new();
    let mut found = BTreeMap::new();
    for part in &places {
        let count = rows(part).count() as f64;
        let length = |row: &Document| {
            row.terms
                .iter()
                .map(|(_, times)| f64::from(*times))
                .sum::<f64>()
        };
        let total: f64 = rows(part).map(length).sum();
        let average = if total == 0.0 { 1.0 } else { total / count };
        for row in rows(part) {
            if !seen.insert(row.id.clone()) || !passes(row, filter) {
                continue;
            }
            found.insert(row.id.clone(), row);
            let mut terms = row.terms.clone();
            terms.sort();
            let mut score = 0.0;
            for (term, times) in &terms {
                if let Some((_, weight)) = query.terms.iter().find(|(asked, _)| asked == term) {
                    let times = f64::from(*times);
                    let damping = 1.2 * (1.0 - 0.75 + 0.75 * (length(row) / average));
                    score += weight * idf(term) * (times * (1.2 + 1.0) / (times + damping));
                }
            }
            if score > 0.0 {
                by_words.push((row.id.clone(), score));
            }
            if let (Some(asked), Some(vector)) = (&query.vector, &row.vector) {
                by_meaning.push((row.id.clone(), f64::from(dot(asked, vector))));
            }
        }
    }
    let by_words = ranks(by_words, query.fusion.depth);
    let by_meaning = ranks(by_meaning, query.fusion.depth);
    let share = |weight: f64, place: Option<&Ranked>| match place {
        Some(place) => weight / (query.fusion.k + f64::from(place.rank)),
        None => 0.0,
    };
    let mut hits: Vec<Expected> = found
        .into_iter()
        .map(|(id, row)| {
            let (lexical, dense) = (by_words.get(&id), by_meaning.get(&id));
            Expected {
                units: row.units.clone(),
                score: share(query.fusion.lexical, lexical) + share(query.fusion.dense, dense),
                lexical: lexical.copied(),
                dense: dense.copied(),
                id,
            }
        })
        .filter(|hit| hit.score > 0.0)
        .collect();
    hits.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.id.cmp(&other.id))
    });
    hits.truncate(top);
    hits
}

fn passes(row: &Document, filter: &Filter) -> bool {
    let unit = match &filter.units {
        None => true,
        Some(units) => units.iter().any(|unit| row.units.contains(unit)),
    };
    unit && (filter.tier.is_none() || row.tier == filter.tier)
}

/// The best by score and id, each with its place; equal scores share the better one.
fn ranks(mut rows: Vec<(Box<str>, f64)>, depth: usize) -> BTreeMap<Box<str>, Ranked> {
    rows.sort_by(|one, other| {
        other
            .1
            .partial_cmp(&one.1)
            .unwrap()
            .then(one.0.cmp(&other.0))
    });
    rows.truncate(depth);
    let better = |score: f64| rows.iter().filter(|(_, other)| *other > score).count();
    rows.iter()
        .map(|(id, score)| {
            let rank = better(*score) as u32 + 1;
            (
                id.clone(),
                Ranked {
                    score: *score,
                    rank,
                },
            )
        })
        .collect()
}

/// Value i counts to sum i mod 16; then halves are added until one sum is left.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    for (place, (one, other)) in one.iter().zip(other).enumerate() {
        sums[place % 16] += one * other;
    }
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0]
}
