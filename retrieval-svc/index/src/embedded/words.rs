//! The BM25 scores of rows: one pass over their terms.

use std::ops::Range;

use super::prefetch;
use crate::{Part, bm25, part::table::Table};

/// How many terms are looked up together. Looking up has no branches, so none are foreseen wrongly.
const TOGETHER: usize = 1 << 12;

/// How many terms are first looked at as one.
const GROUP: usize = 8;

/// How many terms the table tells apart: few enough that it stays in the processor's nearest cache.
const TABLE: usize = 1 << 13;

/// Marks a hint.
const MARK: u8 = 1 << 7;

/// The terms of a query as one part knows them.
pub(super) struct Words {
    /// By the lower 13 bits of a term's place in the dictionary: 0, or [`MARK`] and its place in `worth`, at most 127. Terms
    /// may share an entry, so it is only a hint. Zeros between searches.
    hints: Box<[u8; TABLE]>,
    /// Places in the dictionary, rising, each with what a saturation of 1 is worth.
    worth: Vec<(u32, f64)>,
    /// Which groups among the terms that are looked up together have a hint.
    groups: Box<[u16; TOGETHER / GROUP]>,
    /// Where terms with a hint stand among those that are looked up together.
    matching: Box<[u16; TOGETHER]>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            hints: Box::new([0; TABLE]),
            worth: Vec::new(),
            groups: Box::new([0; TOGETHER / GROUP]),
            matching: Box::new([0; TOGETHER]),
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
        for (at, (place, _)) in self.worth.iter().enumerate() {
            self.hints[slot(*place)] = MARK | at.min(127) as u8;
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
        let hint = usize::from(self.hints[slot(place)] & !MARK);
        match self.worth.get(hint) {
            Some((found, worth)) if *found == place => *worth,
            _ => (self.worth)
                .binary_search_by_key(&place, |(place, _)| *place)
                .map_or(0.0, |found| self.worth[found].1),
        }
    }

    /// Scores rows of a table of that part; tells of those that hold a term. Terms are added ascending by bytes.
    pub(super) fn score(
        &mut self,
        table: &Table,
        rows: Range<usize>,
        mut found: impl FnMut(usize, f64),
    ) {
        if self.worth.is_empty() || rows.is_empty() {
            return;
        }
        let terms = table.terms();
        let (mut start, packed) = terms.packed_rows(rows.clone());
        // The row at hand, where it ends, and its score so far.
        let (mut row, mut end, mut damping, mut score) = (rows.start, start, 0.0, 0.0);
        for block in packed.chunks(TOGETHER) {
            prefetch::touch(block);
            for lane in 0..self.look_up(block) {
                let lane = self.matching[lane];
                let (packed, at) = (block[usize::from(lane)], start + u32::from(lane));
                if at >= end {
                    if score > 0.0 {
                        found(row, score);
                    }
                    row = terms.row_at(at, row..rows.end);
                    end = terms.end(row);
                    damping = bm25::damping(terms.length(row), table.average_length());
                    score = 0.0;
                }
                let (place, times) = terms.unpack(packed, at);
                score += self.worth(place) * bm25::saturation(times, damping);
            }
            start += block.len() as u32;
        }
        if score > 0.0 {
            found(row, score);
        }
    }

    /// Notes where terms with a hint stand, and counts them: first which groups have one at all, then which terms of those.
    fn look_up(&mut self, block: &[u32]) -> usize {
        let marked = |packed: u32| self.hints[slot(packed >> 8)];
        // What is no match is overwritten by the next.
        let (groups, rest) = block.as_chunks::<GROUP>();
        let mut some = 0;
        for (group, packed) in (0..).zip(groups) {
            self.groups[some % self.groups.len()] = group;
            let any = packed.iter().fold(0, |any, packed| any | marked(*packed));
            some += usize::from(any / MARK);
        }
        let mut count = 0;
        let mut note = |lane: usize, packed: u32| {
            self.matching[count % TOGETHER] = lane as u16;
            count += usize::from(marked(packed) / MARK);
        };
        for group in &self.groups[..some] {
            let group = usize::from(*group);
            for (lane, packed) in groups[group].iter().enumerate() {
                note(group * GROUP + lane, *packed);
            }
        }
        for (lane, packed) in rest.iter().enumerate() {
            note(groups.len() * GROUP + lane, *packed);
        }
        count
    }
}
