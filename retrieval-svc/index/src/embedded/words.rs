//! The BM25 scores of rows: one pass over their terms.

use std::ops::Range;

use crate::{
    Part, bm25,
    part::{table::Table, terms::Terms},
};

/// How many words of bits the filter has: 64 Ki bits, so that it stays in the nearest cache.
const FILTER: usize = 1024;

/// How many terms are tried against the filter at once. Hardly any term is of the query, so one branch for all is foreseen.
const AT_ONCE: usize = 8;

/// The terms of a query as one part knows them.
pub(super) struct Words {
    /// A bit for the lower 16 bits of each term's place in the dictionary. Zeros between searches.
    filter: Box<[u64; FILTER]>,
    /// Places in the dictionary, rising, each with what a saturation of 1 is worth.
    worth: Vec<(u32, f64)>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            filter: Box::new([0; FILTER]),
            worth: Vec::new(),
        }
    }
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
        for (place, _) in &self.worth {
            self.filter[slot(*place)] |= 1 << (place % 64);
        }
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        for (place, _) in self.worth.drain(..) {
            self.filter[slot(place)] = 0;
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
        let (start, packed) = terms.packed(row);
        let (blocks, rest) = packed.as_chunks::<AT_ONCE>();
        let mut sum = Sum {
            score: 0.0,
            worth: &self.worth,
            damping: None,
        };
        let mut at = start;
        for block in blocks {
            let passes = block
                .iter()
                .fold(0, |passes, packed| passes | self.passes(*packed));
            if passes & 1 == 1 {
                sum.add(table, terms, row, at, block);
            }
            at += AT_ONCE as u32;
        }
        sum.add(table, terms, row, at, rest);
        sum.score
    }

    /// The lowest bit is 1 if the filter lets a packed term pass.
    fn passes(&self, packed: u32) -> u64 {
        let place = packed >> 8;
        self.filter[slot(place)] >> (place % 64)
    }
}

/// Where a term stands in the filter.
fn slot(place: u32) -> usize {
    place as usize / 64 % FILTER
}

/// A row's score as it grows.
struct Sum<'a> {
    score: f64,
    /// The query's terms that may still come.
    worth: &'a [(u32, f64)],
    damping: Option<f64>,
}

impl Sum<'_> {
    /// Adds those of some terms that are the query's. `at` is where the first stands in the column.
    fn add(&mut self, table: &Table, terms: &Terms, row: usize, at: u32, packed: &[u32]) {
        for (at, packed) in (at..).zip(packed) {
            let place = packed >> 8;
            while let [(next, worth), rest @ ..] = self.worth
                && *next <= place
            {
                self.worth = rest;
                if *next == place {
                    let damping = *self.damping.get_or_insert_with(|| {
                        bm25::damping(terms.length(row), table.average_length())
                    });
                    let (_, times) = terms.unpack(*packed, at);
                    self.score += worth * bm25::saturation(times, damping);
                }
            }
        }
    }
}
