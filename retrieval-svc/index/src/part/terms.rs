//! Which terms each row holds, and how often.

use std::ops::Range;

/// The most terms that a part's dictionary may have.
pub(super) const MOST_TERMS: usize = 1 << 24;

/// How often a term occurs, as far as it fits beside its place; what is above stands apart.
const LARGE: u32 = 255;

/// The terms of the rows of a table, as places in the part's dictionary.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    /// Where each row ends in `packed`.
    pub(super) ends: Box<[u32]>,
    /// The term's place times 256, plus how often it occurs, at most 255; rising in each row.
    pub(super) packed: Box<[u32]>,
    /// Where `packed` says 255: its place there, and how often it really is. By place.
    pub(super) large: Box<[(u32, u32)]>,
    /// How many terms each row has, repeated ones included.
    lengths: Box<[u32]>,
}

/// Collects the rows of a [`Terms`].
#[derive(Debug, Default)]
pub(super) struct TermsBuilder {
    ends: Vec<u32>,
    packed: Vec<u32>,
    large: Vec<(u32, u32)>,
}

impl TermsBuilder {
    /// Adds a row: places below [`MOST_TERMS`], rising, each with how often it occurs. `None`: there are too many terms.
    pub(super) fn push(&mut self, terms: impl Iterator<Item = (u32, u32)>) -> Option<()> {
        for (term, times) in terms {
            if times >= LARGE {
                self.large
                    .push((u32::try_from(self.packed.len()).ok()?, times));
            }
            self.packed.push(term << 8 | times.min(LARGE));
        }
        self.ends.push(u32::try_from(self.packed.len()).ok()?);
        Some(())
    }

    /// The rows; `None` if a row is longer than can be counted.
    pub(super) fn build(self) -> Option<Terms> {
        Terms::from_raw(self.ends.into(), self.packed.into(), self.large.into())
    }
}

impl Terms {
    /// Rows from their columns; `None` if these contradict each other.
    pub(super) fn from_raw(
        ends: Box<[u32]>,
        packed: Box<[u32]>,
        large: Box<[(u32, u32)]>,
    ) -> Option<Self> {
        let fits = ends.is_sorted()
            && ends.last().map_or(0, |last| *last as usize) == packed.len()
            && large.is_sorted_by(|(before, _), (after, _)| before < after);
        if !fits {
            return None;
        }
        let mut large_left = &*large;
        let mut lengths = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in &ends {
            let mut length = 0_u32;
            let mut next = 0;
            for place in start..*end {
                let term = packed[place as usize];
                let mut times = term & LARGE;
                if times == LARGE {
                    let ((at, real), rest) = large_left.split_first()?;
                    if *at != place || *real < LARGE {
                        return None;
                    }
                    (times, large_left) = (*real, rest);
                }
                if times == 0 || term >> 8 < next {
                    return None;
                }
                next = (term >> 8) + 1;
                length = length.checked_add(times)?;
            }
            lengths.push(length);
            start = *end;
        }
        large_left.is_empty().then(|| Self {
            ends,
            packed,
            large,
            lengths: lengths.into_boxed_slice(),
        })
    }

    /// A row's terms, packed: place times 256 plus how often, at most 255. With where the first stands in the column.
    pub(crate) fn packed(&self, row: usize) -> (u32, &[u32]) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        (start, &self.packed[start as usize..self.ends[row] as usize])
    }

    /// The terms of rows that stand next to each other, packed, with where the first stands in the column.
    pub(crate) fn packed_rows(&self, rows: Range<usize>) -> (u32, &[u32]) {
        let start = (rows.start.checked_sub(1)).map_or(0, |before| self.ends[before]);
        let end = rows.end.checked_sub(1).map_or(0, |last| self.ends[last]);
        (start, &self.packed[start as usize..end as usize])
    }

    /// Where a row's terms end in the column.
    pub(crate) fn end(&self, row: usize) -> u32 {
        self.ends[row]
    }

    /// The row, among some that rise, whose terms stand at a place of the column.
    pub(crate) fn row_at(&self, at: u32, mut rows: Range<usize>) -> usize {
        rows.find(|row| at < self.ends[*row]).unwrap_or(rows.end)
    }

    /// What a packed term says: the term's place in the dictionary, and how often it occurs. `at` is its place in the
    /// column.
    pub(crate) fn unpack(&self, packed: u32, at: u32) -> (u32, u32) {
        let times = packed & LARGE;
        if times < LARGE {
            return (packed >> 8, times);
        }
        let real = self
            .large
            .binary_search_by_key(&at, |(place, _)| *place)
            .map_or(times, |found| self.large[found].1);
        (packed >> 8, real)
    }

    /// A row's terms: places in the dictionary, rising, with how often they occur.
    pub(crate) fn of(&self, row: usize) -> impl Iterator<Item = (u32, u32)> {
        let (start, packed) = self.packed(row);
        (start..)
            .zip(packed)
            .map(|(at, packed)| self.unpack(*packed, at))
    }

    /// How many terms a row has, repeated ones included.
    pub(crate) fn length(&self, row: usize) -> u32 {
        self.lengths[row]
    }

    /// How many terms all rows have together, repeated ones included.
    pub(super) fn total(&self) -> u64 {
        self.lengths.iter().map(|length| u64::from(*length)).sum()
    }

    /// Above the places of all terms that occur.
    pub(super) fn bound(&self) -> u32 {
        let highest = self.packed.iter().max();
        highest.map_or(0, |packed| (packed >> 8) + 1)
    }

    /// The bytes that the columns take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ends)
            + size_of_val(&*self.packed)
            + size_of_val(&*self.large)
            + size_of_val(&*self.lengths)
    }
}
