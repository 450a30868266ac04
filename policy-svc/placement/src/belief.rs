//! How likely a student knows each unit, and what an answer makes of that.

use std::collections::BTreeSet;

use crate::graph::Graph;

/// The belief in what is certain. A belief is a whole number from 0 to this.
pub const CERTAIN: u64 = 1 << 20;

/// Of this many answers, [`SLIPS`] or [`GUESSES`] are not what the student's knowledge would give.
const ANSWERS: u64 = 20;
/// Wrong answers of those who know the unit: a tenth, of which most are slips of the pen.
const SLIPS: u64 = 2;
/// Right answers of those who do not: a twentieth, as answers are typed and not chosen.
const GUESSES: u64 = 1;

/// The belief in each unit, in the graph's order. That in a unit is never stronger than those in its prerequisites.
#[derive(Debug, Clone)]
pub(crate) struct Beliefs(Vec<u64>);

impl Beliefs {
    /// Before any answer: of all places in a chain through the unit where a student's knowledge may end, the share of those
    /// behind it. So in a chain each place is as likely, and a unit on its own is as likely known as not. What is known, and
    /// all that it needs, is certain: `known` says so of each unit.
    pub(crate) fn before_answers(graph: &Graph, known: &[bool]) -> Self {
        let mut after = vec![0_u64; graph.len()];
        for at in 0..graph.len() {
            for &need in graph.before(at) {
                after[need] += 1;
            }
        }
        let belief = |(at, after): (usize, u64)| {
            let open = |need: &usize| u64::from(!known[*need]);
            let before: u64 = graph.before(at).iter().map(open).sum();
            if known[at] {
                CERTAIN
            } else {
                CERTAIN * (after + 1) / (before + after + 2)
            }
        };
        Self(after.into_iter().enumerate().map(belief).collect())
    }

    /// The belief in a unit.
    pub(crate) fn of(&self, at: usize) -> u64 {
        self.0[at]
    }

    /// The beliefs once a question about a unit was answered.
    pub(crate) fn after(&self, graph: &Graph, asked: usize, correct: bool) -> Self {
        self.updated(graph, asked, &self.shared(graph, asked), correct)
    }

    /// How much uncertainty an answer about a unit is expected to leave, on a scale that all units share: the spread of the
    /// beliefs after either answer, weighted by how likely it is.
    pub(crate) fn expected_spread(&self, graph: &Graph, asked: usize) -> u128 {
        let shared = self.shared(graph, asked);
        let right = self.weight(asked, true);
        let wrong = ANSWERS * CERTAIN - right;
        let spread = |correct| self.updated(graph, asked, &shared, correct).spread();
        u128::from(right) * spread(true) + u128::from(wrong) * spread(false)
    }

    /// The belief in a unit times that in its opposite, of all units together: what is decided adds nothing.
    fn spread(&self) -> u128 {
        let of_one = |belief: &u64| u128::from(belief * (CERTAIN - belief));
        self.0.iter().map(of_one).sum()
    }

    /// How likely an answer is, out of [`ANSWERS`] times [`CERTAIN`].
    fn weight(&self, asked: usize, correct: bool) -> u64 {
        let (known, unknown) = rates(correct);
        self.0[asked] * known + (CERTAIN - self.0[asked]) * unknown
    }

    /// For each unit the weakest belief in what it has in common with the unit that is asked about: of both and all they
    /// need, what is among both. Where nothing is, certainty.
    fn shared(&self, graph: &Graph, asked: usize) -> Vec<u64> {
        let before: &BTreeSet<usize> = graph.before(asked);
        let mut shared: Vec<u64> = Vec::with_capacity(self.0.len());
        for (at, needs) in graph.needs().enumerate() {
            let weakest = if at == asked || before.contains(&at) {
                self.0[at]
            } else {
                needs
                    .iter()
                    .map(|&need| shared[need])
                    .min()
                    .unwrap_or(CERTAIN)
            };
            shared.push(weakest);
        }
        shared
    }

    /// Bayes' rule for each unit. That it and the unit asked about are known together follows from what they share: given
    /// that, either is taken to be as likely whatever the other is. So of a prerequisite and of what needs the unit it is
    /// exact, and of a unit that shares nothing an answer says nothing.
    fn updated(&self, graph: &Graph, asked: usize, shared: &[u64], correct: bool) -> Self {
        let (known, unknown) = rates(correct);
        let weight = self.weight(asked, correct);
        let mut updated: Vec<u64> = Vec::with_capacity(self.0.len());
        for ((&belief, &shared), needs) in self.0.iter().zip(shared).zip(graph.needs()) {
            let both = belief * self.0[asked] / shared.max(1);
            let both = both.min(belief).min(self.0[asked]);
            let after = (both * known + (belief - both) * unknown) * CERTAIN / weight;
            // No answer makes certain, or takes back what is.
            let bounded = if belief == CERTAIN {
                CERTAIN
            } else {
                after.clamp(1, CERTAIN - 1)
            };
            let weakest = needs.iter().map(|&need| updated[need]).min();
            updated.push(weakest.map_or(bounded, |weakest| bounded.min(weakest)));
        }
        Self(updated)
    }
}

/// How often, of [`ANSWERS`], an answer is given by those who know a unit, and by those who do not.
fn rates(correct: bool) -> (u64, u64) {
    if correct {
        (ANSWERS - SLIPS, GUESSES)
    } else {
        (SLIPS, ANSWERS - GUESSES)
    }
}
