//! The terms of a part, sorted, and quick to look up in.

use super::strings::Strings;

/// How many terms have one head.
const GROUP: usize = 32;

/// Sorted terms, each once.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    terms: Strings,
    /// The [`head`] of the first term of each [`GROUP`]. They lie together, so that a look-up waits for memory a few times
    /// and not at every halving.
    heads: Box<[u64]>,
}

/// The first eight bytes as a number. Of two terms, the greater one's is no smaller.
fn head(term: &str) -> u64 {
    let mut bytes = [0; 8];
    for (byte, of_term) in bytes.iter_mut().zip(term.bytes()) {
        *byte = of_term;
    }
    u64::from_be_bytes(bytes)
}

impl Dictionary {
    /// Of terms that rise strictly.
    pub(super) fn of(terms: Strings) -> Self {
        let places = (0..terms.len()).step_by(GROUP);
        let heads = places.map(|place| head(terms.get(place))).collect();
        Self { terms, heads }
    }

    /// The terms.
    pub(super) fn terms(&self) -> &Strings {
        &self.terms
    }

    /// The place of a term.
    pub(super) fn find(&self, term: &str) -> Option<usize> {
        let head = head(term);
        // It stands in the last group that begins with less, or in one that begins alike.
        let from = self.heads.partition_point(|first| *first < head);
        let alike = self.heads[from..].partition_point(|first| *first == head);
        let (mut low, mut high) = (
            from.saturating_sub(1) * GROUP,
            self.terms.len().min((from + alike) * GROUP),
        );
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.terms.get(middle).cmp(term) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.terms.bytes() + size_of_val(&*self.heads)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_term_is_found_and_no_other(
            terms in prop::collection::btree_set("[ab\\x00é]{0,12}", 0..300),
            others in prop::collection::vec("[ab\\x00é]{0,12}", 0..50),
        ) {
            let strings = Strings::of(terms.iter().map(String::as_str)).unwrap();
            let dictionary = Dictionary::of(strings);
            for (place, term) in terms.iter().enumerate() {
                prop_assert_eq!(dictionary.find(term), Some(place));
            }
            let others: BTreeSet<String> = others.into_iter().collect();
            for other in others.difference(&terms) {
                prop_assert_eq!(dictionary.find(other), None);
            }
        }
    }
}
