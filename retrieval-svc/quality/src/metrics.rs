//! What an answer is worth.

use std::collections::{BTreeMap, BTreeSet};

/// The columns of a table, in order.
pub const COLUMNS: [&str; 6] = ["R@1", "hit@3", "hit@6", "MRR", "nDCG@10", "scoped nDCG@10"];

/// The definitions, as they are printed with every table.
pub const DEFINITIONS: &str = "\
R@1, hit@3, hit@6: part of the queries with a right unit among the first 1, 3, 6. MRR: mean of 1/rank of the first right
unit, 0 if none is named. nDCG@10: over the ten best chunks of the whole course; the gain of a chunk is 2 if it is listed as
best, else 1 if its unit is right (linear gains), discounted by log2(rank + 1), as a part of the best possible ten. Scoped: the
same with six units in scope: the right ones and their nearest neighbours in course order. A hit that matched nothing
does not count. All rows count; distinct queries stand beside them. In brackets: 95 % bootstrap intervals over distinct
queries (1,000 draws). Units: MapMessage's own code, at most six. By search: the units of the 40 best chunks of an
unscoped search, each voting with 1/(60 + rank); nothing is held back there, while MapMessage holds back what says too
little.";

/// What one answer is worth, in the order of [`COLUMNS`].
pub type Worth = [f64; COLUMNS.len()];

/// The four figures of a ranking of units, best first.
pub fn of_units<'a>(
    ranked: impl IntoIterator<Item = &'a str>,
    right: &BTreeSet<String>,
) -> [f64; 4] {
    let Some(place) = ranked.into_iter().position(|unit| right.contains(unit)) else {
        return [0.0; 4];
    };
    let within = |count| f64::from(u8::from(place < count));
    [within(1), within(3), within(6), 1.0 / (place + 1) as f64]
}

/// The normalised discounted cumulative gain of ten places. `gains` are those of the ranking; `all` those of everything
/// that could have been found.
pub fn ndcg_at_10(gains: &[f64], all: &[f64]) -> f64 {
    let mut ideal = all.to_vec();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best = dcg(&ideal);
    if best > 0.0 { dcg(gains) / best } else { 0.0 }
}

fn dcg(gains: &[f64]) -> f64 {
    gains
        .iter()
        .take(10)
        .enumerate()
        .map(|(place, gain)| gain / ((place + 2) as f64).log2())
        .sum()
}

/// The units of ranked chunks, best first: each chunk votes for its unit with 1/(60 + rank), as
/// rankings are fused; equals go by id.
pub fn units_by_vote<'a>(ranked: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut votes: BTreeMap<&str, f64> = BTreeMap::new();
    for (place, unit) in ranked.into_iter().enumerate() {
        *votes.entry(unit).or_default() += 1.0 / (61 + place) as f64;
    }
    let mut votes: Vec<(&str, f64)> = votes.into_iter().collect();
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    votes.into_iter().map(|(unit, _)| unit).collect()
}

/// Six units: the right ones and their nearest neighbours in course order, the earlier of two that are equally near.
pub fn scope<'a>(course: &'a [String], right: &BTreeSet<String>) -> Vec<&'a str> {
    let places: Vec<usize> = (0..course.len())
        .filter(|place| right.contains(&course[*place]))
        .collect();
    let mut by_distance: Vec<usize> = (0..course.len()).collect();
    by_distance.sort_by_key(|place| {
        let distance = places.iter().map(|right| right.abs_diff(*place)).min();
        (distance, *place)
    });
    by_distance.truncate(6);
    by_distance
        .into_iter()
        .map(|place| course[place].as_str())
        .collect()
}
