//! One class of a band: its students by their places.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{Entry, EntryId};

/// Tells the students of a class apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum StudentName {
    /// Somebody.
    Named(Arc<str>),
    /// Nobody in particular: each request is a student of its own.
    Nobody(EntryId),
}

impl StudentName {
    /// Whose an entry is.
    pub(super) fn of(entry: &Entry) -> Self {
        match entry.owner.student.as_str() {
            "" => Self::Nobody(entry.id),
            name => Self::Named(Arc::from(name)),
        }
    }
}

/// A student's entries.
#[derive(Debug)]
struct Student {
    name: StudentName,
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
    places: HashMap<StudentName, u64>,
    students: BTreeMap<u64, Student>,
    /// The places of the students with somebody present.
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
            students: BTreeMap::new(),
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
        self.students.is_empty()
    }

    /// Adds an entry; returns its arrival. Its student keeps its place, unless the given one is earlier.
    pub(super) fn insert(
        &mut self,
        name: &StudentName,
        id: EntryId,
        place: u64,
        mut arrival: u64,
        held: bool,
    ) -> u64 {
        let student = match self
            .places
            .get(name)
            .copied()
            .and_then(|old| self.take(old))
        {
            Some(student) => student,
            None => Student {
                name: name.clone(),
                entries: Vec::new(),
            },
        };
        let place = self.places.get(name).map_or(place, |old| place.min(*old));
        let place = self.put(place, student);
        if let Some(student) = self.students.get_mut(&place) {
            // Arrivals from two orders may be equal.
            while student.entries.iter().any(|(other, ..)| *other == arrival) {
                arrival += 1;
            }
            let index = student
                .entries
                .partition_point(|(other, ..)| *other < arrival);
            student.entries.insert(index, (arrival, id, held));
        }
        self.present += usize::from(!held);
        self.note(place);
        arrival
    }

    /// Gives an entry's place to another.
    pub(super) fn rename(&mut self, name: &StudentName, arrival: u64, id: EntryId) {
        if let Some((_, entry)) = self.find(name, arrival) {
            entry.1 = id;
        }
    }

    /// Makes an entry absent or present.
    pub(super) fn set_held(&mut self, name: &StudentName, arrival: u64, held: bool) {
        let Some((place, entry)) = self.find(name, arrival) else {
            return;
        };
        let was = std::mem::replace(&mut entry.2, held);
        self.present = self.present + usize::from(was) - usize::from(held);
        self.note(place);
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, name: &StudentName, arrival: u64) {
        let Some(place) = self.places.get(name).copied() else {
            return;
        };
        let Some(student) = self.students.get_mut(&place) else {
            return;
        };
        if let Some(index) = student
            .entries
            .iter()
            .position(|(other, ..)| *other == arrival)
        {
            let (.., held) = student.entries.remove(index);
            self.present -= usize::from(!held);
        }
        if student.entries.is_empty() {
            self.take(place);
            self.places.remove(name);
        } else {
            self.note(place);
        }
    }

    /// Takes out the first present entry of the first student who has one. If others of the student wait on, its place is now
    /// `place`.
    pub(super) fn start(&mut self, place: u64) -> Option<EntryId> {
        let first = *self.ready.first()?;
        let mut student = self.take(first)?;
        let index = student.entries.iter().position(|(.., held)| !held)?;
        let (_, id, _) = student.entries.remove(index);
        self.present -= 1;
        if student.entries.is_empty() {
            self.places.remove(&student.name);
        } else {
            let place = self.put(place, student);
            self.note(place);
        }
        Some(id)
    }

    /// Calls this with each entry, its student's place and its arrival, in their order.
    pub(super) fn for_each(&self, mut each: impl FnMut(EntryId, u64, u64)) {
        for (place, student) in &self.students {
            for (arrival, id, _) in &student.entries {
                each(*id, *place, *arrival);
            }
        }
    }

    /// Takes a student from its place.
    fn take(&mut self, place: u64) -> Option<Student> {
        self.ready.remove(&place);
        self.students.remove(&place)
    }

    /// Puts a student at a place, or at the next one that is nobody's: places from two orders may be equal.
    fn put(&mut self, mut place: u64, student: Student) -> u64 {
        while self.students.contains_key(&place) {
            place += 1;
        }
        self.places.insert(student.name.clone(), place);
        self.students.insert(place, student);
        place
    }

    /// Keeps account of whether a student has somebody present.
    fn note(&mut self, place: u64) {
        let present = |student: &Student| student.entries.iter().any(|(.., held)| !held);
        if self.students.get(&place).is_some_and(present) {
            self.ready.insert(place);
        } else {
            self.ready.remove(&place);
        }
    }

    fn find(
        &mut self,
        name: &StudentName,
        arrival: u64,
    ) -> Option<(u64, &mut (u64, EntryId, bool))> {
        let place = *self.places.get(name)?;
        let entries = &mut self.students.get_mut(&place)?.entries;
        let entry = entries.iter_mut().find(|(other, ..)| *other == arrival)?;
        Some((place, entry))
    }
}
