//! Placement: what a student already knows of a course, by few questions. Pure and in integers: the same answers give the
//! same questions and the same result everywhere.
//!
//! The knowledge states of a course are the sets of units that hold the prerequisites of each of their units (a
//! quasi-ordinal knowledge space: Doignon and Falmagne, "Spaces for the assessment of knowledge", 1985). There are too
//! many of them to weigh each, so what is kept is a belief for each unit, as in the item-to-item structures of Desmarais
//! and Gagnon ("Bayesian student models based on item to item knowledge structures", 2006). An answer moves the belief
//! in the unit that was asked about by Bayes' rule with a rate of slips and one of guesses, and with it those in all units
//! that share a prerequisite with it. The next question is about the unit whose answer is expected to leave the least
//! uncertainty in the whole graph.
//!
//! ```
//! use turnwise_placement::{Graph, Placement, Unit};
//!
//! let unit = |id: &str, needs: &[&str]| Unit {
//!     id: id.to_owned(),
//!     prerequisites: needs.iter().map(|&id| id.to_owned()).collect(),
//!     questions: 4,
//! };
//! let graph = Graph::new([unit("integers", &[]), unit("fractions", &["integers"]), unit("slope", &["fractions"])]);
//! let mut placement = Placement::new(&graph);
//! assert_eq!(placement.next_unit(), Some("fractions"));
//! placement.answer("fractions", true);
//! assert_eq!(placement.placed(), ["integers", "fractions"]);
//! ```

mod belief;
mod graph;

use belief::Beliefs;
pub use belief::CERTAIN;
pub use graph::{Graph, Unit};

/// One student's placement, as far as it has come. It is what its answers make of it, so these are all that is to be kept.
#[derive(Debug, Clone)]
pub struct Placement<'g> {
    graph: &'g Graph,
    /// Of each unit whether the student was known to know it before.
    is_known: Vec<bool>,
    beliefs: Beliefs,
    /// How often each unit was asked about.
    asked: Vec<u32>,
    /// The answers so far, to all units.
    answers: usize,
    /// The units that a right answer, or what was known before, speaks for.
    is_shown: Vec<bool>,
}

impl<'g> Placement<'g> {
    /// The most questions of a placement.
    pub const MOST_QUESTIONS: usize = 15;
    /// The most questions about one unit.
    pub const MOST_OF_A_UNIT: u32 = 2;
    /// A unit in which the belief is this strong, and for which something speaks, is known.
    pub const KNOWN: u64 = CERTAIN / 10 * 9;
    /// A unit in which the belief is this weak counts as not known: nothing more is asked about it.
    pub const NOT_KNOWN: u64 = CERTAIN / 5;

    /// A placement before its first question, of a student of whom nothing is known.
    #[must_use]
    pub fn new(graph: &'g Graph) -> Self {
        Self::of_student(graph, |_| false)
    }

    /// A placement before its first question, of a student who is known to know some units: those with a badge.
    #[must_use]
    pub fn of_student(graph: &'g Graph, is_known: impl Fn(&str) -> bool) -> Self {
        let is_known: Vec<bool> = graph.ids().map(is_known).collect();
        // What they need, too.
        let mut is_shown = is_known.clone();
        for at in (0..graph.len()).filter(|&at| is_known[at]) {
            for &need in graph.before(at) {
                is_shown[need] = true;
            }
        }
        Self {
            graph,
            beliefs: Beliefs::before_answers(graph, &is_shown),
            asked: vec![0; graph.len()],
            answers: 0,
            is_known,
            is_shown,
        }
    }

    /// Takes the answer to a question about a unit. An answer about a unit that the course has no more counts as a question
    /// and says nothing. One after the last question changes nothing.
    pub fn answer(&mut self, unit_id: &str, correct: bool) {
        if self.answers >= Self::MOST_QUESTIONS {
            return;
        }
        self.answers += 1;
        let Some(at) = self.graph.find(unit_id) else {
            return;
        };
        self.beliefs = self.beliefs.after(self.graph, at, correct);
        self.asked[at] += 1;
        if correct {
            for unit in self.graph.with_all_before(at) {
                self.is_shown[unit] = true;
            }
        }
    }

    /// How many answers came in.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.answers
    }

    /// The unit to ask about next; `None` at the end: all questions are asked, or every unit that can still be asked about
    /// is decided.
    #[must_use]
    pub fn next_unit(&self) -> Option<&'g str> {
        self.units_to_ask().first().copied()
    }

    /// The units that could be asked about next, the one whose answer tells most first; none at the end.
    #[must_use]
    pub fn units_to_ask(&self) -> Vec<&'g str> {
        if self.answers >= Self::MOST_QUESTIONS {
            return Vec::new();
        }
        let mut open: Vec<usize> = (0..self.graph.len())
            .filter(|&at| self.is_open(at))
            .collect();
        // Of equals the first.
        open.sort_by_cached_key(|&at| self.beliefs.expected_spread(self.graph, at));
        open.into_iter().map(|at| self.graph.id(at)).collect()
    }

    /// The units that are shown to be known and were not before, each after its prerequisites. All that they need is known,
    /// too. Before the end they are what would be placed if no more was asked.
    #[must_use]
    pub fn placed(&self) -> Vec<&'g str> {
        (0..self.graph.len())
            .filter(|&at| self.is_shown[at] && !self.is_known[at])
            .filter(|&at| self.beliefs.of(at) >= Self::KNOWN)
            .map(|at| self.graph.id(at))
            .collect()
    }

    /// The belief that the student knows a unit, out of [`CERTAIN`]; `None` if the graph has it not.
    #[must_use]
    pub fn belief(&self, unit_id: &str) -> Option<u64> {
        self.graph.find(unit_id).map(|at| self.beliefs.of(at))
    }

    /// Whether a question about a unit is left that could decide something.
    fn is_open(&self, at: usize) -> bool {
        let belief = self.beliefs.of(at);
        let undecided = Self::NOT_KNOWN < belief && belief < Self::KNOWN;
        let most = self.graph.questions(at).min(Self::MOST_OF_A_UNIT);
        undecided && self.asked[at] < most
    }
}
