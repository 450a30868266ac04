//! The checks of the units and their graph.

use std::collections::{HashMap, HashSet};

use super::Seen;
use crate::draft::{Draft, UnitDraft};
use crate::fault::Faults;
use crate::graph::Graph;
use crate::model::Tier;

/// Checks the units; gives the number of each by its id.
pub(super) fn check<'d>(draft: &'d Draft<'_>, faults: &mut Faults) -> HashMap<&'d str, usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::with_capacity(draft.units.len());
    let mut seen = Seen::new();
    for (n, unit) in draft.units.iter().enumerate() {
        let remedy = "rename one of the two, or remove it: a unit's id is unique in the whole pack";
        seen.note("unit", &unit.unit.id, unit.file, unit.line, remedy, faults);
        numbers.entry(&unit.unit.id).or_insert(n);
    }
    let edges = Edges::read(draft, &numbers, faults);
    let graph = Graph::new(edges.prerequisites);
    let cycles = graph.cycles();
    for cycle in &cycles {
        report_cycle(draft, cycle, faults);
    }
    reachability(draft, &numbers, &graph, &cycles, &edges.doubtful, faults);
    bronze(draft, faults);
    numbers
}

/// The edges that can be followed, and the units that have others.
struct Edges {
    prerequisites: Vec<Vec<usize>>,
    /// Units with an edge that leads nowhere or could not be read, or defined twice: where they
    /// stand in the graph is not known.
    doubtful: Vec<usize>,
}

impl Edges {
    fn read(draft: &Draft<'_>, numbers: &HashMap<&str, usize>, faults: &mut Faults) -> Self {
        let mut edges = Self {
            prerequisites: vec![Vec::new(); draft.units.len()],
            doubtful: Vec::new(),
        };
        for (n, draft_unit) in draft.units.iter().enumerate() {
            let unit = &draft_unit.unit;
            if draft_unit.prerequisites_incomplete || numbers.get(unit.id.as_str()) != Some(&n) {
                edges.doubtful.push(n);
            }
            let mut named = HashSet::new();
            for (prerequisite, &line) in unit
                .prerequisites
                .iter()
                .zip(&draft_unit.prerequisite_lines)
            {
                let mut fault = |message: String, remedy: &str| {
                    faults.add(draft_unit.file, line, message, remedy);
                };
                if !named.insert(prerequisite.as_str()) {
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
                } else if let Some(&number) = numbers.get(prerequisite.as_str()) {
                    edges.prerequisites[n].push(number);
                } else {
                    edges.doubtful.push(n);
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
    let mut path: Vec<String> = cycle.iter().map(|&n| id(n).to_owned()).collect();
    if path.len() > 2 * CYCLE_ENDS {
        let hidden = path.len() - 2 * CYCLE_ENDS;
        path.splice(
            CYCLE_ENDS..CYCLE_ENDS + hidden,
            [format!("… ({hidden} more) …")],
        );
    }
    path.push(id(first).to_owned());
    let unit = &draft.units[first];
    faults.add(
        unit.file,
        line_of(unit, id(last)),
        format!("the prerequisites go in a circle: {}", path.join(" → ")),
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

fn reachability(
    draft: &Draft<'_>,
    numbers: &HashMap<&str, usize>,
    graph: &Graph,
    cycles: &[Vec<usize>],
    doubtful: &[usize],
    faults: &mut Faults,
) {
    let Some(course) = &draft.course else { return };
    let Some(entry_line) = course.entry_line else {
        return;
    };
    let entry_id = course.course.entry_unit.as_str();
    let Some(&entry) = numbers.get(entry_id) else {
        if !draft.units_incomplete {
            faults.add(
                course.file,
                entry_line,
                format!("the entry unit `{entry_id}` is no unit"),
                "name a unit that stands in units/; it is where every student starts",
            );
        }
        return;
    };
    // Units whose own edges are at fault count as reached, so that one fault does not blame all
    // that comes after it.
    let seeds = [entry]
        .into_iter()
        .chain(doubtful.iter().copied())
        .chain(cycles.iter().flatten().copied());
    let reached = graph.reachable(seeds);
    for (n, unit) in draft.units.iter().enumerate() {
        if !reached[n] {
            faults.add(
                unit.file,
                unit.line,
                format!("the unit `{}` cannot be reached from the entry unit `{entry_id}`", unit.unit.id),
                format!(
                    "give it a prerequisite that can be reached, or `prerequisites: [{entry_id}]` if a \
                     student may start with it"
                ),
            );
        }
    }
}

/// A unit whose mastery no bronze question can show would block what comes after it for ever.
fn bronze(draft: &Draft<'_>, faults: &mut Faults) {
    if draft.questions_incomplete {
        return;
    }
    let covered: HashSet<&str> = draft
        .questions
        .iter()
        .filter(|q| matches!(q.tier, None | Some(Tier::Bronze)))
        .flat_map(|q| q.units.iter().map(|u| u.value.as_str()))
        .collect();
    for unit in &draft.units {
        let id = unit.unit.id.as_str();
        if unit.unit.assessable && !covered.contains(id) {
            faults.add(
                unit.file,
                unit.line,
                format!("the unit `{id}` has no bronze question, so it would block its dependents for ever"),
                format!(
                    "add a question with `tier: bronze` and `units: [{id}]` in exams/, or mark the unit \
                     `assessable: false`, which counts as met"
                ),
            );
        }
    }
}
