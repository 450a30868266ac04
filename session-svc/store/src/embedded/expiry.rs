//! Removes for good what has expired, a little with each batch.

use redb::ReadableTable;

use super::{
    apply::Writing,
    failure::Failure,
    rows::{self, EXPIRY, Name},
};

/// At most so many names are removed with each batch: it stays short whatever has piled up.
const NAMES_PER_BATCH: usize = 64;
/// At most so many fields, entries and members are removed with each batch; the rest of a long log goes with the next.
const CONTENTS_PER_BATCH: usize = 1024;

impl Writing<'_> {
    /// Removes some of what has expired, the oldest first; answers whether there was any.
    pub(super) fn sweep(&mut self) -> Result<bool, Failure> {
        let mut expired = Vec::new();
        for row in self.expiries.iter()?.take(NAMES_PER_BATCH) {
            let (row, ()) = row.map(|(row, value)| (row, value.value()))?;
            let (at, name) = Name::from_expiry(row.value())?;
            if at > self.now {
                break;
            }
            expired.push((at, name));
        }
        let mut left = CONTENTS_PER_BATCH;
        for (at, name) in &expired {
            left -= self.remove_some(name, left)?;
            if left == 0 {
                break;
            }
            self.retire_head(name)?;
            self.rows.remove(name.row(EXPIRY, &[]).as_slice())?;
            self.expiries.remove(name.expiry(*at).as_slice())?;
        }
        Ok(!expired.is_empty())
    }
}

/// When the next name expires, in milliseconds since 1970.
pub(super) fn next<T: ReadableTable<rows::Bytes, ()>>(
    expiries: &T,
) -> Result<Option<i64>, Failure> {
    match expiries.iter()?.next().transpose()? {
        Some((row, _)) => Ok(Some(Name::from_expiry(row.value())?.0)),
        None => Ok(None),
    }
}
