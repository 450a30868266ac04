//! An order at one moment: all that a forecast and a view need, whether it comes from this process or from Redis.

use std::{borrow::Cow, sync::Arc};

use crate::{
    name_hashes,
    order::{EntryId, Micros},
    request::{Band, Owner},
};

/// An order at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderSnapshot {
    /// The classes with somebody in the queue, once for each band; in any order.
    pub classes: Vec<ClassSnapshot>,
    /// Everybody in the queue, those whose place is held included. Sorted as [`OrderSnapshot::sort`] leaves it.
    pub entries: Vec<EntrySnapshot>,
    /// Since when nothing of the batch band has started though it has somebody in the queue.
    pub passed_over_since: Option<Micros>,
}

/// A class's part of a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSnapshot {
    /// The class.
    pub name: Arc<str>,
    /// The band.
    pub band: Band,
    /// Its weight.
    pub weight: u32,
    /// Its start tag: the class with the lowest is next.
    pub tag: u64,
    /// When the tag was set: the earliest goes first among equal tags.
    pub stamp: u64,
}

/// Somebody in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrySnapshot {
    /// The entry.
    pub id: EntryId,
    /// Its class: an index into [`OrderSnapshot::classes`].
    pub class: usize,
    /// Whose it is.
    pub student: StudentRef,
    /// Its student's place. Students of one class and band are told apart by it.
    pub place: u64,
    /// Sorts a student's own entries.
    pub arrival: u64,
    /// Since when it is in the queue.
    pub since: Micros,
    /// What it is for.
    pub purpose: Cow<'static, str>,
    /// The replica that it waits in.
    pub replica: usize,
    /// Whether it is absent, and its place held.
    pub held: bool,
}

/// Whose an entry is, as far as it is known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudentRef {
    /// The owner, in this process.
    Owner(Arc<Owner>),
    /// What stands for the student in Redis.
    Hash(Box<str>),
}

impl StudentRef {
    /// What stands for the student; empty for nobody in particular.
    #[must_use]
    pub fn hash(&self) -> String {
        match self {
            Self::Owner(owner) if owner.student.is_empty() => String::new(),
            Self::Owner(owner) => name_hashes::hash(&[&owner.class, &owner.student]),
            Self::Hash(nobody) if nobody.starts_with(name_hashes::NOBODY) => String::new(),
            Self::Hash(hash) => hash.to_string(),
        }
    }
}

impl OrderSnapshot {
    /// Sorts the entries by class, place and arrival.
    pub fn sort(&mut self) {
        self.entries
            .sort_unstable_by_key(|entry| (entry.class, entry.place, entry.arrival));
    }
}
