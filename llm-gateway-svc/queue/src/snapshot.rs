//! An order at one moment: all that a forecast and a view need, whether it comes from this process or from Redis.

use std::{borrow::Cow, sync::Arc};

use crate::{
    order::{EntryId, Micros},
    request::Band,
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

impl OrderSnapshot {
    /// Sorts the entries by class, place and arrival.
    pub fn sort(&mut self) {
        self.entries
            .sort_unstable_by_key(|entry| (entry.class, entry.place, entry.arrival));
    }
}
