//! Giving room back to the disk. The database keeps what rows leave behind for later rows, and its pages are half empty
//! where rows came one after another; so when much of the file is room, all rows are copied into a new one that takes its
//! place. The writer does it a little at a time when nobody waits for it, and copies once more what has changed since.

use std::{collections::BTreeSet, ops::Bound, time::Duration};

use redb::{CursorError, ReadTransaction, ReadableTable, StorageError, Table, WriteTransaction};
use tokio::time::Instant;
use turnwise_embedded_file::{Bytes, Replacement};

use super::{
    file::{Failure, StoreFile, own_damage},
    sealed::{SUM, TABLES, copy_counters, counter, counters, definition, share},
};
use crate::StoreError;

/// How many tenths of the bytes of its rows a file may take: full pages take eleven or twelve, those that rows came into
/// one after another fifteen.
const ROOMY: u64 = 13;
/// What is not worth a new file.
const SMALL: u64 = 512 * 1024;
/// How many bytes of rows are copied at a time: whoever comes meanwhile waits for some milliseconds.
const BYTES_PER_STEP: usize = 256 * 1024;
/// How many changed rows are copied once more at a time.
const ROWS_PER_STEP: usize = 512;
/// Every so many steps what was copied is brought to disk, so that the last sync has little left to do.
const STEPS_PER_SYNC: usize = 32;

/// A row: the place of its table, and its key.
pub(super) type Place = (usize, Vec<u8>);

/// A file that is being rewritten.
pub(super) struct Rewrite {
    new: Replacement,
    /// The last row that was copied; `None` before the first.
    last: Option<Place>,
    /// Whether every row was copied once.
    whole: bool,
    /// Rows that have changed since they were copied.
    changed: BTreeSet<Place>,
    /// The sum over all rows that are there.
    sum: i64,
    steps: usize,
    /// How long the writer was busy with it.
    took: Duration,
}

/// Whether a new file would be much shorter; `packed`: how many tenths of its rows the last new one took.
pub(super) fn is_worth_it(file: &StoreFile, packed: u64) -> Result<bool, Failure> {
    let (allocated, live) = file.sizes()?;
    // Should full pages take more than expected, it is not done again and again.
    let roomy = ROOMY.max(packed + packed / 5);
    Ok(allocated > live / 10 * roomy + SMALL)
}

impl Rewrite {
    /// Begins; `None` in memory.
    pub(super) fn begin(file: &StoreFile) -> Result<Option<Self>, Failure> {
        let new = file.begin_replacement()?;
        Ok(new.map(|new| Self {
            new,
            last: None,
            whole: false,
            changed: BTreeSet::new(),
            sum: 0,
            steps: 0,
            took: Duration::ZERO,
        }))
    }

    /// Notes rows that have changed in the file.
    pub(super) fn note(&mut self, changed: Vec<Place>) {
        let (whole, last) = (self.whole, &self.last);
        // What comes later is copied anyway.
        let copied = changed
            .into_iter()
            .filter(|place| whole || last.as_ref().is_some_and(|last| place <= last));
        self.changed.extend(copied);
    }

    /// Copies a little; answers whether everything is there.
    pub(super) fn step(&mut self, file: &StoreFile) -> Result<bool, Failure> {
        let began = Instant::now();
        let whole = self.copy(file);
        self.took += began.elapsed();
        whole
    }

    fn copy(&mut self, file: &StoreFile) -> Result<bool, Failure> {
        self.steps += 1;
        let synced = self.steps.is_multiple_of(STEPS_PER_SYNC);
        let Self {
            new,
            last,
            whole,
            changed,
            sum,
            ..
        } = self;
        file.read(|from| {
            if !*whole {
                new.write(synced, |to| {
                    *whole = copy_on(from, to, last, sum)?;
                    Ok(())
                })?;
                return Ok(false);
            }
            if !changed.is_empty() {
                new.write(synced, |to| copy_again(from, to, changed, sum))?;
                return Ok(false);
            }
            // The sum says that nothing is missing and nothing is out of date.
            if counter(&from.open_table(counters())?, SUM)?.map_err(own_damage)? != *sum {
                return Err(own_damage(turnwise_embedded_file::Damage));
            }
            new.write(true, |to| copy_counters(from, to))?;
            Ok(true)
        })
    }

    /// Puts the new file in the place of the old one; answers how many tenths of its rows it takes, and how long the writer
    /// was busy with it.
    pub(super) fn finish(self, file: &StoreFile) -> Result<(u64, Duration), Failure> {
        let (began, (before, _)) = (Instant::now(), file.sizes()?);
        file.replace(self.new)?;
        let ((after, live), took) = (file.sizes()?, self.took + began.elapsed());
        tracing::info!(
            before,
            after,
            ?took,
            "the embedded store's file is a shorter one now"
        );
        Ok((after * 10 / live.max(1), took))
    }
}

/// Copies the next rows; answers whether these were the last.
fn copy_on(
    from: &ReadTransaction,
    to: &WriteTransaction,
    last: &mut Option<Place>,
    sum: &mut i64,
) -> Result<bool, Failure> {
    let mut left = BYTES_PER_STEP;
    let first = last.as_ref().map_or(0, |(table, _)| *table);
    for (place, name) in TABLES.iter().enumerate().skip(first) {
        let rows = from.open_table(definition(name))?;
        let mut copies = to.open_table(definition(name))?;
        // In the order of their keys they fill the new pages.
        let mut end = copies.upper_bound_mut(Bound::<&[u8]>::Unbounded)?;
        let after = match last {
            Some((table, key)) if *table == place => Bound::Excluded(key.clone()),
            _ => Bound::Unbounded,
        };
        let after = after.as_ref().map(Vec::as_slice);
        for row in rows.range::<&[u8]>((after, Bound::Unbounded))? {
            let (key, value) = row?;
            let (key, value) = (key.value(), value.value());
            end.insert_before(key, value).map_err(unordered)?;
            *sum = sum.wrapping_add(share(name, key, value));
            *last = Some((place, key.to_vec()));
            left = left.saturating_sub(key.len() + value.len());
            if left == 0 {
                end.close()?;
                return Ok(false);
            }
        }
        end.close()?;
    }
    Ok(true)
}

/// Copies some of the changed rows as they are now.
fn copy_again(
    from: &ReadTransaction,
    to: &WriteTransaction,
    changed: &mut BTreeSet<Place>,
    sum: &mut i64,
) -> Result<(), Failure> {
    for (place, name) in TABLES.iter().enumerate() {
        let rows = from.open_table(definition(name))?;
        let mut copies = to.open_table(definition(name))?;
        for _ in 0..ROWS_PER_STEP {
            let Some((_, key)) = changed
                .first()
                .filter(|(table, _)| *table == place)
                .cloned()
            else {
                break;
            };
            *sum = sum.wrapping_sub(share_of(&copies, name, &key)?);
            match rows.get(key.as_slice())? {
                Some(value) => copies.insert(key.as_slice(), value.value())?,
                None => copies.remove(key.as_slice())?,
            };
            *sum = sum.wrapping_add(share_of(&copies, name, &key)?);
            changed.pop_first();
        }
    }
    Ok(())
}

fn share_of(table: &Table<'_, Bytes, Bytes>, name: &str, key: &[u8]) -> Result<i64, StorageError> {
    let stored = table.get(key)?;
    Ok(stored.map_or(0, |stored| share(name, key, stored.value())))
}

fn unordered(error: CursorError) -> Failure {
    match error {
        CursorError::Storage(error) => error.into(),
        _ => Failure::Owner(StoreError::Corrupted),
    }
}
