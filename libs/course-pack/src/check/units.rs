//! The checks of the units and their graph.
//!
//! Every unit must be within a student's reach: there is a way to it from the entry unit, through all of its
//! prerequisites. Where no edge is at fault and none goes in a circle, whoever goes back from a unit along its
//! prerequisites ends at a unit that has none. So all units can be reached if, and only if, the entry unit is the one
//! unit without prerequisites; that is what is checked.

use super::{Bronze, Ids};
use crate::draft::{Draft, UnitDraft};
use crate::fault::Faults;
use crate::graph::Graph;
use crate::repeats::repeats;

/// Checks the units; gives their numbers, and whether their prerequisites go in a circle.
pub(super) fn check<'d>(draft: &'d Draft<'_>, faults: &mut Faults) -> (Ids<'d>, bool) {
    let ids = Ids::read(
        "unit",
        "rename one of the two, or remove it: a unit's id is unique in the whole pack",
        draft.units.len(),
        |n| {
            let unit = &draft.units[n];
            (unit.unit.id.as_str(), unit.file, unit.line)
        },
        faults,
    );
    let edges = Edges::read(draft, &ids, faults);
    let graph = Graph::new(edges.prerequisites);
    let cycles = graph.cycles();
    for cycle in &cycles {
        report_cycle(draft, cycle, faults);
    }
    reach(draft, &ids, &graph, &cycles, &edges.doubtful, faults);
    (ids, !cycles.is_empty())
}

/// The edges that can be followed, and the units that have others.
struct Edges {
    prerequisites: Vec<Vec<usize>>,
    /// Whether a unit has an edge that leads nowhere or could not be read, or is defined twice: where
    /// it stands in the graph is not known.
    doubtful: Vec<bool>,
}

impl Edges {
    fn read(draft: &Draft<'_>, ids: &Ids<'_>, faults: &mut Faults) -> Self {
        let mut edges = Self {
            prerequisites: Vec::with_capacity(draft.units.len()),
            doubtful: vec![false; draft.units.len()],
        };
        for (n, draft_unit) in draft.units.iter().enumerate() {
            let unit = &draft_unit.unit;
            edges.doubtful[n] = draft_unit.prerequisites_incomplete || ids.is_repeated(n);
            let again = repeats(unit.prerequisites.iter().map(String::as_str));
            let mut numbers = Vec::with_capacity(unit.prerequisites.len());
            for (place, prerequisite) in unit.prerequisites.iter().enumerate() {
                let line = draft_unit.prerequisite_lines[place];
                let mut fault = |message: String, remedy: &str| {
                    faults.add(draft_unit.file, line, message, remedy);
                };
                if again.binary_search_by_key(&place, |(n, _)| *n).is_ok() {
                    fault(
                        format!(
                            "`{}` names the prerequisite `{prerequisite}` twice",
                            unit.id
                        ),
                        "name each prerequisite once",
                    );
                } else if *prerequisite == unit.id {
                    fault(
                        format!("`{}` is a prerequisite of itself", unit.id),
                        "remove it from the list",
                    );
                } else if let Some(number) = ids.get(prerequisite) {
                    numbers.push(number);
                } else {
                    edges.doubtful[n] = true;
                    if !draft.units_incomplete {
                        fault(
                            format!(
                                "`{}` has the prerequisite `{prerequisite}`, which is no unit",
                                unit.id
                            ),
                            "correct the id, add the unit in units/, or remove it from the list",
                        );
                    }
                }
            }
            edges.prerequisites.push(numbers);
        }
        edges
    }
}

/// How many units of a long cycle are printed at either end.
const CYCLE_ENDS: usize = 10;

fn report_cycle(draft: &Draft<'_>, cycle: &[usize], faults: &mut Faults) {
    let (Some(&first), Some(&last)) = (cycle.first(), cycle.last()) else {
        return;
    };
    let id = |n: usize| draft.units[n].unit.id.as_str();
    let names = |units: &[usize]| units.iter().map(|&n| id(n)).collect::<Vec<_>>().join(" → ");
    let path = if cycle.len() > 2 * CYCLE_ENDS {
        let (begin, end) = (&cycle[..CYCLE_ENDS], &cycle[cycle.len() - CYCLE_ENDS..]);
        let hidden = cycle.len() - 2 * CYCLE_ENDS;
        format!("{} → … ({hidden} more) … → {}", names(begin), names(end))
    } else {
        names(cycle)
    };
    let unit = &draft.units[first];
    faults.add(
        unit.file,
        line_of(unit, id(last)),
        format!("the prerequisites go in a circle: {path} → {}", id(first)),
        format!(
            "break it: take one of these units out of the next one's prerequisites, such as `{}` out \
             of those of `{}`",
            id(last),
            id(first)
        ),
    );
}

/// The line on which the unit names this prerequisite.
fn line_of(unit: &UnitDraft<'_>, prerequisite: &str) -> usize {
    unit.unit
        .prerequisites
        .iter()
        .position(|p| p == prerequisite)
        .and_then(|at| unit.prerequisite_lines.get(at).copied())
        .unwrap_or(unit.line)
}

fn reach(
    draft: &Draft<'_>,
    ids: &Ids<'_>,
    graph: &Graph,
    cycles: &[Vec<usize>],
    doubtful: &[bool],
    faults: &mut Faults,
) {
    let Some(course) = &draft.course else { return };
    let Some(entry_line) = course.entry_line else {
        return;
    };
    let entry_id = course.course.entry_unit.as_str();
    let Some(entry) = ids.get(entry_id) else {
        if draft.units_incomplete {
            return;
        }
        let (message, remedy) = if draft.units.is_empty() {
            (
                "the course has no units".to_owned(),
                format!(
                    "write them in units/, such as units/10-start.yaml, the entry unit `{entry_id}` first"
                ),
            )
        } else {
            (
                format!("the entry unit `{entry_id}` is no unit"),
                "name a unit that stands in units/; it is where every student starts".to_owned(),
            )
        };
        faults.add(course.file, entry_line, message, remedy);
        return;
    };
    let before_entry = graph.before(entry);
    if let [first, ..] = graph.prerequisites(entry)
        && !cycles.iter().flatten().any(|unit| *unit == entry)
    {
        let unit = &draft.units[entry];
        let first = &draft.units[*first].unit.id;
        faults.add(
            unit.file,
            line_of(unit, first),
            format!("the entry unit `{entry_id}` has the prerequisite `{first}`, but every student starts with the entry unit"),
            "remove its prerequisites, or name another unit as `entry_unit` in course.yaml",
        );
    }
    // A unit whose own edges are at fault is not blamed for the lack of good ones.
    for (n, unit) in draft.units.iter().enumerate() {
        if graph.prerequisites(n).is_empty() && !before_entry[n] && !doubtful[n] {
            let id = &unit.unit.id;
            faults.add(
                unit.file,
                unit.line,
                format!("the unit `{id}` cannot be reached from the entry unit `{entry_id}`: no unit comes before it"),
                format!(
                    "name its prerequisites, or write `prerequisites: [{entry_id}]` if a student may start with it"
                ),
            );
        }
    }
}

/// A unit whose mastery no bronze question can show would block what comes after it for ever.
pub(super) fn bronze(draft: &Draft<'_>, ids: &Ids<'_>, covered: &[Bronze], faults: &mut Faults) {
    if draft.questions_incomplete {
        return;
    }
    for (n, unit) in draft.units.iter().enumerate() {
        if !unit.unit.assessable || ids.is_repeated(n) {
            continue;
        }
        let id = unit.unit.id.as_str();
        let message = match covered[n] {
            Bronze::Own => continue,
            Bronze::Shared => format!(
                "every bronze question of the unit `{id}` is shared with another unit, so it could block its dependents for ever"
            ),
            Bronze::Missing => format!(
                "the unit `{id}` has no bronze question, so it would block its dependents for ever"
            ),
        };
        faults.add(
            unit.file,
            unit.line,
            message,
            format!(
                "add a question with `tier: bronze` and `units: [{id}]` in exams/, or mark the unit \
                 `assessable: false`, which counts as met"
            ),
        );
    }
}
