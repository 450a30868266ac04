//! How much a term tells about units.
//!
//! `slope` stands in the documents of few units, `answer` in those of all. A document frequency cannot tell the two
//! apart: `hint` and `asymptote` may be equally rare. What tells is how far the units of a term's documents are from the
//! units of all documents: the Kullback-Leibler divergence between the two, as a part of the largest possible (all in one
//! of the units, which are alike), and believed the less the fewer documents there are. In a small course any word may
//! happen to stand in one unit only (`yellow`, `tomorrow`), so words that no unit's title, tags or anchors use count less.

use std::collections::HashSet;

use crate::{
    postings::Postings,
    vocabulary::{TermId, Vocabulary},
};
use turnwise_text::TermKind;

/// Documents that a term needs for its topicality to be believed by half.
const PRIOR: f64 = 5.0;
/// How much a word counts that no unit names as its own.
const UNNAMED: f64 = 0.4;

/// By term: 0 (tells nothing) to 1. Numbers and variables tell nothing: which ones an exercise uses is chance. `named` are
/// the terms of the units' titles, tags and anchors.
pub(crate) fn of_terms(
    postings: &Postings,
    units: usize,
    vocabulary: &Vocabulary,
    named: &HashSet<TermId>,
) -> Vec<f64> {
    let mut background = vec![0.0_f64; units];
    for document in 0..postings.len() as u32 {
        count(postings, document, &mut background);
    }
    let documents: f64 = background.iter().sum();
    // With one unit nothing is to be told.
    let largest = (units.max(2) as f64).ln();

    (0..vocabulary.len() as TermId)
        .map(|term| {
            let list = postings.list(term);
            let weight = match vocabulary.kind(term) {
                TermKind::Word if named.contains(&term) => 1.0,
                TermKind::Word => UNNAMED,
                TermKind::Shape => 1.0,
                TermKind::Number | TermKind::Variable => return 0.0,
            };
            if list.is_empty() {
                return 0.0;
            }
            let mut found = vec![0.0_f64; units];
            for (document, _) in list {
                count(postings, *document, &mut found);
            }
            let holders = list.len() as f64;
            let divergence: f64 = found
                .iter()
                .zip(&background)
                .filter(|(found, _)| **found > 0.0)
                .map(|(found, background)| {
                    let part = found / holders;
                    part * (part / (background / documents)).ln()
                })
                .sum();
            weight * (divergence / largest).clamp(0.0, 1.0) * holders / (holders + PRIOR)
        })
        .collect()
}

/// Adds a document to the units that it speaks of, 1 altogether.
fn count(postings: &Postings, document: u32, units: &mut [f64]) {
    let spoken_of = postings.units_of(document);
    for unit in spoken_of {
        units[unit.at()] += 1.0 / spoken_of.len() as f64;
    }
}
