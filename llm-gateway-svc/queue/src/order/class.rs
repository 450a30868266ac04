//! One class of a band: its pupils by their places.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{Entry, EntryId};

/// Tells the pupils of a class apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum PupilName {
    /// Somebody.
    Named(Arc<str>),
    /// Nobody in particular: each request is a pupil of its own.
    Nobody(EntryId),
}

impl PupilName {
    /// Whose an entry is.
    pub(super) fn of(entry: &Entry) -> Self {
        match entry.owner.pupil.as_str() {
            "" => Self::Nobody(entry.id),
            name => Self::Named(Arc::from(name)),
        }
    }
}

/// A pupil's entries.
#[derive(Debug)]
struct Pupil {
    name: PupilName,
    /// By arrival, with whether each is held. Few: one for each thread and purpose.
    entries: Vec<(u64, EntryId, bool)>,
}

/// One class.
#[derive(Debug)]
pub(super) struct ClassOrder {
    /// Its weight.
    pub(super) weight: u32,
    /// Its start tag.
    pub(super) tag: u64,
    /// When the tag was set.
    pub(super) stamp: u64,
    places: HashMap<PupilName, u64>,
    pupils: BTreeMap<u64, Pupil>,
    /// The places of the pupils with somebody present.
    ready: BTreeSet<u64>,
    present: usize,
}

impl ClassOrder {
    /// A class with nobody in it.
    pub(super) fn new(tag: u64, stamp: u64) -> Self {
        Self {
            weight: 1,
            tag,
            stamp,
            places: HashMap::new(),
            pupils: BTreeMap::new(),
            ready: BTreeSet::new(),
            present: 0,
        }
    }

    /// How many are present.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// Whether nobody is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.pupils.is_empty()
    }

    /// Adds an entry; returns its arrival. Its pupil keeps its place, unless the given one is earlier.
    pub(super) fn insert(
        &mut self,
        name: &PupilName,
        id: EntryId,
        place: u64,
        mut arrival: u64,
        held: bool,
    ) -> u64 {
        let pupil = match self
            .places
            .get(name)
            .copied()
            .and_then(|old| self.take(old))
        {
            Some(pupil) => pupil,
            None => Pupil {
                name: name.clone(),
                entries: Vec::new(),
            },
        };
        let place = self.places.get(name).map_or(place, |old| place.min(*old));
        let place = self.put(place, pupil);
        if let Some(pupil) = self.pupils.get_mut(&place) {
            // Arrivals from two orders may be equal.
            while pupil.entries.iter().any(|(other, ..)| *other == arrival) {
                arrival += 1;
            }
            let index = pupil
                .entries
                .partition_point(|(other, ..)| *other < arrival);
            pupil.entries.insert(index, (arrival, id, held));
        }
        self.present += usize::from(!held);
        self.note(place);
        arrival
    }

    /// Gives an entry's place to another.
    pub(super) fn rename(&mut self, name: &PupilName, arrival: u64, id: EntryId) {
        if let Some((_, entry)) = self.find(name, arrival) {
            entry.1 = id;
        }
    }

    /// Makes an entry absent or present.
    pub(super) fn set_held(&mut self, name: &PupilName, arrival: u64, held: bool) {
        let Some((place, entry)) = self.find(name, arrival) else {
            return;
        };
        let was = std::mem::replace(&mut entry.2, held);
        self.present = self.present + usize::from(was) - usize::from(held);
        self.note(place);
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, name: &PupilName, arrival: u64) {
        let Some(place) = self.places.get(name).copied() else {
            return;
        };
        let Some(pupil) = self.pupils.get_mut(&place) else {
            return;
        };
        if let Some(index) = pupil
            .entries
            .iter()
            .position(|(other, ..)| *other == arrival)
        {
            let (.., held) = pupil.entries.remove(index);
            self.present -= usize::from(!held);
        }
        if pupil.entries.is_empty() {
            self.take(place);
            self.places.remove(name);
        } else {
            self.note(place);
        }
    }

    /// Takes out the first present entry of the first pupil who has one. If others of the pupil wait on, its place is now
    /// `place`.
    pub(super) fn start(&mut self, place: u64) -> Option<EntryId> {
        let first = *self.ready.first()?;
        let mut pupil = self.take(first)?;
        let index = pupil.entries.iter().position(|(.., held)| !held)?;
        let (_, id, _) = pupil.entries.remove(index);
        self.present -= 1;
        if pupil.entries.is_empty() {
            self.places.remove(&pupil.name);
        } else {
            let place = self.put(place, pupil);
            self.note(place);
        }
        Some(id)
    }

    /// Names each entry with its pupil's place and its arrival, in their order.
    pub(super) fn draw(&self, mut each: impl FnMut(EntryId, u64, u64)) {
        for (place, pupil) in &self.pupils {
            for (arrival, id, _) in &pupil.entries {
                each(*id, *place, *arrival);
            }
        }
    }

    /// Takes a pupil from its place.
    fn take(&mut self, place: u64) -> Option<Pupil> {
        self.ready.remove(&place);
        self.pupils.remove(&place)
    }

    /// Puts a pupil at a place, or at the next one that is nobody's: places from two orders may be equal.
    fn put(&mut self, mut place: u64, pupil: Pupil) -> u64 {
        while self.pupils.contains_key(&place) {
            place += 1;
        }
        self.places.insert(pupil.name.clone(), place);
        self.pupils.insert(place, pupil);
        place
    }

    /// Keeps account of whether a pupil has somebody present.
    fn note(&mut self, place: u64) {
        let present = |pupil: &Pupil| pupil.entries.iter().any(|(.., held)| !held);
        if self.pupils.get(&place).is_some_and(present) {
            self.ready.insert(place);
        } else {
            self.ready.remove(&place);
        }
    }

    fn find(&mut self, name: &PupilName, arrival: u64) -> Option<(u64, &mut (u64, EntryId, bool))> {
        let place = *self.places.get(name)?;
        let entries = &mut self.pupils.get_mut(&place)?.entries;
        let entry = entries.iter_mut().find(|(other, ..)| *other == arrival)?;
        Some((place, entry))
    }
}
