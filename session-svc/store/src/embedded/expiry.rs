//! Removes for good what has expired, a little with each batch.

use redb::ReadableTable;
use turnwise_embedded_file::Bytes;

use super::{
    apply::Writing,
    file::{Failure, told},
    rows::{EXPIRIES, EXPIRY, Name},
    sealed,
    view::Last,
};

/// Nothing expires.
pub(super) const NEVER: i64 = i64::MAX;
/// At most so many names are removed with each batch: it stays short whatever has piled up.
const NAMES_PER_BATCH: usize = 64;
/// At most so many fields, entries and members are removed with each batch; the rest of a long log goes with the next.
const CONTENTS_PER_BATCH: usize = 1024;

impl Writing<'_> {
    /// Removes some of what has expired, the oldest first; answers whether there was any.
    pub(super) fn sweep(&mut self) -> Result<bool, Failure> {
        let now = self.now;
        if self.soonest > now {
            return Ok(false);
        }
        let mut expired = Vec::new();
        for row in self.expiries()?.rows().iter()?.take(NAMES_PER_BATCH) {
            let (row, stored) = row?;
            let Some((at, name)) = whole(row.value(), stored.value()) else {
                // It may be anybody's, and no batch must fail for it; the next start looks at it.
                tracing::error!(
                    "a row of the embedded store is damaged: nothing after it is removed by its time"
                );
                break;
            };
            if at > now {
                break;
            }
            expired.push((at, name));
        }
        self.last = Last::default();
        let mut left = CONTENTS_PER_BATCH;
        for (at, name) in &expired {
            left -= self.remove_some(name, left)?;
            if left == 0 {
                break;
            }
            match self.retire_head(name) {
                // Whoever appends to the log is told, but no batch of others must fail for it.
                Err(damage @ Failure::Owner(_)) => drop(told(damage)),
                retired => retired?,
            }
            self.rows.remove(&name.row(EXPIRY, &[]))?;
            self.expiries()?.remove(&name.expiry(*at))?;
        }
        self.soonest = soonest(self.expiries()?.rows())?;
        Ok(!expired.is_empty())
    }
}

/// Before when nothing can be removed by its time, in milliseconds since 1970.
pub(super) fn soonest(expiries: &impl ReadableTable<Bytes, Bytes>) -> Result<i64, Failure> {
    let first = expiries.iter()?.next().transpose()?;
    let first = first.and_then(|(row, stored)| whole(row.value(), stored.value()));
    Ok(first.map_or(NEVER, |(at, _)| at))
}

/// Time and name of a row that is what was written.
fn whole(row: &[u8], stored: &[u8]) -> Option<(i64, Name)> {
    sealed::open(EXPIRIES, row, stored).ok()?;
    Name::from_expiry(row)
}
