//! Hashes of words and features. They are part of the format of weights: another hash is another model.

pub(crate) const SEED: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds a byte to the hash of a word.
pub(crate) fn step(hash: u64, byte: u8) -> u64 {
    (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(FACTOR)
}

/// The hash of a word.
pub(crate) fn word(word: &[u8]) -> u64 {
    word.iter().fold(SEED, |hash, byte| step(hash, *byte))
}

/// Joins hashes in this order.
pub(crate) fn join(first: u64, second: u64) -> u64 {
    (first.rotate_left(23) ^ second).wrapping_mul(FACTOR)
}

/// Spreads a hash over all its bits; the highest are the best.
pub(crate) fn spread(hash: u64) -> u64 {
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// A small map of hashes, by open addressing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// A power of two, at most a quarter of them used.
    slots: Vec<Option<(u64, u8)>>,
}

impl Table {
    pub(crate) fn with_room(entries: usize) -> Self {
        Self {
            slots: vec![None; (entries * 4).next_power_of_two().max(4)],
        }
    }

    fn slot(&self, key: u64) -> usize {
        let mut at = spread(key) as usize;
        loop {
            at &= self.slots.len() - 1;
            match self.slots[at] {
                Some((other, _)) if other != key => at += 1,
                _ => return at,
            }
        }
    }

    pub(crate) fn insert(&mut self, key: u64, value: u8) {
        let at = self.slot(key);
        self.slots[at] = Some((key, value));
    }

    pub(crate) fn get(&self, key: u64) -> Option<u8> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(key)].map(|(_, value)| value)
    }
}
