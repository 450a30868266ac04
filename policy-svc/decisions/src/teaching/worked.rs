//! Worked examples: the solutions of drills that the student does not work on.

use std::collections::BTreeMap;

use turnwise_grading::kind;

use crate::{
    course::{Drill, Unit},
    drill_terms::DrillTerms,
    exercise::fnv1a,
    policy::Policy,
    teaching::Situation,
};

/// So many are tried before there is none.
const MOST_TRIED: usize = 8;

/// The unit's drills that have a solution, with it: of an open drill its siblings first, which are made from the same
/// parameters, and never itself; of the student's own exercise those that are nearest to its kind, and never itself. None is
/// asked elsewhere. The turn's id chooses where they begin.
pub(crate) fn worked<'a>(
    unit: &'a Unit,
    policy: &Policy,
    situation: &Situation<'_>,
) -> Vec<(&'a Drill, &'a [String])> {
    let any = DrillTerms::default();
    let terms = situation.terms.unwrap_or(&any);
    if terms.exams_unknown {
        return Vec::new();
    }
    let working_on = situation
        .open
        .filter(|open| open.unit_id == unit.id)
        .map(|open| open.drill)
        .or(situation.own);
    let ready_made = working_on.and_then(|it| unit.drill_like(it.prompt, it.question_latex));
    let exercise = working_on.map(|it| unit.exercise(it.prompt, it.question_latex));
    let mut found: Vec<(usize, &[String])> = (unit.drills.iter().enumerate())
        .filter_map(|(at, drill)| {
            let help = unit.teaching.drills.get(&drill.id)?;
            (!help.solution.is_empty()).then_some((at, help.solution.as_slice()))
        })
        .collect();
    let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let first = fnv1a(&policy.turn_id).checked_rem(count).unwrap_or(0);
    found.rotate_left(usize::try_from(first).unwrap_or_default());
    let own = situation.own.filter(|_| situation.open.is_none());
    if let Some(asked) = own.and_then(|own| kind(own.prompt, own.question_latex)) {
        let mut distances = BTreeMap::new();
        found.sort_by_cached_key(|(at, _)| {
            let drill = &unit.drills[*at];
            *distances.entry(family(&drill.id)).or_insert_with(|| {
                let kind = kind(&drill.prompt, &drill.question_latex);
                let distance = kind.and_then(|kind| asked.distance(&kind));
                distance.unwrap_or(usize::MAX)
            })
        });
    }
    if let Some(drill) = ready_made {
        found.sort_by_key(|(at, _)| family(&unit.drills[*at].id) != family(&drill.id));
    }
    found
        .into_iter()
        .filter(|(at, _)| exercise != Some(unit.exercise_at(*at)) && !terms.is_asked(unit, *at))
        .take(MOST_TRIED)
        .map(|(at, solution)| (&unit.drills[at], solution))
        .collect()
}

/// The id of the drill with parameters that an instance is of.
fn family(id: &str) -> &str {
    id.split_once('#').map_or(id, |(template, _)| template)
}
