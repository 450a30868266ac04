//! The prerequisite graph: its cycles, and what comes before a unit.
//!
//! Nothing here recurses: a chain may be as long as a course.

use std::collections::{HashMap, HashSet, VecDeque};

/// Units by number, each with the numbers of its prerequisites in file order.
pub(crate) struct Graph {
    prerequisites: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graph; every number must be below `prerequisites.len()`, and no unit may be its own
    /// prerequisite.
    pub(crate) fn new(prerequisites: Vec<Vec<usize>>) -> Self {
        let mut dependents = vec![Vec::new(); prerequisites.len()];
        for (unit, of_unit) in prerequisites.iter().enumerate() {
            for &prerequisite in of_unit {
                dependents[prerequisite].push(unit);
            }
        }
        Self {
            prerequisites,
            dependents,
        }
    }

    /// The prerequisites of a unit.
    pub(crate) fn prerequisites(&self, unit: usize) -> &[usize] {
        &self.prerequisites[unit]
    }

    /// Cycles enough that the graph has none left once each of them is broken between its last unit
    /// and its first. Each unit of a cycle is a prerequisite of the next, the last of the first.
    ///
    /// A graph can have more cycles than there are atoms, so not all of them are told. Each knot of
    /// units that wait for each other gives the shortest cycle through its first unit, is cut there,
    /// and what is still knotted gives more. Of a large and dense knot the rest is left for the next
    /// run ([`EFFORT`]).
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut search = Search::new(self);
        let mut cycles = Vec::new();
        let mut effort = 0;
        let mut knots = search.knots(&(0..self.prerequisites.len()).collect::<Vec<_>>());
        while let Some(knot) = knots.pop() {
            let Some(cycle) = search.cycle(&knot) else {
                continue;
            };
            if let (Some(&first), Some(&last)) = (cycle.first(), cycle.last()) {
                search.cut.insert((last, first));
            }
            cycles.push(cycle);
            effort += knot.len();
            if effort <= EFFORT + self.prerequisites.len() {
                knots.extend(search.knots(&knot));
            }
        }
        cycles
    }

    /// Which units come before this one, however far back; itself among them.
    pub(crate) fn before(&self, unit: usize) -> Vec<bool> {
        let mut seen = vec![false; self.prerequisites.len()];
        let mut open = vec![unit];
        while let Some(unit) = open.pop() {
            if !std::mem::replace(&mut seen[unit], true) {
                open.extend(&self.prerequisites[unit]);
            }
        }
        seen
    }
}

/// How many units of knots are looked at again, each knot once for free, before what is left of a
/// knot is left alone: a fraction of a second at worst.
const EFFORT: usize = 500_000;

/// The number of a unit that the search has not come to.
const UNSEEN: usize = usize::MAX;

/// A search for cycles under way.
struct Search<'g> {
    graph: &'g Graph,
    /// The group of each unit: at first all are in one, in the end each knot is one.
    group: Vec<usize>,
    groups: usize,
    /// When the search came to each unit, and the earliest it can go back to (Tarjan, 1972).
    order: Vec<usize>,
    low: Vec<usize>,
    /// Edges, prerequisite first, that count no more.
    cut: HashSet<(usize, usize)>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Self {
        let count = graph.prerequisites.len();
        Self {
            graph,
            group: vec![0; count],
            groups: 1,
            order: vec![UNSEEN; count],
            low: vec![0; count],
            cut: HashSet::new(),
        }
    }

    fn is_cut(&self, prerequisite: usize, unit: usize) -> bool {
        !self.cut.is_empty() && self.cut.contains(&(prerequisite, unit))
    }

    /// Takes a group apart: gives its strongly connected components of two units and more, each with
    /// its members in order, by Tarjan's algorithm with a stack of our own in place of recursion.
    fn knots(&mut self, members: &[usize]) -> Vec<Vec<usize>> {
        for &unit in members {
            self.order[unit] = UNSEEN;
        }
        let mut knots = Vec::new();
        let Some(&first) = members.first() else {
            return knots;
        };
        let group = self.group[first];
        let mut seen = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        for &start in members {
            if self.order[start] != UNSEEN {
                continue;
            }
            calls.push((start, 0));
            while let Some((unit, edge)) = calls.pop() {
                if edge == 0 {
                    self.order[unit] = seen;
                    self.low[unit] = seen;
                    seen += 1;
                    open.push(unit);
                }
                if let Some(&next) = self.graph.prerequisites[unit].get(edge) {
                    calls.push((unit, edge + 1));
                    // Units of finished components are in groups of their own by now.
                    if self.group[next] != group || self.is_cut(next, unit) {
                        continue;
                    }
                    if self.order[next] == UNSEEN {
                        calls.push((next, 0));
                    } else {
                        self.low[unit] = self.low[unit].min(self.order[next]);
                    }
                    continue;
                }
                if self.low[unit] == self.order[unit] {
                    let at = open.iter().rposition(|o| *o == unit).unwrap_or_default();
                    let mut knot = open.split_off(at);
                    for &member in &knot {
                        self.group[member] = self.groups;
                    }
                    self.groups += 1;
                    if knot.len() > 1 {
                        knot.sort_unstable();
                        knots.push(knot);
                    }
                }
                if let Some(&(parent, _)) = calls.last() {
                    self.low[parent] = self.low[parent].min(self.low[unit]);
                }
            }
        }
        knots
    }

    /// The shortest way from the knot's first unit to itself, breadth first.
    fn cycle(&self, knot: &[usize]) -> Option<Vec<usize>> {
        let &unit = knot.first()?;
        let mut from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([unit]);
        while let Some(current) = queue.pop_front() {
            for &next in &self.graph.dependents[current] {
                if self.group[next] != self.group[unit] || self.is_cut(current, next) {
                    continue;
                }
                if next == unit {
                    let mut cycle = vec![current];
                    let mut at = current;
                    while at != unit {
                        at = *from.get(&at)?;
                        cycle.push(at);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    current
                });
            }
        }
        None
    }
}
