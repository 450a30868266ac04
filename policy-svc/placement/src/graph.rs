//! The units of a course and what each needs.

use std::collections::{BTreeMap, BTreeSet};

/// A unit as a placement sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its id.
    pub id: String,
    /// The units that it directly needs. Those that the course does not have are left out.
    pub prerequisites: Vec<String>,
    /// How many different questions about it there are whose answers can be checked; about a unit without any, only other
    /// units' answers say something.
    pub questions: u32,
}

/// A course's units, each after its prerequisites; otherwise as they came. It is the same for all students.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    places: BTreeMap<String, usize>,
}

#[derive(Debug, Clone)]
struct Node {
    id: String,
    /// The direct prerequisites.
    needs: BTreeSet<usize>,
    /// All prerequisites, direct or not.
    before: BTreeSet<usize>,
    questions: u32,
}

impl Graph {
    /// The most units that are looked at: a question is chosen by work that grows with their square. Those behind them are
    /// left out.
    pub const MOST_UNITS: usize = 500;

    /// The graph of a course's units. Of two with the same id the first counts. Units that need each other in a circle, and
    /// what needs these, are left out: nobody is asked about them or placed on them.
    #[must_use]
    pub fn new(units: impl IntoIterator<Item = Unit>) -> Self {
        let mut ids = BTreeSet::new();
        let mut waiting = Vec::new();
        for unit in units {
            if ids.insert(unit.id.clone()) {
                waiting.push(unit);
            }
        }
        let mut graph = Self::default();
        loop {
            let before = graph.len();
            let mut rest = Vec::new();
            for unit in waiting {
                let is_there = |id: &String| graph.places.contains_key(id) || !ids.contains(id);
                if graph.len() == Self::MOST_UNITS {
                    return graph;
                }
                if unit.prerequisites.iter().all(is_there) {
                    graph.push(unit);
                } else {
                    rest.push(unit);
                }
            }
            if graph.len() == before {
                return graph;
            }
            waiting = rest;
        }
    }

    /// Adds a unit whose prerequisites are there.
    fn push(&mut self, unit: Unit) {
        let needs: BTreeSet<usize> = unit
            .prerequisites
            .iter()
            .filter_map(|id| self.places.get(id).copied())
            .collect();
        let mut before = needs.clone();
        for &need in &needs {
            before.extend(&self.nodes[need].before);
        }
        self.places.insert(unit.id.clone(), self.nodes.len());
        self.nodes.push(Node {
            id: unit.id,
            needs,
            before,
            questions: unit.questions,
        });
    }

    /// How many units it has.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The place of a unit.
    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The unit's id.
    pub(crate) fn id(&self, at: usize) -> &str {
        &self.nodes[at].id
    }

    /// How many questions there are about a unit.
    pub(crate) fn questions(&self, at: usize) -> u32 {
        self.nodes[at].questions
    }

    /// The ids of the units.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|node| node.id.as_str())
    }

    /// The direct prerequisites of each unit, in the units' order.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &BTreeSet<usize>> {
        self.nodes.iter().map(|node| &node.needs)
    }

    /// A unit's prerequisites, direct or not.
    pub(crate) fn before(&self, at: usize) -> &BTreeSet<usize> {
        &self.nodes[at].before
    }

    /// A unit and its prerequisites, direct or not.
    pub(crate) fn with_all_before(&self, at: usize) -> impl Iterator<Item = usize> {
        self.nodes[at].before.iter().copied().chain([at])
    }
}
