//! What the writes of a transaction do to the rows.

use redb::{ReadableTable, Table, TableError, WriteTransaction};

use super::{
    failure::Failure,
    leases::Leases,
    rows::{self, ENTRY, EXPIRIES, EXPIRY, FIELD, HEAD, Head, MEMBER, Name, RANKED, ROWS},
    view::View,
};
use crate::{Key, Partition, Write};

/// The tables that transactions write, at `now`.
pub(super) struct Writing<'txn> {
    pub(super) rows: Table<'txn, rows::Bytes, rows::Bytes>,
    pub(super) expiries: Table<'txn, rows::Bytes, ()>,
    pub(super) now: i64,
}

impl<'txn> Writing<'txn> {
    /// Opens the tables; those that do not exist yet are made.
    pub(super) fn open(transaction: &'txn WriteTransaction, now: i64) -> Result<Self, TableError> {
        Ok(Self {
            rows: transaction.open_table(ROWS)?,
            expiries: transaction.open_table(EXPIRIES)?,
            now,
        })
    }

    /// The rows of a partition as they are now.
    pub(super) fn view<'v>(
        &'v self,
        partition: &'v Partition,
    ) -> View<'v, Table<'txn, rows::Bytes, rows::Bytes>> {
        View {
            rows: &self.rows,
            partition,
            now: self.now,
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
        match write {
            Write::Put { key, fields } => {
                let name = self.begin(partition, key)?;
                for (field, value) in fields {
                    self.put(&name, field, value)?;
                }
            }
            Write::Unset { key, fields } => {
                let name = self.begin(partition, key)?;
                for field in fields {
                    self.rows
                        .remove(name.row(FIELD, field.as_bytes()).as_slice())?;
                }
                self.settle(partition, &name, FIELD)?;
            }
            Write::Remove { key } => {
                let name = named(key);
                self.clear(partition, &name)?;
                self.rows.remove(name.row(HEAD, &[]).as_slice())?;
            }
            Write::Expire { key, after } => {
                let name = self.begin(partition, key)?;
                if self.is_there(partition, &name)? {
                    let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
                    let at = self.now.saturating_add(after.max(1));
                    self.forget_expiry(partition, &name)?;
                    let stored = rows::ordered(at);
                    self.rows
                        .insert(name.row(EXPIRY, &[]).as_slice(), stored.as_slice())?;
                    self.expiries.insert(name.expiry(at).as_slice(), ())?;
                }
            }
            Write::Append { key, entries } => {
                let name = self.begin(partition, key)?;
                let mut head = self.head(&name)?;
                for entry in entries {
                    head.last += 1;
                    head.there = true;
                    let row = name.row(ENTRY, &rows::ordered(head.last));
                    self.rows.insert(row.as_slice(), entry.as_ref())?;
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
                let ranked = ranked_row(&name, *score, member.as_bytes());
                self.rows.insert(ranked.as_slice(), [].as_slice())?;
                let scored = name.row(MEMBER, member.as_bytes());
                self.rows
                    .insert(scored.as_slice(), rows::ordered(*score).as_slice())?;
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
                self.unrank_up_to(&name, *score)?;
                self.settle(partition, &name, MEMBER)?;
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
        }
        Ok(name)
    }

    /// Removes everything but the ids of a log.
    fn clear(&mut self, partition: &Partition, name: &Name) -> Result<(), Failure> {
        self.forget_expiry(partition, name)?;
        let (from, to) = name.contents();
        // Many times quicker than one row after another where there are many; some 150 ms for 100,000.
        self.rows
            .retain_in(from.as_slice()..to.as_slice(), |_, _| false)?;
        self.retire_head(name)
    }

    /// Removes at most `limit` fields, entries and members, and answers how many it removed.
    pub(super) fn remove_some(&mut self, name: &Name, limit: usize) -> Result<usize, Failure> {
        let (from, to) = name.contents();
        let mut removed = 0;
        for row in self
            .rows
            .extract_from_if(from.as_slice()..to.as_slice(), |_, _| true)?
            .take(limit)
        {
            row?;
            removed += 1;
        }
        Ok(removed)
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

    fn forget_expiry(&mut self, partition: &Partition, name: &Name) -> Result<(), Failure> {
        if let Some(at) = self.view(partition).expiry(name)? {
            self.rows.remove(name.row(EXPIRY, &[]).as_slice())?;
            self.expiries.remove(name.expiry(at).as_slice())?;
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
        self.rows
            .insert(name.row(FIELD, field.as_bytes()).as_slice(), value)?;
        Ok(())
    }

    fn head(&self, name: &Name) -> Result<Head, Failure> {
        match self.rows.get(name.row(HEAD, &[]).as_slice())? {
            Some(found) => Head::from_bytes(found.value()),
            None => Ok(Head::default()),
        }
    }

    fn set_head(&mut self, name: &Name, head: Head) -> Result<(), Failure> {
        self.rows
            .insert(name.row(HEAD, &[]).as_slice(), head.to_bytes().as_slice())?;
        Ok(())
    }

    fn trim(&mut self, name: &Name, keep: usize) -> Result<(), Failure> {
        let (from, to) = name.kind(ENTRY);
        let newest_that_goes = self
            .rows
            .range(from.as_slice()..to.as_slice())?
            .rev()
            .nth(keep)
            .transpose()?
            .map(|(row, _)| row.value().to_vec());
        if let Some(last) = newest_that_goes {
            self.rows
                .retain_in(from.as_slice()..=last.as_slice(), |_, _| false)?;
        }
        Ok(())
    }

    /// Takes a member out, if it has the score where one is named.
    fn unrank(&mut self, name: &Name, member: &str, at: Option<i64>) -> Result<(), Failure> {
        let row = name.row(MEMBER, member.as_bytes());
        let score = match self.rows.get(row.as_slice())? {
            Some(found) => rows::number(found.value())?,
            None => return Ok(()),
        };
        if at.is_none_or(|at| at == score) {
            self.rows.remove(row.as_slice())?;
            self.rows
                .remove(ranked_row(name, score, member.as_bytes()).as_slice())?;
        }
        Ok(())
    }

    fn unrank_up_to(&mut self, name: &Name, score: i64) -> Result<(), Failure> {
        let (from, end) = name.kind(RANKED);
        let to = match score.checked_add(1) {
            Some(above) => name.row(RANKED, &rows::ordered(above)),
            None => end,
        };
        let mut members = Vec::new();
        for row in self
            .rows
            .extract_from_if(from.as_slice()..to.as_slice(), |_, _| true)?
        {
            let (row, _) = row?;
            let (_, member) = rows::ranked(name.tail(row.value()))?;
            members.push(name.row(MEMBER, member));
        }
        for member in members {
            self.rows.remove(member.as_slice())?;
        }
        Ok(())
    }
}

fn ranked_row(name: &Name, score: i64, member: &[u8]) -> Vec<u8> {
    let mut tail = rows::ordered(score).to_vec();
    tail.extend_from_slice(member);
    name.row(RANKED, &tail)
}
