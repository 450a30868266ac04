//! The units that a turn considers, and the few that its reply may be about.

use std::collections::HashSet;

use crate::{
    course::UnitIndex,
    mapping::Mapping,
    record::Record,
    score::{ScoreParts, Scorer},
};

/// A list without duplicates that keeps the order of insertion.
#[derive(Debug, Default)]
struct OrderedSet {
    order: Vec<UnitIndex>,
    members: HashSet<UnitIndex>,
}

impl OrderedSet {
    fn add(&mut self, at: UnitIndex) {
        if self.members.insert(at) {
            self.order.push(at);
        }
    }

    fn add_all(&mut self, units: impl IntoIterator<Item = UnitIndex>) {
        for at in units {
            self.add(at);
        }
    }
}

/// The units in progress, best first.
fn in_progress_by_score(record: &Record<'_>, scorer: &Scorer<'_>) -> Vec<UnitIndex> {
    best_first(record, scorer, record.units_in_progress().iter().copied())
        .into_iter()
        .map(|(at, _)| at)
        .collect()
}

/// Units with the parts of their scores: score descending, then id ascending.
fn best_first(
    record: &Record<'_>,
    scorer: &Scorer<'_>,
    units: impl IntoIterator<Item = UnitIndex>,
) -> Vec<(UnitIndex, ScoreParts)> {
    let course = record.course();
    // A score is worth keeping: a sort looks at each several times.
    let mut scored: Vec<_> = units
        .into_iter()
        .map(|at| {
            let parts = scorer.parts(at);
            (at, parts, parts.total())
        })
        .collect();
    scored.sort_by(|(a, _, one), (b, _, other)| {
        other
            .total_cmp(one)
            .then_with(|| course.id(*a).cmp(course.id(*b)))
    });
    scored
        .into_iter()
        .map(|(at, parts, _)| (at, parts))
        .collect()
}

/// The candidate units with the parts of their scores, best first: the top mapped ones, the record's focus, the top ones
/// in progress, and the direct prerequisites of all of these.
#[must_use]
pub fn candidates(
    record: &Record<'_>,
    scorer: &Scorer<'_>,
    mapping: &Mapping,
) -> Vec<(UnitIndex, ScoreParts)> {
    let rules = record.course().rules();
    let mut set = OrderedSet::default();
    set.add_all(mapped(mapping, rules.candidates_mapped));
    set.add(record.focus());
    set.add_all(
        in_progress_by_score(record, scorer)
            .into_iter()
            .take(rules.candidates_in_progress),
    );
    for at in set.order.clone() {
        set.add_all(prerequisites(record, at));
    }
    best_first(record, scorer, set.order)
}

/// The units that the reply may be about, at most the rules' scope size: focus, blocker, target, the top mapped ones,
/// the target's prerequisites, those in progress, the blocker's prerequisites. The first three are never cut off.
#[must_use]
pub fn scoped(
    record: &Record<'_>,
    scorer: &Scorer<'_>,
    mapping: &Mapping,
    focus: UnitIndex,
    blocker: Option<UnitIndex>,
    target: UnitIndex,
) -> Vec<UnitIndex> {
    let rules = record.course().rules();
    let in_progress = in_progress_by_score(record, scorer);

    let mut members = OrderedSet::default();
    members.add_all([focus, target]);
    if let Some(blocker) = blocker {
        members.add(blocker);
        members.add_all(prerequisites(record, blocker));
    }
    members.add_all(mapped(mapping, rules.scope_mapped));
    members.add_all(prerequisites(record, target));
    members.add_all(in_progress.iter().copied().take(rules.scope_in_progress));

    let mut ordered = OrderedSet::default();
    ordered.add(focus);
    ordered.add_all(blocker);
    ordered.add(target);
    ordered.add_all(mapped(mapping, rules.scope_mapped));
    ordered.add_all(prerequisites(record, target));
    ordered.add_all(
        in_progress
            .into_iter()
            .filter(|at| members.members.contains(at)),
    );
    ordered.add_all(members.order);
    ordered.order.truncate(rules.scope_size());
    ordered.order
}

fn mapped(mapping: &Mapping, count: usize) -> impl Iterator<Item = UnitIndex> + '_ {
    mapping.ranked.iter().take(count).map(|(at, _)| *at)
}

fn prerequisites<'a>(
    record: &'a Record<'_>,
    at: UnitIndex,
) -> impl Iterator<Item = UnitIndex> + 'a {
    record.course().unit(at).prerequisites.iter().copied()
}
