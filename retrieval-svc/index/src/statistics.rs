//! How rare terms are in a course: what makes a match on one worth more than on another.

use std::{collections::HashMap, iter};

use crate::{Part, bm25, document::Namespace};

/// How many documents of each namespace hold each term, over all parts of an index.
#[derive(Debug, Default)]
pub struct Statistics {
    documents: [usize; Namespace::ALL.len()],
    holders: HashMap<Box<str>, [u32; Namespace::ALL.len()]>,
    /// By how many documents hold a term: its inverse document frequency.
    idf: [Vec<f64>; Namespace::ALL.len()],
}

impl Statistics {
    /// Counts parts. A document that is in several parts counts in each.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Self {
        let mut all = Self::default();
        for part in parts {
            let mut holders = vec![[0_u32; Namespace::ALL.len()]; part.terms()];
            for namespace in Namespace::ALL {
                let table = part.table(namespace);
                all.documents[namespace as usize] += table.len();
                for row in 0..table.len() {
                    for packed in table.terms().packed(row).1 {
                        holders[(packed >> 8) as usize][namespace as usize] += 1;
                    }
                }
            }
            for (place, counts) in (0..).zip(holders) {
                let term = part.term(place);
                let Some(sums) = all.holders.get_mut(term) else {
                    all.holders.insert(term.into(), counts);
                    continue;
                };
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum = sum.saturating_add(count);
                }
            }
        }
        all.weighed()
    }

    /// The counts of several sets of parts together, so that a part's can be kept without the part.
    pub fn sum<'a>(counts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for counts in counts {
            for (sum, documents) in all.documents.iter_mut().zip(counts.documents) {
                *sum += documents;
            }
            for (term, holders) in &counts.holders {
                let Some(sums) = all.holders.get_mut(term) else {
                    all.holders.insert(term.clone(), *holders);
                    continue;
                };
                for (sum, count) in sums.iter_mut().zip(holders) {
                    *sum = sum.saturating_add(*count);
                }
            }
        }
        all.weighed()
    }

    /// With the frequencies that the counts come to.
    fn weighed(mut self) -> Self {
        for namespace in Namespace::ALL {
            let holders = self
                .holders
                .values()
                .map(|counts| counts[namespace as usize]);
            let rest = 1..=holders.max().unwrap_or_default();
            let idf = rest.map(|holders| bm25::idf(self.documents(namespace), holders));
            self.idf[namespace as usize] = iter::once(0.0).chain(idf).collect();
        }
        self
    }

    /// The inverse document frequency of a term, ln(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Spärck Jones, smoothed);
    /// 0 for a term that no document holds.
    pub fn idf(&self, namespace: Namespace, term: &str) -> f64 {
        self.holders.get(term).map_or(0.0, |counts| {
            self.idf[namespace as usize][counts[namespace as usize] as usize]
        })
    }

    /// How many documents a namespace has.
    pub fn documents(&self, namespace: Namespace) -> usize {
        self.documents[namespace as usize]
    }
}
