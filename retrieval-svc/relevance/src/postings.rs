//! Inverted lists over everything that tells what a unit is about, for searches without a scope.

use crate::{bm25::Bm25, terms::WeightedTerms, units::UnitIndex, vocabulary::TermId};

/// A document to be listed: its units, and its terms with how often they occur.
pub(crate) struct Document {
    /// The units it speaks of.
    pub(crate) units: Vec<UnitIndex>,
    /// Its terms, each once.
    pub(crate) terms: Vec<(TermId, u32)>,
}

impl Document {
    /// How many terms it holds, repeated ones counted.
    fn length(&self) -> u32 {
        self.terms.iter().map(|(_, times)| times).sum()
    }
}

/// Inverted lists.
pub(crate) struct Postings {
    /// By term: its inverse document frequency.
    idf: Vec<f64>,
    /// That of a term that no document holds.
    unknown_idf: f64,
    /// By term: where its list starts; one more at the end.
    starts: Vec<u32>,
    /// Documents with what holding the term as often as they do adds to their scores, for each unit of its idf; ascending
    /// within a list.
    entries: Vec<(u32, f64)>,
    /// By document: its units.
    units: Vec<Vec<UnitIndex>>,
}

impl Postings {
    /// Lists documents. `vocabulary` is how many terms the course holds.
    pub(crate) fn new(documents: Vec<Document>, vocabulary: usize) -> Self {
        let mut starts = vec![0_u32; vocabulary + 1];
        for document in &documents {
            for (term, _) in &document.terms {
                starts[*term as usize + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or_default();
        let mut entries = vec![(0, 0.0); total as usize];
        let bm25 = Bm25::new(
            documents.len(),
            documents.iter().map(|one| u64::from(one.length())).sum(),
        );
        let mut units = Vec::with_capacity(documents.len());
        for (number, document) in documents.into_iter().enumerate() {
            let length = document.length();
            for (term, times) in document.terms {
                let place = &mut next[term as usize];
                entries[*place as usize] = (number as u32, bm25.saturation(times, length));
                *place += 1;
            }
            units.push(document.units);
        }
        let holders = starts.windows(2).map(|list| list[1] - list[0]);
        Self {
            idf: holders.map(|holders| bm25.idf(holders)).collect(),
            unknown_idf: bm25.idf(0),
            starts,
            entries,
            units,
        }
    }

    /// The best documents with their scores: score descending, then the documents' order. Documents that match nothing
    /// are left out.
    pub(crate) fn best(&self, query: &WeightedTerms, top: usize) -> Vec<(u32, f64)> {
        let mut scores = vec![0.0_f64; self.len()];
        for (term, weight) in &query.terms {
            let weight = weight * self.idf[*term as usize];
            for (document, saturation) in self.list(*term) {
                scores[*document as usize] += weight * saturation;
            }
        }
        let mut ranked: Vec<(u32, f64)> = (0..)
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .collect();
        let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if top < ranked.len() {
            ranked.select_nth_unstable_by(top, order);
            ranked.truncate(top);
        }
        ranked.sort_unstable_by(order);
        ranked
    }

    /// The highest score that a document could have: every term matched, as often as one likes. Terms that the course
    /// does not hold count as its rarest ones.
    pub(crate) fn ceiling(&self, query: &WeightedTerms) -> f64 {
        let known: f64 = query
            .terms
            .iter()
            .map(|(term, weight)| weight * self.idf[*term as usize])
            .sum();
        Bm25::CEILING * (known + query.unknown * self.unknown_idf)
    }

    /// The documents that hold a term.
    pub(crate) fn list(&self, term: TermId) -> &[(u32, f64)] {
        let term = term as usize;
        &self.entries[self.starts[term] as usize..self.starts[term + 1] as usize]
    }

    /// The units of a document.
    pub(crate) fn units_of(&self, document: u32) -> &[UnitIndex] {
        &self.units[document as usize]
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_the_first_of_all(
            documents in prop::collection::vec(prop::collection::btree_map(0..4_u32, 1..3_u32, 0..4), 0..120),
            top in 0..60_usize,
        ) {
            let documents = documents.into_iter().map(|terms| Document {
                units: Vec::new(),
                terms: terms.into_iter().collect(),
            });
            let postings = Postings::new(documents.collect(), 4);
            let query = WeightedTerms { terms: vec![(0, 1.0), (1, 0.5)], unknown: 0.0 };
            let mut all = postings.best(&query, usize::MAX);
            prop_assert!(all.is_sorted_by(|a, b| a.1 > b.1 || a.1 == b.1 && a.0 < b.0));
            all.truncate(top);
            prop_assert_eq!(postings.best(&query, top), all);
        }
    }
}
