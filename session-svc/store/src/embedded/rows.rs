//! The tables of the embedded store and the keys of their rows.
//!
//! All rows of a partition lie side by side in one table, those of one name together: a transaction touches few pages
//! of the file, and to remove a name is to remove a range.

use super::sealed;
use crate::{Key, Partition};

/// The table of all data: a name, the kind of the row and what names it within its kind.
pub(super) const ROWS: &str = "rows";
/// The table of what expires, ordered by time: the time in milliseconds since 1970, and the name.
pub(super) const EXPIRIES: &str = "expiries";

/// When the name expires: milliseconds since 1970.
pub(super) const EXPIRY: u8 = 0x01;
/// A field of a record.
pub(super) const FIELD: u8 = 0x10;
/// A member of a ranking: its score.
pub(super) const MEMBER: u8 = 0x11;
/// A member of a ranking, ordered by score.
pub(super) const RANKED: u8 = 0x12;
/// An entry of a log, by its id.
pub(super) const ENTRY: u8 = 0x13;
/// The last id of a log, and whether the log is there. It lies beside the latest entries, with which it changes.
pub(super) const HEAD: u8 = 0x14;

/// What ends a part of a name.
const END: u8 = 0x00;
/// What follows a byte like that within a part. It is no kind of a row.
const NO_END: u8 = 0xff;

/// How many bytes a number takes.
const NUMBER: usize = size_of::<i64>();

/// The beginning of all keys of one name: partition and key, each ended by a zero, so that no name is the beginning of
/// another and names sort as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name(Vec<u8>);

impl Name {
    /// The name of a key in a partition.
    pub(super) fn new(partition: &Partition, key: &Key) -> Self {
        let parts = [partition.as_str(), key.as_str()];
        let mut name = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
        for part in parts {
            for some in part.as_bytes().split_inclusive(|byte| *byte == END) {
                name.extend_from_slice(some);
                if some.ends_with(&[END]) {
                    name.push(NO_END);
                }
            }
            name.push(END);
        }
        Self(name)
    }

    /// The name that stands in a row of [`EXPIRIES`], and its time.
    pub(super) fn from_expiry(row: &[u8]) -> Option<(i64, Self)> {
        let (time, name) = row.split_at_checked(NUMBER)?;
        Some((number(time)?, Self(name.to_vec())))
    }

    /// The name of a row of [`ROWS`], its kind and what follows them.
    pub(super) fn from_row(row: &[u8]) -> Option<(Self, u8, &[u8])> {
        let ends = row.iter().zip(row.iter().skip(1).chain([&END]));
        let mut ends = ends
            .enumerate()
            .filter(|(_, (byte, next))| **byte == END && **next != NO_END);
        let (end, _) = ends.nth(1)?;
        let (name, rest) = row.split_at_checked(end + 1)?;
        let (kind, tail) = rest.split_first()?;
        Some((Self(name.to_vec()), *kind, tail))
    }

    /// The partition of the name.
    pub(super) fn partition(&self) -> Partition {
        let mut parts = self.0.split(|byte| *byte == END);
        Partition(String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned())
    }

    /// The key of the name, without its partition.
    pub(super) fn key(&self) -> Key {
        let mut parts = self.0.split(|byte| *byte == END);
        Key::new(String::from_utf8_lossy(parts.nth(1).unwrap_or_default()))
    }

    /// The key of a row.
    pub(super) fn row(&self, kind: u8, tail: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + 1 + tail.len());
        row.extend_from_slice(&self.0);
        row.push(kind);
        row.extend_from_slice(tail);
        row
    }

    /// The key of a row of [`EXPIRIES`].
    pub(super) fn expiry(&self, time: i64) -> Vec<u8> {
        let mut row = ordered(time).to_vec();
        row.extend_from_slice(&self.0);
        row
    }

    /// From where to before where the rows of a kind lie.
    pub(super) fn kind(&self, kind: u8) -> (Vec<u8>, Vec<u8>) {
        (self.row(kind, &[]), self.row(kind + 1, &[]))
    }

    /// From where to before where fields, entries and members lie.
    pub(super) fn contents(&self) -> (Vec<u8>, Vec<u8>) {
        (self.row(FIELD, &[]), self.row(HEAD, &[]))
    }

    /// What follows name and kind in a row's key.
    pub(super) fn tail<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.get(self.0.len() + 1..).unwrap_or_default()
    }
}

/// The value of a row of [`ROWS`]; none if it is not what was written.
pub(super) fn value<'v>(row: &[u8], stored: &'v [u8]) -> Option<&'v [u8]> {
    sealed::open(ROWS, row, stored).ok()
}

/// A number as bytes that sort as it does.
pub(super) fn ordered(number: i64) -> [u8; NUMBER] {
    number.wrapping_sub(i64::MIN).to_be_bytes()
}

/// The number that [`ordered`] wrote.
pub(super) fn number(bytes: &[u8]) -> Option<i64> {
    let bytes = bytes.try_into().ok()?;
    Some(i64::from_be_bytes(bytes).wrapping_add(i64::MIN))
}

/// Score and member from the tail of a [`RANKED`] row.
pub(super) fn ranked(tail: &[u8]) -> Option<(i64, &[u8])> {
    let (score, member) = tail.split_at_checked(NUMBER)?;
    Some((number(score)?, member))
}

/// Where a log stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head {
    /// The last id that was given.
    pub(super) last: i64,
    /// False once the log has expired: its ids go on all the same.
    pub(super) there: bool,
}

impl Head {
    /// As it is stored.
    pub(super) fn to_bytes(self) -> [u8; NUMBER + 1] {
        let mut bytes = [0; NUMBER + 1];
        let (last, there) = bytes.split_at_mut(NUMBER);
        last.copy_from_slice(&ordered(self.last));
        there.fill(u8::from(self.there));
        bytes
    }

    /// As it was stored.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_at_checked(NUMBER) {
            Some((last, &[there])) => Some(Self {
                last: number(last)?,
                there: there != 0,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Short names of few letters, so that some are beginnings of others.
    fn part() -> impl Strategy<Value = String> {
        "[ab/\\x00]{0,4}"
    }

    proptest! {
        #[test]
        fn rows_of_one_name_lie_apart_from_all_others(
            a in (part(), part()),
            b in (part(), part()),
            tail in "[ab\\x00]{0,2}",
        ) {
            let name = |(partition, key): &(String, String)| {
                Name::new(&Partition::system(partition), &Key::new(key.as_str()))
            };
            let (first, second) = (name(&a), name(&b));
            prop_assert_eq!(first == second, a == b);
            let all = first.row(EXPIRY, &[])..first.row(HEAD + 1, &[]);
            for kind in [EXPIRY, FIELD, MEMBER, RANKED, ENTRY, HEAD] {
                let row = second.row(kind, tail.as_bytes());
                prop_assert_eq!(all.contains(&row), a == b);
            }
        }

        #[test]
        fn numbers_sort_as_their_bytes(a: i64, b: i64) {
            prop_assert_eq!(ordered(a).cmp(&ordered(b)), a.cmp(&b));
            prop_assert_eq!(number(&ordered(a)).unwrap(), a);
        }

        #[test]
        fn a_head_is_read_as_it_was_written(last: i64, there: bool) {
            let read = Head::from_bytes(&Head { last, there }.to_bytes()).unwrap();
            prop_assert_eq!((read.last, read.there), (last, there));
        }
    }
}
