//! Runs of letters of a text that must not be repeated, as hashes, and where another text holds them.

use crate::Letters;

/// The letters of a run. Every copy of a little more than this holds one whole run, whatever stands between the words.
pub const RUN: usize = 18;

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hashes of the runs of a text: one from the beginning of each word and one up to the end of each clause, none over
/// the end of a clause. In order, each once.
#[must_use]
pub fn runs(text: &str) -> Vec<u64> {
    let letters = Letters::of(text);
    let mut found = Vec::new();
    let mut clause_start = 0;
    for &end in &letters.clause_ends {
        let words = letters.word_starts.iter().copied();
        let last = end.checked_sub(RUN).filter(|last| *last >= clause_start);
        let starts = words
            .filter(|start| *start >= clause_start && last.is_some_and(|last| *start <= last))
            .chain(last);
        found.extend(starts.map(|start| hash_of(&letters.letters[start..start + RUN])));
        clause_start = end;
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn hash_of(letters: &[char]) -> u64 {
    letters
        .iter()
        .fold(0, |hash, letter| step(hash, *letter))
        .wrapping_mul(FACTOR)
}

fn step(hash: u64, letter: char) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(u64::from(letter))
}

/// Hashed runs, ready to be looked for.
#[derive(Debug, Clone, Default)]
pub struct RunSet {
    /// In order.
    hashes: Vec<u64>,
    /// A bit for each value of the highest bits: most letters begin no run, and this says so at once.
    filter: Vec<u64>,
}

const FILTER_BITS: u32 = 15;

/// What of a set a text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The runs, in order, each once.
    pub runs: Vec<u64>,
    /// The letters of the longest passage that such runs cover without a gap.
    pub longest: usize,
}

impl RunSet {
    /// A set of these hashes, in any order.
    #[must_use]
    pub fn new(mut hashes: Vec<u64>) -> Self {
        if !hashes.is_sorted() {
            hashes.sort_unstable();
        }
        let words = match hashes.is_empty() {
            true => 0,
            false => 1 << (FILTER_BITS - 6),
        };
        let mut filter = vec![0; words];
        for hash in &hashes {
            let at = hash >> (64 - FILTER_BITS);
            filter[(at >> 6) as usize] |= 1 << (at & 63);
        }
        Self { hashes, filter }
    }

    /// A number that stands for the set; 0: it holds nothing.
    #[must_use]
    pub fn name(&self) -> u64 {
        match self.hashes.is_empty() {
            true => 0,
            false => crate::hash(self.hashes.iter().flat_map(|hash| hash.to_le_bytes())),
        }
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Whether it holds a hash.
    #[must_use]
    pub fn contains(&self, hash: u64) -> bool {
        let at = hash >> (64 - FILTER_BITS);
        let word = self
            .filter
            .get((at >> 6) as usize)
            .copied()
            .unwrap_or_default();
        word & (1 << (at & 63)) != 0 && self.hashes.binary_search(&hash).is_ok()
    }

    /// What the letters hold of it, from whichever letter on.
    #[must_use]
    pub fn find(&self, letters: &Letters) -> Found {
        let mut found = Found::default();
        if self.hashes.is_empty() || letters.len() < RUN {
            return found;
        }
        let first = (1..RUN).fold(1u64, |power, _| power.wrapping_mul(FACTOR));
        let mut rolling = 0u64;
        let (mut from, mut to) = (0, 0);
        for (at, letter) in letters.letters.iter().enumerate() {
            if at >= RUN {
                let left = u64::from(letters.letters[at - RUN]);
                rolling = rolling.wrapping_sub(left.wrapping_mul(first));
            }
            rolling = step(rolling, *letter);
            let hash = rolling.wrapping_mul(FACTOR);
            if at + 1 >= RUN && self.contains(hash) {
                let start = at + 1 - RUN;
                if start > to || found.runs.is_empty() {
                    from = start;
                }
                to = at + 1;
                found.longest = found.longest.max(to - from);
                found.runs.push(hash);
            }
        }
        found.runs.sort_unstable();
        found.runs.dedup();
        found
    }
}
