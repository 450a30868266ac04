//! A picture of an order: all that a forecast and a view need, whether it comes from this process or from Redis.

use std::{borrow::Cow, sync::Arc};

use crate::{
    ask::Band,
    order::{EntryId, Micros},
};

/// An order as it is at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineup {
    /// The classes with somebody in line, once for each band; in any order.
    pub classes: Vec<ClassLine>,
    /// Everybody in line, those whose place is held included. Sorted as [`Lineup::sort`] leaves it.
    pub entries: Vec<EntryLine>,
    /// Since when nothing of the batch band has started though it has somebody in line.
    pub passed_over_since: Option<Micros>,
}

/// A class's part of a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassLine {
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

/// Somebody in line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLine {
    /// The entry.
    pub id: EntryId,
    /// Its class: an index into [`Lineup::classes`].
    pub class: usize,
    /// Its pupil's place. Pupils of one class and band are told apart by it.
    pub place: u64,
    /// Sorts a pupil's own entries.
    pub arrival: u64,
    /// Since when it is in line.
    pub since: Micros,
    /// What it is for.
    pub purpose: Cow<'static, str>,
    /// The replica that it waits in.
    pub replica: usize,
    /// Whether it is absent, and its place held.
    pub held: bool,
}

impl Lineup {
    /// Sorts the entries by class, place and arrival.
    pub fn sort(&mut self) {
        self.entries
            .sort_unstable_by_key(|entry| (entry.class, entry.place, entry.arrival));
    }
}
