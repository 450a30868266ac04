//! What a transaction looks at: one state of a partition's rows, at one time.

use std::cell::RefCell;

use bytes::Bytes;
use redb::{AccessGuard, Range, ReadableTable};
use turnwise_embedded_file::Bytes as Column;

use super::{
    file::Failure,
    leases::Lease,
    rows::{self, ENTRY, EXPIRY, FIELD, Name, RANKED},
};
use crate::{Check, DAMAGED, Found, Key, Partition, Read, Refused, StoreError};

/// The name that was looked at last, and when it expires: a transaction's steps are often about the same.
pub(super) type Last = RefCell<Option<(Name, Option<i64>)>>;

/// The rows of a partition as they are at `now`, in milliseconds since 1970.
pub(super) struct View<'v, T> {
    pub(super) rows: &'v T,
    pub(super) partition: &'v Partition,
    pub(super) now: i64,
    /// True of `rows`: whoever changes when a name expires says it here.
    pub(super) last: &'v Last,
}

impl<T: ReadableTable<Column, Column>> View<'_, T> {
    /// The first check that does not hold.
    pub(super) fn refusal(
        &self,
        checks: &[Check],
        holder: impl Fn(&Name) -> Option<Lease>,
    ) -> Result<Option<Refused>, Failure> {
        for (check, wanted) in checks.iter().enumerate() {
            let refused = |told| {
                Ok(Some(Refused {
                    check,
                    told,
                    lease_remainder: None,
                }))
            };
            match wanted {
                Check::Absent { key, tell } => {
                    let name = self.name(key);
                    if self.is_record(&name)? {
                        return refused(self.fields(&name, tell)?);
                    }
                }
                Check::Present { key } => {
                    if !self.is_record(&self.name(key))? {
                        return refused(Vec::new());
                    }
                }
                Check::FieldIs {
                    key,
                    field,
                    value,
                    tell,
                } => {
                    let name = self.name(key);
                    let found = self.field(&name, field)?;
                    if found != *value {
                        if is_damaged(found.as_ref()) {
                            return Err(damaged(&name));
                        }
                        return refused(self.fields(&name, tell)?);
                    }
                }
                Check::FenceBelow { key, field, token } => {
                    let name = self.name(key);
                    let below = match self.field(&name, field)? {
                        Some(fence) => parse_token(&fence).ok_or_else(|| damaged(&name))? < *token,
                        None => true,
                    };
                    if !below {
                        return refused(Vec::new());
                    }
                }
                Check::LeaseFree { key, or_of } => {
                    let found = holder(&self.name(key));
                    let yields = |held: &[u8]| !or_of.is_empty() && held.starts_with(or_of);
                    if let Some(lease) = found.filter(|lease| !yields(&lease.holder)) {
                        return Ok(Some(Refused {
                            check,
                            told: vec![Some(lease.holder)],
                            lease_remainder: Some(lease.remainder),
                        }));
                    }
                }
                Check::LeaseHeld { key, token } => {
                    if holder(&self.name(key)).is_none_or(|lease| lease.token != *token) {
                        return refused(Vec::new());
                    }
                }
            }
        }
        Ok(None)
    }

    /// What the reads find.
    pub(super) fn find(&self, reads: &[Read]) -> Result<Vec<Found>, Failure> {
        reads.iter().map(|read| self.find_one(read)).collect()
    }

    fn find_one(&self, read: &Read) -> Result<Found, Failure> {
        Ok(match read {
            Read::Fields { key, fields } => Found::Fields(self.fields(&self.name(key), fields)?),
            Read::Record { key } => Found::Record(self.record(&self.name(key))?),
            Read::LogAfter { key, after, limit } => {
                let first = after.max(&0).saturating_add(1);
                Found::Entries(self.entries(key, first, i64::MAX, *limit, false)?)
            }
            Read::LogBefore { key, before, limit } => {
                // `i64::MAX` is no entry's id.
                Found::Entries(self.entries(key, 1, before.saturating_sub(1), *limit, true)?)
            }
            Read::Lowest {
                key,
                from,
                to,
                limit,
            } => Found::Members(self.members(key, *from, *to, *limit, false)?),
            Read::Highest {
                key,
                from,
                to,
                limit,
            } => Found::Members(self.members(key, *from, *to, *limit, true)?),
        })
    }

    fn name(&self, key: &Key) -> Name {
        Name::new(self.partition, key)
    }

    /// When a name expires.
    pub(super) fn expiry(&self, name: &Name) -> Result<Option<i64>, Failure> {
        if let Some((last, at)) = &*self.last.borrow()
            && last == name
        {
            return Ok(*at);
        }
        let row = name.row(EXPIRY, &[]);
        let found = self.rows.get(row.as_slice())?;
        let at = found
            .map(|found| {
                rows::value(&row, found.value())
                    .and_then(rows::number)
                    .ok_or_else(|| damaged(name))
            })
            .transpose()?;
        *self.last.borrow_mut() = Some((name.clone(), at));
        Ok(at)
    }

    /// Whether a name counts as absent, whatever is still stored.
    pub(super) fn has_expired(&self, name: &Name) -> Result<bool, Failure> {
        Ok(self.expiry(name)?.is_some_and(|at| at <= self.now))
    }

    /// Whether there are rows of a kind, expired or not.
    pub(super) fn has_any(&self, name: &Name, kind: u8) -> Result<bool, Failure> {
        let (from, to) = name.kind(kind);
        let mut range = self.rows.range(from.as_slice()..to.as_slice())?;
        Ok(range.next().transpose()?.is_some())
    }

    fn is_record(&self, name: &Name) -> Result<bool, Failure> {
        Ok(self.has_any(name, FIELD)? && !self.has_expired(name)?)
    }

    fn field(&self, name: &Name, field: &str) -> Result<Option<Bytes>, Failure> {
        let row = name.row(FIELD, field.as_bytes());
        match self.rows.get(row.as_slice())? {
            Some(found) if !self.has_expired(name)? => Ok(Some(value(name, &row, &found))),
            _ => Ok(None),
        }
    }

    fn fields(
        &self,
        name: &Name,
        fields: &[impl AsRef<str>],
    ) -> Result<Vec<Option<Bytes>>, Failure> {
        if self.has_expired(name)? {
            return Ok(vec![None; fields.len()]);
        }
        fields
            .iter()
            .map(|field| {
                let row = name.row(FIELD, field.as_ref().as_bytes());
                let found = self.rows.get(row.as_slice())?;
                Ok(found.map(|found| value(name, &row, &found)))
            })
            .collect()
    }

    fn record(&self, name: &Name) -> Result<Vec<(String, Bytes)>, Failure> {
        if self.has_expired(name)? {
            return Ok(Vec::new());
        }
        let (from, to) = name.kind(FIELD);
        let range = self.rows.range(from.as_slice()..to.as_slice())?;
        collect(range, usize::MAX, false, |row, found| {
            let field = String::from_utf8(name.tail(row).to_vec());
            let field = field.map_err(|_| damaged(name))?;
            Ok((field, value(name, row, found)))
        })
    }

    fn entries(
        &self,
        key: &Key,
        first: i64,
        last: i64,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<(i64, Bytes)>, Failure> {
        let name = self.name(key);
        if last < first || self.has_expired(&name)? {
            return Ok(Vec::new());
        }
        let from = name.row(ENTRY, &rows::ordered(first));
        let to = name.row(ENTRY, &rows::ordered(last));
        let range = self.rows.range(from.as_slice()..=to.as_slice())?;
        collect(range, limit, newest_first, |row, found| {
            let id = rows::number(name.tail(row)).ok_or_else(|| damaged(&name))?;
            Ok((id, value(&name, row, found)))
        })
    }

    fn members(
        &self,
        key: &Key,
        from: i64,
        to: i64,
        limit: usize,
        highest_first: bool,
    ) -> Result<Vec<(String, i64)>, Failure> {
        let name = self.name(key);
        if to < from || self.has_expired(&name)? {
            return Ok(Vec::new());
        }
        let first = name.row(RANKED, &rows::ordered(from));
        let end = match to.checked_add(1) {
            Some(above) => name.row(RANKED, &rows::ordered(above)),
            None => name.kind(RANKED).1,
        };
        let range = self.rows.range(first.as_slice()..end.as_slice())?;
        collect(range, limit, highest_first, |row, found| {
            let (score, member) = rows::value(row, found.value())
                .and_then(|_| rows::ranked(name.tail(row)))
                .ok_or_else(|| damaged(&name))?;
            let member = String::from_utf8(member.to_vec());
            Ok((member.map_err(|_| damaged(&name))?, score))
        })
    }
}

/// The token that a fence holds; decimal digits, so that every store writes the same.
fn parse_token(fence: &[u8]) -> Option<i64> {
    std::str::from_utf8(fence).ok()?.parse().ok()
}

/// A row of this name is not what was written.
pub(super) fn damaged(name: &Name) -> Failure {
    Failure::Owner(StoreError::Damaged { key: name.key() })
}

fn is_damaged(found: Option<&Bytes>) -> bool {
    found.is_some_and(|found| *found == DAMAGED)
}

/// The value of a row, [`DAMAGED`] if it is not what was written.
fn value(name: &Name, row: &[u8], found: &AccessGuard<'_, Column>) -> Bytes {
    rows::value(row, found.value()).map_or_else(
        || {
            tracing::error!(
                name = name.key().as_str(),
                "a row of the embedded store is damaged"
            );
            Bytes::from_static(DAMAGED)
        },
        Bytes::copy_from_slice,
    )
}

fn collect<R>(
    mut range: Range<'_, Column, Column>,
    limit: usize,
    backwards: bool,
    read: impl Fn(&[u8], &AccessGuard<'_, Column>) -> Result<R, Failure>,
) -> Result<Vec<R>, Failure> {
    let mut found = Vec::new();
    while found.len() < limit {
        let next = if backwards {
            range.next_back()
        } else {
            range.next()
        };
        let Some(row) = next else { break };
        let (row, value) = row?;
        found.push(read(row.value(), &value)?);
    }
    Ok(found)
}
