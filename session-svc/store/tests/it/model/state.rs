//! The model: maps in memory, and what each check, write and read means for them.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use turnwise_session_store::{Check, Found, Key, Outcome, Read, Refused, Transaction, Write};

use super::script::{CURRENT, LATEST};

type Name = (usize, Key);

#[derive(Debug, Default)]
struct Log {
    last: i64,
    there: bool,
    entries: BTreeMap<i64, Bytes>,
}

/// Both partitions, as they must be.
#[derive(Debug, Default)]
pub struct Model {
    now: Duration,
    records: BTreeMap<Name, BTreeMap<String, Bytes>>,
    logs: BTreeMap<Name, Log>,
    rankings: BTreeMap<Name, BTreeMap<String, i64>>,
    expiries: BTreeMap<Name, Duration>,
    leases: BTreeMap<Name, (i64, Bytes)>,
    /// The last token of each partition.
    latest: [i64; 2],
}

impl Model {
    pub fn pass(&mut self, time: Duration) {
        self.now += time;
        let now = self.now;
        let expired = self.expiries.iter().filter(|(_, at)| **at <= now);
        for name in expired.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.expiries.remove(&name);
            self.records.remove(&name);
            self.rankings.remove(&name);
            if let Some(log) = self.logs.get_mut(&name) {
                log.entries.clear();
                log.there = false;
            }
        }
    }

    /// Puts real tokens where a script says which it means.
    pub fn resolve(&self, partition: usize, mut transaction: Transaction) -> Transaction {
        for check in &mut transaction.checks {
            let (token, current) = match check {
                Check::LeaseHeld { key, token } => {
                    let lease = self.leases.get(&(partition, key.clone()));
                    (token, lease.map(|(token, _)| *token))
                }
                Check::FenceBelow { key, field, token } => {
                    let fence = self.field(&(partition, key.clone()), field);
                    (token, fence.map(|fence| parse(&fence)))
                }
                _ => continue,
            };
            match *token {
                CURRENT => *token = current.unwrap_or(1),
                LATEST => *token = self.latest[partition] + 1,
                _ => {}
            }
        }
        transaction
    }

    /// Runs the transaction and compares what comes of it with what the store says.
    pub fn compare(&mut self, partition: usize, transaction: &Transaction, outcome: &Outcome) {
        let refused = transaction
            .checks
            .iter()
            .enumerate()
            .find_map(|(place, check)| self.refuse(partition, place, check));
        let applied = match (refused, outcome) {
            (None, Outcome::Applied(applied)) => applied,
            (Some(expected), Outcome::Refused(refused)) => {
                let remainders = [&expected, refused].map(|r| r.lease_remainder.is_some());
                assert_eq!(remainders[0], remainders[1], "{transaction:?}");
                assert_eq!(
                    (refused.check, &refused.told),
                    (expected.check, &expected.told),
                    "{transaction:?}"
                );
                return;
            }
            (expected, outcome) => panic!("{transaction:?}: {outcome:?} and not {expected:?}"),
        };
        let mints = transaction
            .writes
            .iter()
            .any(|write| matches!(write, Write::TakeLease { .. } | Write::Fence { .. }));
        assert_eq!(applied.token.is_some(), mints, "{transaction:?}");
        if let Some(token) = applied.token {
            assert!(token > self.latest[partition], "tokens rise");
            self.latest[partition] = token;
        }
        for write in &transaction.writes {
            self.write(partition, write, applied.token);
        }
        let found: Vec<_> = transaction
            .reads
            .iter()
            .map(|read| self.read(partition, read))
            .collect();
        assert_eq!(applied.found, found, "{transaction:?}");
    }

    fn field(&self, name: &Name, field: &str) -> Option<Bytes> {
        self.records.get(name)?.get(field).cloned()
    }

    fn refuse(&self, partition: usize, place: usize, check: &Check) -> Option<Refused> {
        let named = |key: &Key| (partition, key.clone());
        let told = |key: &Key, tell: &[&str]| {
            tell.iter()
                .map(|field| self.field(&named(key), field))
                .collect::<Vec<_>>()
        };
        let mut remainder = None;
        let (holds, told) = match check {
            Check::Absent { key, tell } => {
                (!self.records.contains_key(&named(key)), told(key, tell))
            }
            Check::Present { key } => (self.records.contains_key(&named(key)), vec![]),
            Check::FieldIs {
                key,
                field,
                value,
                tell,
            } => (self.field(&named(key), field) == *value, told(key, tell)),
            Check::FenceBelow { key, field, token } => {
                let fence = self.field(&named(key), field);
                (fence.is_none_or(|fence| parse(&fence) < *token), vec![])
            }
            Check::LeaseFree { key, or_of } => match self.leases.get(&named(key)) {
                Some((_, holder)) if or_of.is_empty() || !holder.starts_with(or_of) => {
                    remainder = Some(Duration::ZERO);
                    (false, vec![Some(holder.clone())])
                }
                _ => (true, vec![]),
            },
            Check::LeaseHeld { key, token } => {
                let lease = self.leases.get(&named(key));
                (lease.is_some_and(|(held, _)| held == token), vec![])
            }
        };
        (!holds).then_some(Refused {
            check: place,
            told,
            lease_remainder: remainder,
        })
    }

    fn write(&mut self, partition: usize, write: &Write, token: Option<i64>) {
        let named = |key: &Key| (partition, key.clone());
        match write {
            Write::Put { key, fields } => {
                let record = self.records.entry(named(key)).or_default();
                for (field, value) in fields {
                    record.insert(field.to_string(), value.clone());
                }
            }
            Write::Add { key, fields } => {
                let record = self.records.entry(named(key)).or_default();
                for (field, by) in fields {
                    let now = record
                        .get(field.as_ref())
                        .and_then(|value| std::str::from_utf8(value).ok()?.parse::<i64>().ok());
                    let sum = now.unwrap_or(0) + by;
                    record.insert(field.to_string(), sum.to_string().into());
                }
            }
            Write::Unset { key, fields } => {
                if let Some(record) = self.records.get_mut(&named(key)) {
                    record.retain(|field, _| !fields.iter().any(|gone| gone == field));
                }
            }
            Write::Remove { key } => {
                self.records.remove(&named(key));
                self.logs.remove(&named(key));
                self.rankings.remove(&named(key));
            }
            Write::Expire { key, after } | Write::Keep { key, after } => {
                self.expiries.insert(named(key), self.now + *after);
            }
            Write::Append { key, entries } => {
                let log = self.logs.entry(named(key)).or_default();
                log.there = true;
                for entry in entries {
                    log.last += 1;
                    log.entries.insert(log.last, entry.clone());
                }
            }
            Write::Trim { key, keep } => {
                if let Some(log) = self.logs.get_mut(&named(key)) {
                    while log.entries.len() > *keep {
                        log.entries.pop_first();
                    }
                }
            }
            Write::Rank { key, member, score } => {
                let ranking = self.rankings.entry(named(key)).or_default();
                ranking.insert(member.clone(), *score);
            }
            Write::Unrank { key, members } => {
                self.keep(&named(key), |member, _| !members.contains(member));
            }
            Write::UnrankAt { key, members } => {
                self.keep(&named(key), |member, score| {
                    !members.contains(&(member.clone(), score))
                });
            }
            Write::UnrankUpTo { key, score: most } => {
                self.keep(&named(key), |_, score| score > *most);
            }
            Write::TakeLease { key, holder, .. } => {
                let lease = (token.unwrap(), holder.clone());
                self.leases.insert(named(key), lease);
            }
            Write::RenewLease { .. } => {}
            Write::ReleaseLease { key } => {
                self.leases.remove(&named(key));
            }
            Write::Fence { key, field } => {
                let record = self.records.entry(named(key)).or_default();
                let token = token.unwrap().to_string();
                record.insert((*field).to_owned(), Bytes::from(token));
            }
        }
        // What is empty is gone, and what is gone does not expire.
        self.records.retain(|_, record| !record.is_empty());
        self.rankings.retain(|_, ranking| !ranking.is_empty());
        let (records, rankings, logs) = (&self.records, &self.rankings, &self.logs);
        self.expiries.retain(|name, _| {
            records.contains_key(name)
                || rankings.contains_key(name)
                || logs.get(name).is_some_and(|log| log.there)
        });
    }

    fn keep(&mut self, name: &Name, stays: impl Fn(&String, i64) -> bool) {
        if let Some(ranking) = self.rankings.get_mut(name) {
            ranking.retain(|member, score| stays(member, *score));
        }
    }

    fn read(&self, partition: usize, read: &Read) -> Found {
        let named = |key: &Key| (partition, key.clone());
        match read {
            Read::Fields { key, fields } => Found::Fields(
                fields
                    .iter()
                    .map(|field| self.field(&named(key), field))
                    .collect(),
            ),
            Read::Record { key } => Found::Record(
                self.records
                    .get(&named(key))
                    .cloned()
                    .unwrap_or_default()
                    .into_iter()
                    .collect(),
            ),
            Read::LogAfter { key, after, limit } => Found::Entries(
                self.entries(&named(key))
                    .filter(|(id, _)| id > after)
                    .take(*limit)
                    .collect(),
            ),
            Read::LogBefore { key, before, limit } => Found::Entries(
                self.entries(&named(key))
                    .rev()
                    .filter(|(id, _)| id < before)
                    .take(*limit)
                    .collect(),
            ),
            Read::Lowest {
                key,
                from,
                to,
                limit,
            } => {
                let mut members = self.members(&named(key), *from, *to);
                members.truncate(*limit);
                Found::Members(members)
            }
            Read::Highest {
                key,
                from,
                to,
                limit,
            } => {
                let mut members = self.members(&named(key), *from, *to);
                members.reverse();
                members.truncate(*limit);
                Found::Members(members)
            }
        }
    }

    fn entries(&self, name: &Name) -> impl DoubleEndedIterator<Item = (i64, Bytes)> {
        let entries = self.logs.get(name).map(|log| log.entries.clone());
        entries.unwrap_or_default().into_iter()
    }

    fn members(&self, name: &Name, from: i64, to: i64) -> Vec<(String, i64)> {
        let ranking = self.rankings.get(name).cloned().unwrap_or_default();
        let mut members: Vec<_> = ranking
            .into_iter()
            .filter(|(_, score)| from <= *score && *score <= to)
            .collect();
        // Stable: members with one score stay in the order of their bytes.
        members.sort_by_key(|(_, score)| *score);
        members
    }
}

fn parse(fence: &Bytes) -> i64 {
    std::str::from_utf8(fence).unwrap().parse().unwrap()
}
