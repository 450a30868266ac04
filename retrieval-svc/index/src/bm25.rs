//! The ranking by words: Okapi BM25.
//!
//! S. Robertson, H. Zaragoza: *The Probabilistic Relevance Framework: BM25 and Beyond*, Foundations and Trends in
//! Information Retrieval 3(4), 2009, equation 3.15, with the customary k1 = 1.2 and b = 0.75. The inverse document
//! frequency is ln(1 + (N - n + 0.5) / (n + 0.5)), which never gets below zero.

/// How fast a repeated term stops to count.
const K1: f64 = 1.2;
/// How much a document's length counts, 0 to 1.
const B: f64 = 0.75;

/// The inverse document frequency of a term that `holders` of so many documents hold.
pub(crate) fn idf(documents: usize, holders: u32) -> f64 {
    let holders = f64::from(holders);
    (1.0 + (documents as f64 - holders + 0.5) / (holders + 0.5)).ln()
}

/// The average length of so many documents with so many terms altogether; 1 where there are none, so that a division by it
/// is defined.
pub(crate) fn average_length(documents: usize, terms: u64) -> f64 {
    if terms == 0 {
        1.0
    } else {
        terms as f64 / documents as f64
    }
}

/// What the length of a document makes of [`K1`].
pub(crate) fn damping(length: u32, average_length: f64) -> f64 {
    K1 * (1.0 - B + B * (f64::from(length) / average_length))
}

/// What a term adds to a document's score for each unit of the term's idf: 0 to 2.2.
pub(crate) fn saturation(times: u32, damping: f64) -> f64 {
    let times = f64::from(times);
    times * (K1 + 1.0) / (times + damping)
}
