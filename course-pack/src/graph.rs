//! The prerequisite graph: cycles, and what the entry unit leads to.
//!
//! Nothing here recurses: a chain may be as long as a course.

use std::collections::{HashMap, VecDeque};

/// Units by number, each with the numbers of its prerequisites in file order.
pub(crate) struct Graph {
    prerequisites: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graph; every number must be below `prerequisites.len()`.
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

    /// One cycle for each knot of units that wait for each other: the shortest through the knot's
    /// first unit. Each unit of a cycle is a prerequisite of the next, the last of the first.
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        let knot_of = self.knots();
        let mut done = vec![false; self.prerequisites.len()];
        let mut cycles = Vec::new();
        for unit in 0..self.prerequisites.len() {
            let knot = knot_of[unit];
            if !done[knot]
                && let Some(cycle) = self.cycle_through(unit, &knot_of)
            {
                done[knot] = true;
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Which units can be reached from the seeds along prerequisite → dependent.
    pub(crate) fn reachable(&self, seeds: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.dependents.len()];
        let mut open: Vec<usize> = seeds.into_iter().collect();
        while let Some(unit) = open.pop() {
            if !std::mem::replace(&mut reached[unit], true) {
                open.extend(&self.dependents[unit]);
            }
        }
        reached
    }

    /// The shortest way from `unit` to itself inside its knot, breadth first.
    fn cycle_through(&self, unit: usize, knot_of: &[usize]) -> Option<Vec<usize>> {
        // A knot of one has no way back but a self-edge, which is a fault of its own kind.
        let mut from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::new();
        let inside = |next: &&usize| knot_of[**next] == knot_of[unit];
        if !self.dependents[unit].iter().any(|d| inside(&d)) {
            return None;
        }
        queue.push_back(unit);
        while let Some(current) = queue.pop_front() {
            for &next in self.dependents[current].iter().filter(inside) {
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

    /// The number of each unit's strongly connected component (Tarjan, 1972), with a stack of our
    /// own in place of recursion.
    fn knots(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let count = self.prerequisites.len();
        let mut order = vec![UNSEEN; count];
        let mut low = vec![0; count];
        let mut knot_of = vec![UNSEEN; count];
        let mut seen = 0;
        let mut knots = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        for start in 0..count {
            if order[start] != UNSEEN {
                continue;
            }
            calls.push((start, 0));
            while let Some((unit, edge)) = calls.pop() {
                if edge == 0 {
                    order[unit] = seen;
                    low[unit] = seen;
                    seen += 1;
                    open.push(unit);
                }
                if let Some(&next) = self.prerequisites[unit].get(edge) {
                    calls.push((unit, edge + 1));
                    if order[next] == UNSEEN {
                        calls.push((next, 0));
                    } else if knot_of[next] == UNSEEN {
                        low[unit] = low[unit].min(order[next]);
                    }
                    continue;
                }
                if low[unit] == order[unit] {
                    while let Some(member) = open.pop() {
                        knot_of[member] = knots;
                        if member == unit {
                            break;
                        }
                    }
                    knots += 1;
                }
                if let Some(&(parent, _)) = calls.last() {
                    low[parent] = low[parent].min(low[unit]);
                }
            }
        }
        knot_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 100_000;

    fn chain() -> Vec<Vec<usize>> {
        (0..COUNT)
            .map(|n| n.checked_sub(1).into_iter().collect())
            .collect()
    }

    #[test]
    fn a_chain_of_a_hundred_thousand() {
        let graph = Graph::new(chain());
        assert!(graph.cycles().is_empty());
        assert!(graph.reachable([0]).into_iter().all(|reached| reached));
        assert_eq!(
            graph.reachable([COUNT - 1]).iter().filter(|r| **r).count(),
            1
        );
    }

    #[test]
    fn a_ring_of_a_hundred_thousand() {
        let mut ring = chain();
        ring[0].push(COUNT - 1);
        let cycles = Graph::new(ring).cycles();
        assert_eq!(cycles.len(), 1);
        assert!(cycles[0].iter().copied().eq(0..COUNT));
    }

    #[test]
    fn many_small_knots() {
        let pairs = (0..COUNT).map(|n| vec![n ^ 1]).collect();
        assert_eq!(Graph::new(pairs).cycles().len(), COUNT / 2);
    }
}
