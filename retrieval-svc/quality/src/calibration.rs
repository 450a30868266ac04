//! Whether a confidence means what it says: among units with a confidence around c, a part of c should be right.

use std::{collections::BTreeMap, fmt::Write};

/// How many parts 0..1 is cut into.
const BINS: usize = 10;
/// How many parts the queries are cut into, to see whether parts differ.
const FOLDS: usize = 5;

/// One confidence, and whether the unit was right.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// A name that equal queries share.
    pub query: String,
    /// The confidence.
    pub confidence: f64,
    /// Whether the unit was right.
    pub right: bool,
}

/// The expected calibration error over ten equal bins (Naeini, Cooper and Hauskrecht, AAAI 2015): the mean distance
/// between confidence and part of right ones, 0 (best) to 1.
pub fn error<'a>(predictions: impl IntoIterator<Item = &'a Prediction>) -> f64 {
    let bins = bins(predictions);
    let all: f64 = bins.values().map(|bin| bin.count).sum();
    let off: f64 = bins
        .values()
        .map(|bin| (bin.confidence - bin.right).abs())
        .sum();
    if all > 0.0 { off / all } else { 0.0 }
}

/// The error in each of five folds of the distinct queries: how much it is a matter of which queries were asked.
pub fn errors_by_fold(predictions: &[Prediction]) -> [f64; FOLDS] {
    let mut folds: BTreeMap<&str, usize> = BTreeMap::new();
    for prediction in predictions {
        let next = folds.len() % FOLDS;
        folds.entry(&prediction.query).or_insert(next);
    }
    std::array::from_fn(|fold| {
        error(
            predictions
                .iter()
                .filter(|prediction| folds.get(prediction.query.as_str()) == Some(&fold)),
        )
    })
}

/// A reliability table in markdown.
pub fn table(predictions: &[Prediction]) -> String {
    let mut table = String::from("| confidence | n | mean | right |\n| --- | --- | --- | --- |\n");
    for (place, bin) in bins(predictions) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {:.1} to {:.1} | {} | {:.3} | {:.3} |",
            place as f64 / BINS as f64,
            (place + 1) as f64 / BINS as f64,
            bin.count,
            bin.confidence / bin.count,
            bin.right / bin.count,
        );
    }
    table
}

#[derive(Default)]
struct Bin {
    count: f64,
    confidence: f64,
    right: f64,
}

fn bins<'a>(predictions: impl IntoIterator<Item = &'a Prediction>) -> BTreeMap<usize, Bin> {
    let mut bins: BTreeMap<usize, Bin> = BTreeMap::new();
    for prediction in predictions {
        let place = ((prediction.confidence * BINS as f64) as usize).min(BINS - 1);
        let bin = bins.entry(place).or_default();
        bin.count += 1.0;
        bin.confidence += prediction.confidence;
        bin.right += f64::from(u8::from(prediction.right));
    }
    bins
}
