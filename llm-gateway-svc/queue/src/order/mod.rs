//! Who is next: an order of entries by band, class, student and arrival.
//!
//! - **Bands**: interactive before batch; but if nothing of the batch band has started for `aging` though somebody present
//!   waited in it all the time, one batch entry goes first.
//! - **Classes** of a band: start-time fair queueing. A class that comes into the queue gets the tag `max(its last tag, V)`; the
//!   lowest tag is next, among equals the earliest set, then the name. A start sets `V` to the tag and adds
//!   [`SCALE`]` / weight` to it. A band without any entry forgets its tags: nobody is owed anything.
//!   (Goyal, Vin and Cheng, *Start-time fair queueing*, 1996.)
//! - **Students** of a class: by place. A student gets the next place when it comes into the queue, and again when one of its
//!   entries starts and others wait on. So between its place and its start each other student starts at most once.
//! - **A student's entries**: by arrival. One that takes over another's place has its arrival as well.
//! - **Held** entries are absent: they keep their place and are passed over until they return or expire.
//!
//! Places, arrivals and the stamps that tell equal tags apart are ticks of one counter, `max(last + 1, now)`. Adding an
//! entry takes one tick for all that it sets, and so does a start. The module is pure: `now` is passed in.

mod band;
mod class;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    request::{Band, Owner},
    snapshot::OrderSnapshot,
};
use band::{BandOrder, Location};

/// A time on a queue's clock, in microseconds.
pub type Micros = u64;

/// The id of an entry in a queue.
pub type EntryId = u64;

/// What a call adds to the tag of a class of weight 1.
pub const SCALE: u64 = 1_000_000;

/// Somebody in the queue.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// Whose it is.
    pub owner: Arc<Owner>,
    /// Its band.
    pub band: Band,
    /// The weight of its class: 1 to 1000.
    pub weight: u32,
    /// Since when it is in the queue.
    pub since: Micros,
    /// The replica that it waits in.
    pub replica: usize,
    /// It is absent, and its place is held until then.
    pub held_until: Option<Micros>,
}

/// An order of entries.
#[derive(Debug)]
pub struct Order {
    aging: Micros,
    interactive: BandOrder,
    batch: BandOrder,
    entries: HashMap<EntryId, (Entry, Location)>,
    /// The entries of those who are somebody.
    owners: HashMap<Arc<Owner>, EntryId>,
    /// The held entries, by their end.
    held: BTreeSet<(Micros, EntryId)>,
    /// Since when nothing of the batch band has started though somebody present waits in it.
    passed_over_since: Option<Micros>,
    last_tick: u64,
}

impl Order {
    /// An empty order that lets one batch entry start in each `aging`.
    pub fn new(aging: Micros) -> Self {
        Self {
            aging,
            interactive: BandOrder::default(),
            batch: BandOrder::default(),
            entries: HashMap::new(),
            owners: HashMap::new(),
            held: BTreeSet::new(),
            passed_over_since: None,
            last_tick: 0,
        }
    }

    /// How many are in the queue, those whose place is held included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nobody is in the queue.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many are in the queue and present.
    pub fn present(&self) -> usize {
        self.interactive.present() + self.batch.present()
    }

    /// An entry.
    pub fn get(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(&id).map(|(entry, _)| entry)
    }

    /// The entry of an owner; none for nobody, whose requests are owners of their own.
    pub fn of(&self, owner: &Owner) -> Option<&Entry> {
        self.get(*self.owners.get(owner)?)
    }

    /// Adds an entry at the end of its student's, with a new place if the student has no other. Its owner has none.
    pub fn add(&mut self, entry: Entry, now: Micros) {
        let tick = self.tick(now);
        self.insert(entry, tick, tick, now);
    }

    /// Adds an entry that has been in another order with its place and arrival there. Its owner has none here.
    pub fn add_at(&mut self, entry: Entry, place: u64, arrival: u64, now: Micros) {
        self.last_tick = self.last_tick.max(place).max(arrival);
        self.insert(entry, place, arrival, now);
    }

    fn insert(&mut self, entry: Entry, place: u64, arrival: u64, now: Micros) {
        if let Some(until) = entry.held_until {
            self.held.insert((until, entry.id));
        }
        if !entry.owner.student.is_empty() {
            self.owners.insert(Arc::clone(&entry.owner), entry.id);
        }
        let location = self.band(entry.band).insert(&entry, place, arrival);
        self.entries.insert(entry.id, (entry, location));
        self.note_batch(now);
    }

    /// Puts a present entry in the place of another of the same owner and band, and returns that one; adds it if there is
    /// none.
    pub fn take_over(&mut self, id: EntryId, newer: Entry, now: Micros) -> Option<Entry> {
        let Some((older, location)) = self.entries.remove(&id) else {
            self.add(newer, now);
            return None;
        };
        if let Some(until) = older.held_until {
            self.held.remove(&(until, id));
        }
        self.band(older.band)
            .rename(&location, newer.id, older.held_until.is_some());
        if !newer.owner.student.is_empty() {
            self.owners.insert(Arc::clone(&newer.owner), newer.id);
        }
        self.entries.insert(newer.id, (newer, location));
        self.note_batch(now);
        Some(older)
    }

    /// Makes an entry absent, with its place held until then.
    pub fn hold(&mut self, id: EntryId, until: Micros, now: Micros) {
        let Some((entry, location)) = self.entries.get_mut(&id) else {
            return;
        };
        let (band, location) = (entry.band, location.clone());
        if let Some(before) = entry.held_until.replace(until) {
            self.held.remove(&(before, id));
        } else {
            self.band(band).leave_held(&location);
        }
        self.held.insert((until, id));
        self.note_batch(now);
    }

    /// Takes an entry out.
    pub fn remove(&mut self, id: EntryId, now: Micros) -> Option<Entry> {
        let (entry, location) = self.entries.remove(&id)?;
        self.forget(&entry);
        self.band(entry.band).remove(&location);
        self.note_batch(now);
        Some(entry)
    }

    /// Takes the next present entry out, as it starts.
    pub fn start(&mut self, now: Micros) -> Option<Entry> {
        let band = self.next_band(now)?;
        let tick = self.tick(now);
        let id = self.band(band).start(tick)?;
        let (entry, _) = self.entries.remove(&id)?;
        self.forget(&entry);
        if band == Band::Batch {
            self.passed_over_since = None;
        }
        self.note_batch(now);
        Some(entry)
    }

    /// Takes those out whose place is no longer held at `now`; returns whether there were any.
    pub fn expire(&mut self, now: Micros) -> bool {
        let mut any = false;
        while let Some((until, id)) = self.held.first().copied()
            && until < now
        {
            any = true;
            if self.remove(id, now).is_none() {
                self.held.remove(&(until, id));
            }
        }
        any
    }

    /// When the first held place expires.
    pub fn next_expiry(&self) -> Option<Micros> {
        self.held.first().map(|(until, _)| *until)
    }

    /// The order at this moment.
    pub fn snapshot(&self) -> OrderSnapshot {
        let mut snapshot = OrderSnapshot {
            classes: Vec::new(),
            entries: Vec::with_capacity(self.entries.len()),
            passed_over_since: self.passed_over_since,
        };
        self.interactive
            .snapshot(Band::Interactive, &self.entries, &mut snapshot);
        self.batch
            .snapshot(Band::Batch, &self.entries, &mut snapshot);
        snapshot
    }

    /// The band that the next start is from.
    fn next_band(&self, now: Micros) -> Option<Band> {
        let aged = self
            .passed_over_since
            .is_some_and(|since| now.saturating_sub(since) >= self.aging);
        match (self.interactive.present(), self.batch.present()) {
            (0, 0) => None,
            (_, 0) => Some(Band::Interactive),
            (0, _) => Some(Band::Batch),
            _ if aged => Some(Band::Batch),
            _ => Some(Band::Interactive),
        }
    }

    /// Keeps account of since when the batch band is passed over.
    fn note_batch(&mut self, now: Micros) {
        if self.batch.present() == 0 {
            self.passed_over_since = None;
        } else if self.passed_over_since.is_none() {
            self.passed_over_since = Some(now);
        }
    }

    fn forget(&mut self, entry: &Entry) {
        if let Some(until) = entry.held_until {
            self.held.remove(&(until, entry.id));
        }
        if self.owners.get(&entry.owner) == Some(&entry.id) {
            self.owners.remove(&entry.owner);
        }
    }

    fn band(&mut self, band: Band) -> &mut BandOrder {
        match band {
            Band::Interactive => &mut self.interactive,
            Band::Batch => &mut self.batch,
        }
    }

    fn tick(&mut self, now: Micros) -> u64 {
        self.last_tick = now.max(self.last_tick + 1);
        self.last_tick
    }
}
