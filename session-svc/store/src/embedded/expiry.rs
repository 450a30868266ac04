//! Removes for good what has expired, a little with each batch.

use redb::ReadableTable;
use turnwise_embedded_file::Bytes;

use super::{
    apply::Writing,
    file::Failure,
    rows::{EXPIRIES, EXPIRY, Name},
    sealed,
};

/// At most so many names are removed with each batch: it stays short whatever has piled up.
const NAMES_PER_BATCH: usize = 64;
/// At most so many fields, entries and members are removed with each batch; the rest of a long log goes with the next.
const CONTENTS_PER_BATCH: usize = 1024;

impl Writing<'_> {
    /// Removes some of what has expired, the oldest first; answers whether there was any.
    pub(super) fn sweep(&mut self) -> Result<bool, Failure> {
        let mut expired = Vec::new();
        for row in self.expiries.rows().iter()?.take(NAMES_PER_BATCH) {
            let (row, stored) = row?;
            let whole = sealed::open(EXPIRIES, row.value(), stored.value()).is_ok();
            let Some((at, name)) = Name::from_expiry(row.value()).filter(|_| whole) else {
                // It may be anybody's, and no batch must fail for it; the next start looks at it.
                tracing::error!(
                    "a row of the embedded store is damaged: nothing is removed by its time"
                );
                return Ok(false);
            };
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
            self.rows.remove(&name.row(EXPIRY, &[]))?;
            self.expiries.remove(&name.expiry(*at))?;
        }
        Ok(!expired.is_empty())
    }
}

/// When the next name expires, in milliseconds since 1970.
pub(super) fn next(expiries: &impl ReadableTable<Bytes, Bytes>) -> Result<Option<i64>, Failure> {
    let first = expiries.iter()?.next().transpose()?;
    Ok(first.and_then(|(row, _)| Some(Name::from_expiry(row.value())?.0)))
}
