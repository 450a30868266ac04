//! One band of an order: its classes by their tags.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    Entry, EntryId, SCALE,
    class::{ClassOrder, StudentName},
};
use crate::{
    request::Band,
    snapshot::{ClassSnapshot, EntrySnapshot, OrderSnapshot, StudentRef},
};

/// Where an entry is in its band.
#[derive(Debug, Clone)]
pub(super) struct Location {
    class: Arc<str>,
    student: StudentName,
    arrival: u64,
}

/// A class's key in the set of those that may be next. Its order is the order of starts.
type Key = (u64, u64, Arc<str>);

/// One band.
#[derive(Debug, Default)]
pub(super) struct BandOrder {
    /// V: the tag of the last start.
    virtual_time: u64,
    classes: HashMap<Arc<str>, ClassOrder>,
    /// The classes with somebody present.
    ready: BTreeSet<Key>,
    /// The tags beyond V of classes with nobody in the queue.
    finished: HashMap<Arc<str>, u64>,
    present: usize,
}

impl BandOrder {
    /// How many are present.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// Adds an entry.
    pub(super) fn insert(&mut self, entry: &Entry, place: u64, mut arrival: u64) -> Location {
        let name = match self.classes.get_key_value(entry.owner.class.as_str()) {
            Some((name, _)) => Arc::clone(name),
            None => self.open(&entry.owner.class, place),
        };
        let student = StudentName::of(entry);
        let held = entry.held_until.is_some();
        self.change(&name, |class| {
            class.weight = entry.weight;
            arrival = class.insert(&student, entry.id, place, arrival, held);
        });
        Location {
            class: name,
            student,
            arrival,
        }
    }

    /// Brings a class into the queue.
    fn open(&mut self, class: &str, stamp: u64) -> Arc<str> {
        let (name, finished) = match self.finished.remove_entry(class) {
            Some((name, tag)) => (name, tag),
            None => (Arc::from(class), 0),
        };
        let tag = finished.max(self.virtual_time);
        self.classes
            .insert(Arc::clone(&name), ClassOrder::new(tag, stamp));
        name
    }

    /// Gives an entry's place to another entry, which is present.
    pub(super) fn rename(&mut self, location: &Location, id: EntryId, was_held: bool) {
        self.change(&location.class, |class| {
            class.rename(&location.student, location.arrival, id);
            if was_held {
                class.set_held(&location.student, location.arrival, false);
            }
        });
    }

    /// Makes a present entry absent.
    pub(super) fn leave_held(&mut self, location: &Location) {
        self.change(&location.class, |class| {
            class.set_held(&location.student, location.arrival, true)
        });
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, location: &Location) {
        self.change(&location.class, |class| {
            class.remove(&location.student, location.arrival)
        });
        self.close_if_empty(&location.class);
    }

    /// Takes the next present entry out, as it starts.
    pub(super) fn start(&mut self, tick: u64) -> Option<EntryId> {
        let (tag, _, name) = self.ready.first().cloned()?;
        let mut started = None;
        self.change(&name, |class| {
            started = class.start(tick);
            class.tag = tag + SCALE / u64::from(class.weight.max(1));
            class.stamp = tick;
        });
        self.virtual_time = self.virtual_time.max(tag);
        self.close_if_empty(&name);
        started
    }

    /// Changes a class, and what the band knows of it.
    fn change(&mut self, name: &Arc<str>, change: impl FnOnce(&mut ClassOrder)) {
        let Some(class) = self.classes.get_mut(name) else {
            return;
        };
        let (key, present) = ((class.tag, class.stamp, Arc::clone(name)), class.present());
        change(class);
        let now = (class.tag, class.stamp, Arc::clone(name));
        self.present = self.present + class.present() - present;
        let (was_ready, is_ready) = (present > 0, class.present() > 0);
        if was_ready && !(is_ready && key == now) {
            self.ready.remove(&key);
        }
        if is_ready && !(was_ready && key == now) {
            self.ready.insert(now);
        }
    }

    /// Takes a class out of the queue that has nobody left; a band with nobody left forgets everything.
    fn close_if_empty(&mut self, name: &Arc<str>) {
        if self.classes.get(name).is_none_or(|class| !class.is_empty()) {
            return;
        }
        if let Some(class) = self.classes.remove(name)
            && class.tag > self.virtual_time
        {
            self.finished.insert(Arc::clone(name), class.tag);
        }
        if self.classes.is_empty() {
            self.virtual_time = 0;
            self.finished.clear();
        } else if self.finished.len() > 2 * self.classes.len() + 16 {
            let virtual_time = self.virtual_time;
            self.finished.retain(|_, tag| *tag > virtual_time);
        }
    }

    /// Adds the band to a snapshot of the order, sorted.
    pub(super) fn snapshot(
        &self,
        band: Band,
        entries: &HashMap<EntryId, (Entry, Location)>,
        snapshot: &mut OrderSnapshot,
    ) {
        for (name, class) in &self.classes {
            let index = snapshot.classes.len();
            snapshot.classes.push(ClassSnapshot {
                name: Arc::clone(name),
                band,
                weight: class.weight,
                tag: class.tag,
                stamp: class.stamp,
            });
            class.for_each(|id, place, arrival| {
                if let Some((entry, _)) = entries.get(&id) {
                    snapshot.entries.push(EntrySnapshot {
                        id,
                        class: index,
                        student: StudentRef::Owner(Arc::clone(&entry.owner)),
                        place,
                        arrival,
                        since: entry.since,
                        purpose: entry.owner.purpose.into(),
                        replica: entry.replica,
                        held: entry.held_until.is_some(),
                    });
                }
            });
        }
    }
}
