//! How sure a mapping is.
//!
//! A logistic curve over three figures, each of which means something by itself:
//!
//! | figure | what it says | range |
//! | --- | --- | --- |
//! | lead | the unit's part of the vote, less that of the best other unit | -1..1 |
//! | coverage | the best hit's score as a part of the highest possible: how much of the query the course answers | 0..1 |
//! | topicality | how much the query's terms tell about units at all | from 0 |
//!
//! The lead enters by its root: the step from no lead to a small one says more than the step from a large one to a larger.
//!
//! The coefficients were fitted once, by least log-loss over the first unit of each mapping, on the development queries
//! (pasted problems, "explain why" questions, chat turns with and without what went before), and rounded. `cargo run
//! --release -p turnwise-retrieval-svc --example mapping_quality` prints how well they hold, for all six units of a mapping,
//! too: among units with a confidence around c, a part of c should be right.

/// The most that a mapping can be sure of when the message itself says nothing and only the messages before it speak. It
/// stays below the 0.55 from which a policy locks its target: `ok` never moves a student to another unit.
pub const CONTEXT_ONLY_MAX: f64 = 0.5;

const INTERCEPT: f64 = -3.4;
const LEAD: f64 = 4.1;
const COVERAGE: f64 = 3.2;
const TOPICALITY: f64 = 0.8;

/// From this topicality of its own terms a message speaks for itself. Below it the confidence goes down step by step to
/// what the messages before it allow: a stray word is no topic, even if just one unit happens to use it.
const ENOUGH: f64 = 0.3;

/// What a confidence is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// The unit's part of the vote, less that of the best other unit; -1 to 1.
    pub(super) lead: f64,
    /// The best hit's part of the highest possible score, 0 to 1.
    pub(super) coverage: f64,
    /// The sum of the topicality of the query's terms.
    pub(super) topicality: f64,
    /// The sum of the topicality of the message's own terms.
    pub(super) own: f64,
    /// Whether the messages before it say something.
    pub(super) in_context: bool,
}

impl Evidence {
    /// The confidence, 0 to 1. It grows with the lead, so units keep the order of their votes.
    pub(super) fn confidence(self) -> f64 {
        let logit = INTERCEPT
            + LEAD * self.lead.abs().sqrt().copysign(self.lead)
            + COVERAGE * self.coverage
            + TOPICALITY * self.topicality.ln_1p();
        let confidence = 1.0 / (1.0 + (-logit).exp());
        // Hardly less where it is low, and never above the maximum; a plain cut would make ties.
        let from_context = if self.in_context {
            confidence * (1.0 - (1.0 - CONTEXT_ONLY_MAX) * confidence)
        } else {
            0.0
        };
        let own = (self.own / ENOUGH).min(1.0);
        own * confidence + (1.0 - own) * from_context
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: Evidence = Evidence {
        lead: 0.6,
        coverage: 0.5,
        topicality: 2.0,
        own: 2.0,
        in_context: false,
    };

    #[test]
    fn a_clear_hit_passes_the_policys_threshold_and_a_vague_one_does_not() {
        assert!(CLEAR.confidence() > 0.75);
        let vague = Evidence {
            lead: 0.05,
            coverage: 0.2,
            topicality: 0.3,
            own: 0.3,
            in_context: false,
        };
        assert!(vague.confidence() < 0.25);
    }

    #[test]
    fn context_alone_never_locks_a_target() {
        for lead in [-1.0, 0.0, 1.0] {
            for topicality in [0.0, 1.0, 1e9] {
                let evidence = Evidence {
                    lead,
                    coverage: 1.0,
                    topicality,
                    own: 0.0,
                    in_context: true,
                };
                assert!((0.0..=CONTEXT_ONLY_MAX).contains(&evidence.confidence()));
            }
        }
    }
}
