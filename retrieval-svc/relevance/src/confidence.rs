//! How sure a mapping is.
//!
//! A logistic curve over figures, each of which means something by itself:
//!
//! | figure | what it says | range |
//! | --- | --- | --- |
//! | lead | the unit's part of the vote, less that of the best other unit | -1..1 |
//! | coverage | the best hit's score as a part of the highest possible: how much of the query the course answers | 0..1 |
//! | topicality | how much the query's terms tell about units at all | from 0 |
//! | similarity | how near the nearest chunk is; only with a model | -1..1 |
//!
//! The lead enters by its root: the step from no lead to a small one says more than the step from a large one to a larger.
//!
//! Whether words and meaning agree is no figure of its own: with a model the lead is that of both votes together, which is
//! large only where they agree. (Tried; its coefficient came out as nothing.)
//!
//! The coefficients, one set with a model and one without, were fitted once, by least log-loss over all units of each
//! mapping of the development queries (pasted problems, "explain why" questions, chat turns with and without what went
//! before), and rounded. The program of the quality crate prints how well they hold: among units with a confidence around
//! c, a part of c should be right.

/// The most that a mapping can be sure of when the message itself says nothing and only the messages before it speak. It
/// stays below the 0.55 from which a policy locks its target: `ok` never moves a student to another unit.
pub const CONTEXT_ONLY_MAX: f64 = 0.5;

/// Coefficients of a logistic curve.
struct Curve {
    intercept: f64,
    lead: f64,
    coverage: f64,
    topicality: f64,
    similarity: f64,
}

const WORDS: Curve = Curve {
    intercept: -2.5,
    lead: 3.8,
    coverage: 1.8,
    topicality: 0.7,
    similarity: 0.0,
};

const WORDS_AND_MEANING: Curve = Curve {
    intercept: -2.4,
    lead: 4.4,
    coverage: 1.0,
    topicality: 0.0,
    similarity: 2.0,
};

/// From this topicality of its own terms a message speaks for itself. Below it the confidence goes down step by step to
/// what the messages before it allow: a stray word is no topic, even if just one unit happens to use it.
const ENOUGH: f64 = 0.3;

/// What a confidence is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    /// The unit's part of the vote, less that of the best other unit; -1 to 1.
    pub(crate) lead: f64,
    /// The best hit's part of the highest possible score, 0 to 1.
    pub(crate) coverage: f64,
    /// The sum of the topicality of the query's terms.
    pub(crate) topicality: f64,
    /// The cosine similarity of the nearest chunk; `None`: there was no model.
    pub(crate) similarity: Option<f64>,
    /// The sum of the topicality of the message's own terms.
    pub(crate) own: f64,
    /// Whether the messages before it say something.
    pub(crate) in_context: bool,
}

impl Evidence {
    /// The confidence, 0 to 1. It grows with the lead, so units keep the order of their votes.
    pub(crate) fn confidence(self) -> f64 {
        let (curve, similarity) = match self.similarity {
            None => (&WORDS, 0.0),
            Some(similarity) => (&WORDS_AND_MEANING, similarity),
        };
        let logit = curve.intercept
            + curve.lead * self.lead.abs().sqrt().copysign(self.lead)
            + curve.coverage * self.coverage
            + curve.topicality * self.topicality.ln_1p()
            + curve.similarity * similarity;
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
        similarity: None,
        own: 2.0,
        in_context: false,
    };

    #[test]
    fn a_clear_hit_passes_the_policys_threshold_and_a_vague_one_does_not() {
        for similarity in [None, Some(0.7)] {
            let clear = Evidence {
                similarity,
                ..CLEAR
            };
            assert!(clear.confidence() > 0.75);
        }
        for similarity in [None, Some(0.3)] {
            let vague = Evidence {
                lead: 0.01,
                coverage: 0.1,
                topicality: 0.3,
                similarity,
                own: 0.3,
                in_context: false,
            };
            assert!(vague.confidence() < 0.25);
        }
    }

    #[test]
    fn context_alone_never_locks_a_target() {
        for lead in [-1.0, 0.0, 1.0] {
            for topicality in [0.0, 1.0, 1e9] {
                let evidence = Evidence {
                    lead,
                    coverage: 1.0,
                    topicality,
                    similarity: Some(1.0),
                    own: 0.0,
                    in_context: true,
                };
                assert!((0.0..=CONTEXT_ONLY_MAX).contains(&evidence.confidence()));
            }
        }
    }
}
