//! A text as weighted terms.

use std::collections::BTreeMap;

use super::vocabulary::{TermId, Vocabulary};
use crate::text::{Analysis, Term, TermKind};

/// How much a term of a query counts. A number or a scrap of a formula agrees by chance more often than a word does;
/// one half was the best of the round figures on the development queries.
pub(super) fn weight(kind: TermKind) -> f64 {
    match kind {
        TermKind::Word | TermKind::Variable => 1.0,
        TermKind::Number | TermKind::Shape => 0.5,
    }
}

/// A query: terms of the course with their weights, by term, and how much weight fell on terms that the course does
/// not hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Query {
    /// Terms that the course holds, ascending.
    pub(super) terms: Vec<(TermId, f64)>,
    /// The weight of all other terms.
    pub(super) unknown: f64,
}

impl Query {
    /// The query that a text makes.
    pub(super) fn of_text(vocabulary: &Vocabulary, analysis: &Analysis) -> Self {
        Self::of_texts(vocabulary, [(1.0, analysis)])
    }

    /// The query that several texts make together, each with its own weight.
    pub(super) fn of_texts<'a>(
        vocabulary: &Vocabulary,
        texts: impl IntoIterator<Item = (f64, &'a Analysis)>,
    ) -> Self {
        // Ordered maps: sums of floats must not depend on a hasher's seed.
        let mut terms: BTreeMap<TermId, f64> = BTreeMap::new();
        let mut unknown = 0.0;
        for (text_weight, analysis) in texts {
            for (term, times) in counts(analysis) {
                // A word said twice means more, but not twice as much.
                let weight = text_weight * weight(term.kind) * (1.0 + f64::from(times).ln());
                match vocabulary.id(term) {
                    Some(id) => *terms.entry(id).or_default() += weight,
                    None => unknown += weight,
                }
            }
        }
        Self {
            terms: terms.into_iter().collect(),
            unknown,
        }
    }
}

fn counts(analysis: &Analysis) -> BTreeMap<&Term, u32> {
    let mut counts = BTreeMap::new();
    for term in &analysis.terms {
        *counts.entry(term).or_default() += 1;
    }
    counts
}
