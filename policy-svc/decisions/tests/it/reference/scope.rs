//! The units that a turn considers, and the few that a reply may be about.

use super::{add_once, mapping::Mapping, record::World};

/// The units in progress, best first: a slice is taken by score.
fn ranked_in_progress(world: &World<'_>, mapping: &Mapping) -> Vec<String> {
    let mut units = world.units_in_progress();
    mapping.scores.sort(world, &mut units);
    units
}

/// The top mapped units, the record's focus, the top ones in progress, and the direct prerequisites of everything in that
/// set; by score.
pub fn candidates(world: &World<'_>, mapping: &Mapping) -> Vec<String> {
    let rules = &world.course.rules;
    let mut set = Vec::new();
    for unit in mapping.best(rules.candidates_mapped) {
        add_once(&mut set, &unit);
    }
    add_once(&mut set, &world.focus());
    for unit in ranked_in_progress(world, mapping)
        .iter()
        .take(rules.candidates_in_progress)
    {
        add_once(&mut set, unit);
    }
    for unit in set.clone() {
        for prerequisite in world.prerequisites(&unit) {
            add_once(&mut set, &prerequisite);
        }
    }
    mapping.scores.sort(world, &mut set);
    set
}

/// The set: focus, target, blocker, the blocker's prerequisites, the top mapped, the target's prerequisites, the first in
/// progress. Its order: focus, blocker, target, the top mapped, the target's prerequisites, those in progress that are in
/// the set, then the rest as it came in. Never more than six, and never fewer places than focus, blocker and target need.
pub fn scoped(
    world: &World<'_>,
    mapping: &Mapping,
    focus: &str,
    blocker: Option<&str>,
    target: &str,
) -> Vec<String> {
    let rules = &world.course.rules;
    let mapped = mapping.best(rules.scope_mapped);
    let in_progress = ranked_in_progress(world, mapping);

    let mut set = Vec::new();
    add_once(&mut set, focus);
    add_once(&mut set, target);
    if let Some(blocker) = blocker {
        add_once(&mut set, blocker);
        for unit in world.prerequisites(blocker) {
            add_once(&mut set, &unit);
        }
    }
    for unit in &mapped {
        add_once(&mut set, unit);
    }
    for unit in world.prerequisites(target) {
        add_once(&mut set, &unit);
    }
    for unit in in_progress.iter().take(rules.scope_in_progress) {
        add_once(&mut set, unit);
    }

    let mut ordered = Vec::new();
    add_once(&mut ordered, focus);
    if let Some(blocker) = blocker {
        add_once(&mut ordered, blocker);
    }
    add_once(&mut ordered, target);
    for unit in &mapped {
        add_once(&mut ordered, unit);
    }
    for unit in world.prerequisites(target) {
        add_once(&mut ordered, &unit);
    }
    for unit in &in_progress {
        if set.contains(unit) {
            add_once(&mut ordered, unit);
        }
    }
    for unit in &set {
        add_once(&mut ordered, unit);
    }
    let size = match rules.max_scoped_units {
        0..=3 => 3,
        4 => 4,
        5 => 5,
        _ => 6,
    };
    ordered.truncate(size);
    ordered
}
