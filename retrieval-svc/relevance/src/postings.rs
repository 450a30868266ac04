//! Inverted lists over everything that tells what a unit is about, for searches without a scope.

use crate::{bm25::Bm25, terms::WeightedTerms, units::UnitIndex, vocabulary::TermId};

/// A document to be listed: its units, and its terms with how often they occur.
pub(crate) struct Document {
    /// The units it speaks of.
    pub(crate) units: Vec<UnitIndex>,
    /// Its terms, each once.
    pub(crate) terms: Vec<(TermId, u32)>,
}

/// Inverted lists.
pub(crate) struct Postings {
    bm25: Bm25,
    /// By term: where its list starts; one more at the end.
    starts: Vec<u32>,
    /// Documents with how often they hold the term; ascending within a list.
    entries: Vec<(u32, u32)>,
    /// By document: how many terms it holds, repeated ones counted.
    lengths: Vec<u32>,
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
        let mut entries = vec![(0, 0); total as usize];
        let mut lengths = Vec::with_capacity(documents.len());
        let mut units = Vec::with_capacity(documents.len());
        for (number, document) in documents.into_iter().enumerate() {
            let mut length = 0;
            for (term, times) in document.terms {
                let place = &mut next[term as usize];
                entries[*place as usize] = (number as u32, times);
                *place += 1;
                length += times;
            }
            lengths.push(length);
            units.push(document.units);
        }
        let bm25 = Bm25::new(
            lengths.len(),
            lengths.iter().map(|length| u64::from(*length)).sum(),
        );
        Self {
            bm25,
            starts,
            entries,
            lengths,
            units,
        }
    }

    /// The best documents with their scores: score descending, then the documents' order. Documents that match nothing
    /// are left out.
    pub(crate) fn best(&self, query: &WeightedTerms, top: usize) -> Vec<(u32, f64)> {
        let mut scores = vec![0.0_f64; self.lengths.len()];
        for (term, weight) in &query.terms {
            let list = self.list(*term);
            let weight = weight * self.idf(*term);
            for (document, times) in list {
                let length = self.lengths[*document as usize];
                scores[*document as usize] += weight * self.bm25.saturation(*times, length);
            }
        }
        let mut ranked: Vec<(u32, f64)> = (0..)
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .collect();
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.truncate(top);
        ranked
    }

    /// The highest score that a document could have: every term matched, as often as one likes. Terms that the course
    /// does not hold count as its rarest ones.
    pub(crate) fn ceiling(&self, query: &WeightedTerms) -> f64 {
        let known: f64 = query
            .terms
            .iter()
            .map(|(term, weight)| weight * self.idf(*term))
            .sum();
        Bm25::CEILING * (known + query.unknown * self.bm25.idf(0))
    }

    /// The documents that hold a term.
    pub(crate) fn list(&self, term: TermId) -> &[(u32, u32)] {
        let term = term as usize;
        &self.entries[self.starts[term] as usize..self.starts[term + 1] as usize]
    }

    /// The units of a document.
    pub(crate) fn units_of(&self, document: u32) -> &[UnitIndex] {
        &self.units[document as usize]
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    fn idf(&self, term: TermId) -> f64 {
        self.bm25.idf(self.list(term).len() as u32)
    }
}
