//! The target and the focus of a thread: what was asked for, and what is worked on. The target is kept until it is reached
//! or something else is asked for; the way leads from the focus to it.

use std::collections::BTreeSet;

use crate::{
    course::{Course, UnitIndex},
    graph,
    record::Record,
    rules::PrereqWalk,
    words::{EventKind, Tier},
};

/// The way to a target: what is missing before it, directly or through others that are missing. A course that looks one
/// prerequisite far has ways of this length.
#[derive(Debug, Clone)]
pub struct Way {
    target: UnitIndex,
    first: Option<UnitIndex>,
    /// Places of the course's path: few, whatever the course's length.
    missing: BTreeSet<usize>,
}

impl Way {
    /// The most units of a way that are named to a client.
    pub const MOST_NAMED: usize = 20;

    /// Finds the way, which begins with `first`: the target's [`graph::blocker`]. Whatever lies before a unit that is met is
    /// no part of it. The search enters no unit twice, so it ends on any graph.
    #[must_use]
    pub fn to(record: &Record<'_>, target: UnitIndex, first: Option<UnitIndex>) -> Self {
        let course = record.course();
        let goes_on = course.rules().prereq_walk == PrereqWalk::Transitive;
        let mut missing = BTreeSet::new();
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            for need in graph::missing(record, at).filter(|&need| need != target) {
                let place = course.place_on_path(need);
                if place.is_some_and(|place| missing.insert(place)) && goes_on {
                    open.push(need);
                }
            }
        }
        Self {
            target,
            first,
            missing,
        }
    }

    /// Where the way leads.
    #[must_use]
    pub fn target(&self) -> UnitIndex {
        self.target
    }

    /// The number of units that come before the target.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.missing.len()
    }

    /// Whether a unit comes before the target.
    #[must_use]
    fn leads_over(&self, course: &Course, at: UnitIndex) -> bool {
        course
            .place_on_path(at)
            .is_some_and(|place| self.missing.contains(&place))
    }

    /// The units of the way: the focus, if it is one of them, then the one to begin with, then the others in the order of the
    /// course's path, and last the target.
    pub fn units<'a>(
        &'a self,
        course: &'a Course,
        focus: UnitIndex,
    ) -> impl Iterator<Item = UnitIndex> + 'a {
        let begun = Some(focus).filter(|&at| self.leads_over(course, at));
        let first = self
            .first
            .filter(|&at| Some(at) != begun && self.leads_over(course, at));
        let places = self.missing.iter();
        let others = places.filter_map(|&place| course.path().get(place).copied());
        begun
            .into_iter()
            .chain(first)
            .chain(others.filter(move |&at| ![begun, first].contains(&Some(at))))
            .chain([self.target])
    }

    /// The first unit of the way beside the focus that can be begun now; `None` where the focus is the target.
    #[must_use]
    pub fn next(&self, record: &Record<'_>, focus: UnitIndex) -> Option<UnitIndex> {
        if focus == self.target {
            return None;
        }
        self.units(record.course(), focus)
            .find(|&at| at != focus && !graph::is_blocked(record, at))
    }
}

/// The target that a record brings along; `None` where there is none, it left the course, or it is reached: the student
/// stands there or has its badge, and nothing comes before it.
#[must_use]
pub fn kept(record: &Record<'_>) -> Option<UnitIndex> {
    let is_reached = |target| target == record.focus() || record.tier(target) > Tier::None;
    record
        .target()
        .filter(|&target| !is_reached(target) || graph::is_blocked(record, target))
}

/// The target after a turn about `turn_target`. `asked` is the unit that the message or the button names for
/// certain.
///
/// A message asks for something else only where it names a unit that neither comes before the target, met or not, nor is
/// where the student stands; of the buttons only the choice of a unit asks for one. The entry unit is nothing to ask for.
#[must_use]
pub fn after(
    record: &Record<'_>,
    asked: Option<UnitIndex>,
    button: Option<EventKind>,
    turn_target: UnitIndex,
) -> UnitIndex {
    let course = record.course();
    if button != Some(EventKind::ChooseUnit)
        && let Some(kept) = kept(record)
    {
        let is_kept = button.is_some()
            || asked.is_none_or(|at| {
                [kept, record.focus(), course.entry()].contains(&at)
                    || graph::comes_before(course, at, kept)
            });
        if is_kept {
            return kept;
        }
    }
    turn_target
}
