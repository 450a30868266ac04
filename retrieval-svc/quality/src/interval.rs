//! How sure a figure is: percentile bootstrap over distinct queries.

use std::collections::BTreeMap;

use crate::metrics::{COLUMNS, Worth};

/// How often rows are drawn anew.
const DRAWS: usize = 1_000;
/// Where the draws begin, so that two runs agree.
const SEED: u64 = 6;

/// A figure with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The mean over all rows.
    pub mean: f64,
    /// The 2.5th percentile of the means of the draws.
    pub low: f64,
    /// The 97.5th percentile.
    pub high: f64,
}

/// The figures of all columns. `rows` are what each answer is worth, with a name that equal queries share: they are drawn
/// together.
pub fn figures(rows: &[(String, Worth)]) -> [Figure; COLUMNS.len()] {
    let mut groups: BTreeMap<&str, (Worth, f64)> = BTreeMap::new();
    for (name, worth) in rows {
        let (sum, count) = groups.entry(name).or_default();
        for (sum, worth) in sum.iter_mut().zip(worth) {
            *sum += worth;
        }
        *count += 1.0;
    }
    let groups: Vec<(Worth, f64)> = groups.into_values().collect();
    let mean = mean(groups.iter());
    let mut random = fastrand::Rng::with_seed(SEED);
    let draws: Vec<Worth> = (0..DRAWS)
        .map(|_| self::mean((0..groups.len()).map(|_| &groups[random.usize(..groups.len())])))
        .collect();
    std::array::from_fn(|column| {
        let mut drawn: Vec<f64> = draws.iter().map(|means| means[column]).collect();
        drawn.sort_by(f64::total_cmp);
        Figure {
            mean: mean[column],
            low: drawn[DRAWS / 40],
            high: drawn[DRAWS - 1 - DRAWS / 40],
        }
    })
}

fn mean<'a>(groups: impl Iterator<Item = &'a (Worth, f64)>) -> Worth {
    let (mut sums, mut rows) = (Worth::default(), 0.0);
    for (sum, count) in groups {
        for (total, sum) in sums.iter_mut().zip(sum) {
            *total += sum;
        }
        rows += count;
    }
    sums.map(|sum| if rows > 0.0 { sum / rows } else { 0.0 })
}
