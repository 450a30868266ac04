//! What the writes of a transaction do to the rows.

use redb::{ReadableTable, Table, TableError, WriteTransaction};
use turnwise_embedded_file::Bytes;

use super::{
    file::Failure,
    leases::Leases,
    rows::{self, ENTRY, EXPIRIES, EXPIRY, FIELD, HEAD, Head, MEMBER, Name, RANKED, ROWS},
    sealed::{Change, SealedTable},
    view::{Last, View, damaged},
};
use crate::{Key, Partition, Write};

/// What is kept, is kept until one of these ends: in milliseconds since 1970.
const MINUTE: i64 = 60_000;

/// The tables that transactions write, at `now`.
pub(super) struct Writing<'txn> {
    pub(super) rows: SealedTable<'txn>,
    /// Opened by the first who needs it.
    expiries: Option<SealedTable<'txn>>,
    transaction: &'txn WriteTransaction,
    tell: bool,
    pub(super) now: i64,
    /// Nothing expires before.
    pub(super) soonest: i64,
    pub(super) last: Last,
    /// What the write before put fields into: it is there.
    filled: Option<Name>,
}

impl<'txn> Writing<'txn> {
    /// Opens the table of rows; one that does not exist yet is made. `soonest`: nothing expires before. `tell`: the keys of
    /// the rows that change are wanted.
    pub(super) fn open(
        transaction: &'txn WriteTransaction,
        now: i64,
        soonest: i64,
        tell: bool,
    ) -> Result<Self, TableError> {
        Ok(Self {
            rows: SealedTable::open(transaction, ROWS, tell)?,
            expiries: None,
            transaction,
            tell,
            now,
            soonest,
            last: Last::default(),
            filled: None,
        })
    }

    /// What expires when.
    pub(super) fn expiries(&mut self) -> Result<&mut SealedTable<'txn>, TableError> {
        let opened = match self.expiries.take() {
            Some(opened) => opened,
            None => SealedTable::open(self.transaction, EXPIRIES, self.tell)?,
        };
        Ok(self.expiries.insert(opened))
    }

    /// The rows of a partition as they are now.
    pub(super) fn view<'v>(
        &'v self,
        partition: &'v Partition,
    ) -> View<'v, Table<'txn, Bytes, Bytes>> {
        View {
            rows: self.rows.rows(),
            partition,
            now: self.now,
            last: &self.last,
        }
    }

    /// Does the part of a write that is stored; answers the token that was minted.
    pub(super) fn write(
        &mut self,
        leases: &Leases,
        partition: &Partition,
        write: &Write,
    ) -> Result<Option<i64>, Failure> {
        let named = |key: &Key| Name::new(partition, key);
        let filled = self.filled.take();
        match write {
            Write::Put { key, fields } => {
                let name = self.begin(partition, key)?;
                for (field, value) in fields {
                    self.put(&name, field, value)?;
                }
                self.filled = (!fields.is_empty()).then_some(name);
            }
            Write::Add { key, fields } => {
                let name = self.begin(partition, key)?;
                for (field, by) in fields {
                    let sum = self.counter(&name, field)?.saturating_add(*by);
                    self.put(&name, field, sum.to_string().as_bytes())?;
                }
            }
            Write::Unset { key, fields } => {
                let name = self.begin(partition, key)?;
                for field in fields {
                    self.rows.remove(&name.row(FIELD, field.as_bytes()))?;
                }
                self.settle(partition, &name, FIELD)?;
            }
            Write::Remove { key } => {
                let name = named(key);
                self.clear(partition, &name)?;
                // Whatever stands there: what is damaged can be removed, too.
                self.rows.remove(&name.row(HEAD, &[]))?;
            }
            Write::Expire { key, after } | Write::Keep { key, after } => {
                let name = self.begin(partition, key)?;
                let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
                let at = self.now.saturating_add(after.max(1));
                let to_the_minute = match write {
                    Write::Keep { .. } => (-at).rem_euclid(MINUTE),
                    _ => 0,
                };
                let is_filled = filled.is_some_and(|filled| filled == name);
                self.expire(partition, name, is_filled, at.saturating_add(to_the_minute))?;
            }
            Write::Append { key, entries } => {
                let name = self.begin(partition, key)?;
                let mut head = self.head(&name)?;
                for entry in entries {
                    head.last += 1;
                    head.there = true;
                    let row = name.row(ENTRY, &rows::ordered(head.last));
                    self.rows.insert(&row, entry)?;
                }
                self.set_head(&name, head)?;
            }
            Write::Trim { key, keep } => {
                let name = self.begin(partition, key)?;
                self.trim(&name, *keep)?;
            }
            Write::Rank { key, member, score } => {
                let name = self.begin(partition, key)?;
                self.unrank(&name, member, None)?;
                self.rows
                    .insert(&ranked_row(&name, *score, member.as_bytes()), &[])?;
                self.rows
                    .insert(&name.row(MEMBER, member.as_bytes()), &rows::ordered(*score))?;
            }
            Write::Unrank { key, members } => {
                let name = self.begin(partition, key)?;
                for member in members {
                    self.unrank(&name, member, None)?;
                }
                self.settle(partition, &name, MEMBER)?;
            }
            Write::UnrankAt { key, members } => {
                let name = self.begin(partition, key)?;
                for (member, score) in members {
                    self.unrank(&name, member, Some(*score))?;
                }
                self.settle(partition, &name, MEMBER)?;
            }
            Write::UnrankUpTo { key, score } => {
                let name = self.begin(partition, key)?;
                // What nothing was taken out of is as it was.
                if self.unrank_up_to(&name, *score)? {
                    self.settle(partition, &name, MEMBER)?;
                }
            }
            Write::Fence { key, field } => {
                let name = self.begin(partition, key)?;
                let token = leases.mint();
                self.put(&name, field, token.to_string().as_bytes())?;
                return Ok(Some(token));
            }
            Write::TakeLease { .. } | Write::RenewLease { .. } | Write::ReleaseLease { .. } => {}
        }
        Ok(None)
    }

    /// The name that a write is about; what has expired of it is gone.
    fn begin(&mut self, partition: &Partition, key: &Key) -> Result<Name, Failure> {
        let name = Name::new(partition, key);
        if self.view(partition).has_expired(&name)? {
            self.clear(partition, &name)?;
            self.retire_head(&name)?;
        }
        Ok(name)
    }

    /// Removes everything but where a log stands.
    fn clear(&mut self, partition: &Partition, name: &Name) -> Result<(), Failure> {
        self.forget_expiry(partition, name)?;
        let (from, to) = name.contents();
        Ok(self.rows.remove_range(&from, &to)?)
    }

    /// What has changed, in the order of [`TABLES`](super::sealed::TABLES).
    pub(super) fn take_changes(&mut self) -> [Change; 2] {
        let expiries = self.expiries.as_mut();
        [
            self.rows.take_change(),
            expiries.map(SealedTable::take_change).unwrap_or_default(),
        ]
    }

    /// Removes at most `limit` fields, entries and members, and answers how many it removed.
    pub(super) fn remove_some(&mut self, name: &Name, limit: usize) -> Result<usize, Failure> {
        let (from, to) = name.contents();
        Ok(self.rows.remove_some(&from, &to, limit)?.len())
    }

    /// Marks a log as not there; its ids stay.
    pub(super) fn retire_head(&mut self, name: &Name) -> Result<(), Failure> {
        let head = self.head(name)?;
        if head.there {
            self.set_head(
                name,
                Head {
                    there: false,
                    ..head
                },
            )?;
        }
        Ok(())
    }

    /// Lets a name expire at a time, if it is there.
    fn expire(
        &mut self,
        partition: &Partition,
        name: Name,
        is_filled: bool,
        at: i64,
    ) -> Result<(), Failure> {
        let before = self.view(partition).expiry(&name)?;
        // What expires is there.
        let is_there = is_filled || before.is_some() || self.is_there(partition, &name)?;
        if before == Some(at) || !is_there {
            return Ok(());
        }
        if let Some(before) = before {
            self.expiries()?.remove(&name.expiry(before))?;
        }
        self.rows
            .insert(&name.row(EXPIRY, &[]), &rows::ordered(at))?;
        self.expiries()?.insert(&name.expiry(at), &[])?;
        self.soonest = self.soonest.min(at);
        self.last = Last::new(Some((name, Some(at))));
        Ok(())
    }

    fn forget_expiry(&mut self, partition: &Partition, name: &Name) -> Result<(), Failure> {
        if let Some(at) = self.view(partition).expiry(name)? {
            self.rows.remove(&name.row(EXPIRY, &[]))?;
            self.expiries()?.remove(&name.expiry(at))?;
            self.last = Last::new(Some((name.clone(), None)));
        }
        Ok(())
    }

    /// A name without contents of a kind is gone, and so is its expiry.
    fn settle(&mut self, partition: &Partition, name: &Name, kind: u8) -> Result<(), Failure> {
        if !self.view(partition).has_any(name, kind)? {
            self.forget_expiry(partition, name)?;
        }
        Ok(())
    }

    fn is_there(&self, partition: &Partition, name: &Name) -> Result<bool, Failure> {
        let view = self.view(partition);
        Ok(view.has_any(name, FIELD)? || view.has_any(name, MEMBER)? || self.head(name)?.there)
    }

    fn put(&mut self, name: &Name, field: &str, value: &[u8]) -> Result<(), Failure> {
        Ok(self
            .rows
            .insert(&name.row(FIELD, field.as_bytes()), value)?)
    }

    /// The number in a field; 0 where there is none that can be read.
    fn counter(&self, name: &Name, field: &str) -> Result<i64, Failure> {
        let row = name.row(FIELD, field.as_bytes());
        let found = self.rows.rows().get(row.as_slice())?;
        let number = found.as_ref().and_then(|found| {
            let value = rows::value(&row, found.value())?;
            std::str::from_utf8(value).ok()?.parse().ok()
        });
        Ok(number.unwrap_or(0))
    }

    fn head(&self, name: &Name) -> Result<Head, Failure> {
        let row = name.row(HEAD, &[]);
        match self.rows.rows().get(row.as_slice())? {
            Some(found) => rows::value(&row, found.value())
                .and_then(Head::from_bytes)
                .ok_or_else(|| damaged(name)),
            None => Ok(Head::default()),
        }
    }

    fn set_head(&mut self, name: &Name, head: Head) -> Result<(), Failure> {
        Ok(self.rows.insert(&name.row(HEAD, &[]), &head.to_bytes())?)
    }

    fn trim(&mut self, name: &Name, keep: usize) -> Result<(), Failure> {
        let (from, to) = name.kind(ENTRY);
        let newest_that_goes = self
            .rows
            .rows()
            .range(from.as_slice()..to.as_slice())?
            .rev()
            .nth(keep)
            .transpose()?
            .map(|(row, _)| row.value().to_vec());
        if let Some(mut last) = newest_that_goes {
            // The next key there could be.
            last.push(0);
            self.rows.remove_range(&from, &last)?;
        }
        Ok(())
    }

    /// Takes a member out, if it has the score where one is named.
    fn unrank(&mut self, name: &Name, member: &str, at: Option<i64>) -> Result<(), Failure> {
        let row = name.row(MEMBER, member.as_bytes());
        let score = match self.rows.rows().get(row.as_slice())? {
            Some(found) => rows::value(&row, found.value())
                .and_then(rows::number)
                .ok_or_else(|| damaged(name))?,
            None => return Ok(()),
        };
        if at.is_none_or(|at| at == score) {
            self.rows.remove(&row)?;
            self.rows
                .remove(&ranked_row(name, score, member.as_bytes()))?;
        }
        Ok(())
    }

    /// Takes members out up to a score; answers whether there were any.
    fn unrank_up_to(&mut self, name: &Name, score: i64) -> Result<bool, Failure> {
        let (from, end) = name.kind(RANKED);
        let to = match score.checked_add(1) {
            Some(above) => name.row(RANKED, &rows::ordered(above)),
            None => end,
        };
        let gone = self.rows.remove_some(&from, &to, usize::MAX)?;
        for row in &gone {
            let (_, member) = rows::ranked(name.tail(row)).ok_or_else(|| damaged(name))?;
            self.rows.remove(&name.row(MEMBER, member))?;
        }
        Ok(!gone.is_empty())
    }
}

fn ranked_row(name: &Name, score: i64, member: &[u8]) -> Vec<u8> {
    let mut tail = rows::ordered(score).to_vec();
    tail.extend_from_slice(member);
    name.row(RANKED, &tail)
}
