//! The units of a course by their place.

use std::collections::HashMap;

use turnwise_course_pack::{Pack, Unit};

/// A place in the course's list of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UnitIndex(u32);

impl UnitIndex {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// The units of a course.
pub(crate) struct Units {
    /// By place: the id.
    ids: Vec<Box<str>>,
    places: HashMap<Box<str>, UnitIndex>,
}

impl Units {
    pub(crate) fn of(pack: &Pack) -> Self {
        let ids: Vec<Box<str>> = pack
            .units
            .iter()
            .map(|unit| unit.id.as_str().into())
            .collect();
        let places = ids.iter().cloned().zip((0..).map(UnitIndex)).collect();
        Self { ids, places }
    }

    /// The place of a unit; `None`: the course has no such unit.
    pub(crate) fn place(&self, id: &str) -> Option<UnitIndex> {
        self.places.get(id).copied()
    }

    /// The places of those units that the course has, each once, in order.
    pub(crate) fn places<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Vec<UnitIndex> {
        let mut places: Vec<UnitIndex> = ids.into_iter().filter_map(|id| self.place(id)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    pub(crate) fn id(&self, unit: UnitIndex) -> &str {
        &self.ids[unit.at()]
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// Whether a message can be about a unit. An entry unit that has nothing to practise only greets: its text is full of
/// the words of people who say that they are stuck, and would draw them back to the beginning.
pub fn is_topic(pack: &Pack, unit: &Unit) -> bool {
    unit.id != pack.course.entry_unit || unit.assessable || unit.all_drills().next().is_some()
}
