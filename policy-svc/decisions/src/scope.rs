//! The units that a turn considers, and the few that its reply may be about.

use crate::{
    course::UnitIndex,
    mapping::Mapping,
    record::Record,
    score::{ScoreParts, Scorer},
};

/// A list without duplicates that keeps the order of insertion. Turns consider a handful of units, so a list is searched
/// faster than a set.
#[derive(Debug, Default)]
struct OrderedSet(Vec<UnitIndex>);

impl OrderedSet {
    fn add_all(&mut self, units: impl IntoIterator<Item = UnitIndex>) {
        for at in units {
            if !self.0.contains(&at) {
                self.0.push(at);
            }
        }
    }
}

/// The units in progress, best first.
#[must_use]
pub fn in_progress_by_score(record: &Record<'_>, scorer: &Scorer<'_>) -> Vec<UnitIndex> {
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
/// in progress, and the direct prerequisites of all of these. `in_progress` is best first.
#[must_use]
pub fn candidates(
    record: &Record<'_>,
    scorer: &Scorer<'_>,
    mapping: &Mapping,
    in_progress: &[UnitIndex],
) -> Vec<(UnitIndex, ScoreParts)> {
    let rules = record.course().rules();
    let mut set = OrderedSet::default();
    set.add_all(mapped(mapping, rules.candidates_mapped));
    set.add_all([record.focus()]);
    set.add_all(first(in_progress, rules.candidates_in_progress));
    for at in set.0.clone() {
        set.add_all(prerequisites(record, at));
    }
    best_first(record, scorer, set.0)
}

/// The units that the reply may be about, at most the rules' scope size: focus, blocker, target, the top mapped ones,
/// the target's prerequisites, those in progress, the blocker's prerequisites. The first three are never cut off.
/// `in_progress` is best first.
#[must_use]
pub fn scoped(
    record: &Record<'_>,
    mapping: &Mapping,
    in_progress: &[UnitIndex],
    focus: UnitIndex,
    blocker: Option<UnitIndex>,
    target: UnitIndex,
) -> Vec<UnitIndex> {
    let rules = record.course().rules();
    let of_blocker = || blocker.into_iter().flat_map(|at| prerequisites(record, at));
    let mut ordered = OrderedSet::default();
    ordered.add_all([focus]);
    ordered.add_all(blocker);
    ordered.add_all([target]);
    ordered.add_all(mapped(mapping, rules.scope_mapped));
    ordered.add_all(prerequisites(record, target));
    // The top ones in progress, and before the blocker's other prerequisites those that are in progress.
    let top = rules.scope_in_progress;
    ordered.add_all(in_progress.iter().enumerate().filter_map(|(rank, &at)| {
        (rank < top || of_blocker().any(|need| need == at)).then_some(at)
    }));
    ordered.add_all(of_blocker());
    ordered.0.truncate(rules.scope_size());
    ordered.0
}

fn first(units: &[UnitIndex], count: usize) -> impl Iterator<Item = UnitIndex> + '_ {
    units.iter().take(count).copied()
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
