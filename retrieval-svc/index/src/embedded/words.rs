//! The BM25 scores of rows: one pass over their terms.

use std::ops::Range;

use crate::{Part, bm25, part::table::Table};

/// How many terms are looked up together. Looking up has no branches, so there is none to foresee wrongly but those for
/// each match.
const TOGETHER: usize = 8;

/// How many terms the table tells apart: few enough that it stays in the processor's nearest cache beside the rows.
const TABLE: usize = 1 << 13;

/// The terms of a query as one part knows them.
pub(super) struct Words {
    /// By the lower 13 bits of a term's place in the dictionary: 0, or one more than its place in `worth`, at most 255.
    /// Terms may share an entry, so it is only a hint. Zeros between searches.
    hints: Box<[u8; TABLE]>,
    /// Places in the dictionary, rising, each with what a saturation of 1 is worth.
    worth: Vec<(u32, f64)>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            hints: Box::new([0; TABLE]),
            worth: Vec::new(),
        }
    }
}

/// Where the hint of a term stands.
fn slot(place: u32) -> usize {
    place as usize % TABLE
}

impl Words {
    /// Takes in the terms of a query, each with its weight times its idf.
    pub(super) fn set(&mut self, part: &Part, query: &[(&str, f64)]) {
        let known = query.iter().filter_map(|(term, worth)| {
            let place = part.find_term(term)?;
            Some((place, *worth))
        });
        self.worth.extend(known);
        self.worth.sort_unstable_by_key(|(place, _)| *place);
        for (hint, (place, _)) in (1_usize..).zip(&self.worth) {
            self.hints[slot(*place)] = hint.min(255) as u8;
        }
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        for (place, _) in self.worth.drain(..) {
            self.hints[slot(place)] = 0;
        }
    }

    /// What a term of the dictionary is worth; 0 if the query does not have it.
    fn worth(&self, place: u32) -> f64 {
        let hint = usize::from(self.hints[slot(place)]);
        match self.worth.get(hint.wrapping_sub(1)) {
            Some((found, worth)) if *found == place => *worth,
            _ => (self.worth)
                .binary_search_by_key(&place, |(place, _)| *place)
                .map_or(0.0, |found| self.worth[found].1),
        }
    }

    /// Scores rows of a table of that part; tells of those that hold a term. Terms are added ascending by bytes.
    pub(super) fn score(
        &self,
        table: &Table,
        rows: Range<usize>,
        mut found: impl FnMut(usize, f64),
    ) {
        if self.worth.is_empty() {
            return;
        }
        for row in rows {
            let score = self.score_row(table, row);
            if score > 0.0 {
                found(row, score);
            }
        }
    }

    fn score_row(&self, table: &Table, row: usize) -> f64 {
        let terms = table.terms();
        let (mut start, packed) = terms.packed(row);
        let damping = bm25::damping(terms.length(row), table.average_length());
        let mut score = 0.0;
        let mut add = |at: u32, packed: u32| {
            let (place, times) = terms.unpack(packed, at);
            score += self.worth(place) * bm25::saturation(times, damping);
        };
        let (blocks, rest) = packed.as_chunks::<TOGETHER>();
        for block in blocks {
            let hint = |packed: &u32| self.hints[slot(packed >> 8)];
            if block.iter().fold(0, |any, packed| any | hint(packed)) != 0 {
                for (at, packed) in (start..).zip(block) {
                    if hint(packed) != 0 {
                        add(at, *packed);
                    }
                }
            }
            start += TOGETHER as u32;
        }
        for (at, packed) in (start..).zip(rest) {
            if self.hints[slot(packed >> 8)] != 0 {
                add(at, *packed);
            }
        }
        score
    }
}
