//! Missing prerequisites, the walk to the first unit to do, and the unit to go on with.

use std::collections::BTreeSet;

use crate::{
    course::{Course, UnitIndex},
    record::Record,
    rules::PrereqWalk,
    score::Scorer,
    target::Way,
    words::Tier,
};

/// The direct prerequisites of a unit that are not met, in file order. One that a placement had shown to be known is not
/// missing where there is evidence already.
pub fn missing<'a>(record: &'a Record<'_>, at: UnitIndex) -> impl Iterator<Item = UnitIndex> + 'a {
    record
        .course()
        .unit(at)
        .prerequisites
        .iter()
        .copied()
        .filter(move |&need| !record.is_met(need) && !record.stays_open(at, need))
}

/// Whether a direct prerequisite of a unit is not met.
#[must_use]
pub fn is_blocked(record: &Record<'_>, at: UnitIndex) -> bool {
    missing(record, at).next().is_some()
}

/// Whether a unit is a prerequisite of `target`, directly or through others, met or not. The search enters no unit twice.
pub(crate) fn comes_before(course: &Course, at: UnitIndex, target: UnitIndex) -> bool {
    let mut entered = BTreeSet::new();
    let mut open = vec![target];
    while let Some(later) = open.pop() {
        for &need in &course.unit(later).prerequisites {
            if need == at {
                return true;
            }
            if entered.insert(need) {
                open.push(need);
            }
        }
    }
    false
}

/// The missing prerequisite to do before `target`; `None` if none is missing.
///
/// The walk goes from the target to a missing prerequisite, the best by score and then the first in the unit's own list,
/// until none is missing. It never visits a unit twice, so it ends on any graph; on one without cycles the result is not
/// blocked.
#[must_use]
pub fn blocker(record: &Record<'_>, scorer: &Scorer<'_>, target: UnitIndex) -> Option<UnitIndex> {
    if record.course().rules().prereq_walk == PrereqWalk::First {
        return missing(record, target).find(|&need| need != target);
    }
    let mut visited = BTreeSet::from([target]);
    let mut at = target;
    while let Some(next) = missing(record, at)
        .filter(|need| !visited.contains(need))
        // Of equals the first.
        .min_by(|&a, &b| scorer.score(b).total_cmp(&scorer.score(a)))
    {
        visited.insert(next);
        at = next;
    }
    (at != target).then_some(at)
}

/// The unit to go on with when `focus` has nothing more to offer: the next one on the way to the target; off the way,
/// another one in progress or the first one of the path that has no badge and is not blocked, the better by score; where
/// there is none, another one in progress, and where there is none of these, the first one of the path that is met without
/// a badge, which may still be earned. `None` while the focus has no badge and its drills are not good enough for the first;
/// who is known to have met the focus may go on along the way without. `in_progress` is best first.
#[must_use]
pub fn next_unit(
    record: &Record<'_>,
    scorer: &Scorer<'_>,
    in_progress: &[UnitIndex],
    focus: UnitIndex,
    way: &Way,
) -> Option<UnitIndex> {
    let course = record.course();
    let is_drilled = record.is_drilled(focus);
    if (is_drilled || record.is_met(focus))
        && let Some(next) = way.next(record, focus)
    {
        return Some(next);
    }
    let unfinished = course.unit(focus).assessable && record.tier(focus) == Tier::None;
    if unfinished && !is_drilled {
        return None;
    }
    let is_open = |&at: &UnitIndex| at != focus && !record.is_met(at) && !is_blocked(record, at);
    let others = || {
        let others = in_progress.iter().copied();
        others.filter(|&at| at != focus && course.unit(at).assessable)
    };
    others()
        .find(is_open)
        .into_iter()
        .chain(first_open(record, is_open))
        .min_by(|&a, &b| scorer.by_score_then_id(a, b))
        .or_else(|| others().find(|&at| !is_blocked(record, at)))
        .or_else(|| {
            let known = record.met_without_badge();
            known
                .filter(|&at| at != focus && !is_blocked(record, at))
                .min_by_key(|&at| course.place_on_path(at))
        })
}

/// The first open unit of the path. On a course without cycles that is the first one that is not met, but for the focus;
/// then it is one that needs none, that needs a unit that is met, or that has evidence.
fn first_open(record: &Record<'_>, is_open: impl Fn(&UnitIndex) -> bool) -> Option<UnitIndex> {
    let course = record.course();
    let first = record.first_unmet()?;
    if is_open(&first) {
        return Some(first);
    }
    let at = |place: usize| course.path().get(place).copied();
    let mut best = course
        .beginnings()
        .iter()
        .copied()
        .find(|&place| at(place).as_ref().is_some_and(&is_open));
    // Nothing before the first unit is left to do, and nothing after it needs what comes before these places.
    let needed = course.first_needed_from(record.first_unmet_place());
    let followers = record
        .met_places_from(needed)
        .flat_map(|place| course.followers(place));
    let with_evidence = record.kept_open().filter_map(|at| course.place_on_path(at));
    let unmet = followers
        .copied()
        .chain(with_evidence)
        .filter(|&place| !record.is_met_place(place));
    for place in unmet {
        if best.is_none_or(|before| place < before) && at(place).as_ref().is_some_and(&is_open) {
            best = Some(place);
        }
    }
    best.and_then(at)
}
