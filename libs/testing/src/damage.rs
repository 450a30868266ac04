//! Changes of bytes in a file, for properties of who reads it afterwards.

use proptest::{prelude::*, sample::Index};

/// How much of a file a database writes at once.
const PAGE: usize = 4096;

/// A change of bytes. Places are among those where something stands; the rest of a file is room.
#[derive(Debug, Clone)]
pub enum Change {
    /// So many bytes from a place on are changed by these bits.
    Flip(Index, usize, u8),
    /// So many bytes from a place on are zero.
    Zero(Index, usize),
    /// The file ends at a place.
    Cut(Index),
    /// Two pages stand where the other one was.
    Swap(Index, Index),
    /// Nothing is left.
    Empty,
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, used: &[usize]) {
        let place = |index: &Index| used[index.index(used.len())];
        match self {
            Self::Flip(at, run, bits) => {
                for byte in bytes.iter_mut().skip(place(at)).take(*run) {
                    *byte ^= bits;
                }
            }
            Self::Zero(at, run) => {
                for byte in bytes.iter_mut().skip(place(at)).take(*run) {
                    *byte = 0;
                }
            }
            Self::Cut(at) => bytes.truncate(place(at)),
            Self::Swap(one, other) => {
                let [one, other] = [one, other].map(|at| place(at) / PAGE * PAGE);
                let (first, second) = (one.min(other), one.max(other));
                if first < second && second + PAGE <= bytes.len() {
                    let (before, after) = bytes.split_at_mut(second);
                    before[first..first + PAGE].swap_with_slice(&mut after[..PAGE]);
                }
            }
            Self::Empty => bytes.clear(),
        }
    }
}

/// A file after these changes.
pub fn damaged(whole: &[u8], changes: &[Change]) -> Vec<u8> {
    let used: Vec<usize> = (0..whole.len())
        .filter(|place| whole[*place] != 0)
        .collect();
    let mut bytes = whole.to_vec();
    for change in changes {
        change.apply(&mut bytes, &used);
    }
    bytes
}

/// Bytes that are not what was written: flipped in many places, zero in some, or cut off.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let flips = (any::<Index>(), 1..64_usize, 1..=255_u8)
        .prop_map(|(at, run, bits)| Change::Flip(at, run, bits));
    let zeros = (any::<Index>(), 1..2 * PAGE).prop_map(|(at, run)| Change::Zero(at, run));
    prop_oneof![
        24 => prop::collection::vec(flips, 1..40),
        6 => prop::collection::vec(zeros, 1..4),
        3 => any::<Index>().prop_map(|at| vec![Change::Cut(at)]),
        1 => Just(vec![Change::Empty]),
    ]
}

/// The same, and pages in the places of others, so that older ones may stand for newer ones.
pub fn changes_and_swaps() -> impl Strategy<Value = Vec<Change>> {
    let swaps = (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Change::Swap(one, other));
    prop_oneof![
        3 => changes(),
        1 => prop::collection::vec(swaps, 1..4),
    ]
}
