//! The ranking function: Okapi BM25.
//!
//! S. Robertson, H. Zaragoza: *The Probabilistic Relevance Framework: BM25 and Beyond*, Foundations and Trends in
//! Information Retrieval 3(4), 2009, equation 3.15, with the customary k1 = 1.2 and b = 0.75. The inverse document
//! frequency is `ln(1 + (N - n + 0.5) / (n + 0.5))`, which never gets below zero.

/// How fast a repeated term stops to count.
const K1: f64 = 1.2;
/// How much a document's length counts, 0 to 1.
const B: f64 = 0.75;

/// What BM25 needs to know of a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bm25 {
    documents: f64,
    average_length: f64,
}

impl Bm25 {
    /// For a collection of so many documents with so many terms altogether.
    pub(crate) fn new(documents: usize, terms: u64) -> Self {
        Self {
            documents: documents as f64,
            // An empty collection is never asked; 1 keeps the division defined.
            average_length: if terms == 0 {
                1.0
            } else {
                terms as f64 / documents as f64
            },
        }
    }

    /// The inverse document frequency of a term that so many documents hold.
    pub(crate) fn idf(&self, holders: u32) -> f64 {
        let holders = f64::from(holders);
        (1.0 + (self.documents - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// What a term adds to a document's score for each unit of the term's idf: 0 to [`Bm25::CEILING`].
    pub(crate) fn saturation(&self, times: u32, length: u32) -> f64 {
        let times = f64::from(times);
        let relative = f64::from(length) / self.average_length;
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * relative))
    }

    /// The most that [`Bm25::saturation`] approaches.
    pub(crate) const CEILING: f64 = K1 + 1.0;
}
