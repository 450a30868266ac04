//! What a reply may do, and all that is to be known of each action, in one place.

use serde::{Deserialize, Serialize};
use turnwise_messages::{Key, keys};

use crate::reply::{CardContract, concept, drill, exam};

/// What a reply does. A reply does exactly one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Asks one guiding question; no card.
    SocraticQuestion,
    /// Sets one short exercise.
    DrillCard,
    /// Explains, only to a student who is stuck by evidence.
    ConceptCard,
    /// Offers one question of the exam catalogue.
    ExamBlock,
}

/// What has to hold for an action to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Nothing.
    Always,
    /// There is a unit to practise: the message could be placed, and not on the entry unit.
    Unit,
    /// There is, and the student is stuck on it by evidence.
    Stuck,
    /// There is, and an exam question on it that the student is ready for can be attempted.
    ExamQuestion,
}

/// The units that an action may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The whole scope.
    Scope,
    /// The scope without the entry unit.
    Practice,
    /// The focus alone.
    Focus,
}

/// All that is to be known of an action.
pub(crate) struct Facts {
    /// The spelling that a model sees.
    pub(crate) name: &'static str,
    /// The card that a reply with it must have; `None`: it has no card.
    pub(crate) card: Option<&'static CardContract>,
    /// What has to hold for it to be allowed.
    pub(crate) condition: Condition,
    /// The units that it may be about.
    pub(crate) reach: Reach,
    /// Whether the fallback can do it, so that it may be all that is allowed.
    pub(crate) has_fallback: bool,
    /// How an explanation begins that says why it is allowed.
    pub(crate) allowed: Key,
    /// How an explanation begins that says why it is not.
    pub(crate) refused: Key,
    /// What a button asks for that wants it.
    pub(crate) wanted: Key,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 4] = [
        Self::SocraticQuestion,
        Self::DrillCard,
        Self::ConceptCard,
        Self::ExamBlock,
    ];

    /// The action with this spelling.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// The spelling that a model sees.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// All that is to be known of it.
    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Self::SocraticQuestion => &Facts {
                name: "SOCRATIC_QUESTION",
                card: None,
                condition: Condition::Always,
                reach: Reach::Scope,
                has_fallback: true,
                allowed: keys::EXPLAIN_QUESTION_ALLOWED,
                refused: keys::EXPLAIN_QUESTION_REFUSED,
                wanted: keys::EXPLAIN_QUESTION_WANTED,
            },
            Self::DrillCard => &Facts {
                name: "DRILL_CARD",
                card: Some(&drill::CONTRACT),
                condition: Condition::Unit,
                reach: Reach::Practice,
                has_fallback: true,
                allowed: keys::EXPLAIN_DRILL_ALLOWED,
                refused: keys::EXPLAIN_DRILL_REFUSED,
                wanted: keys::EXPLAIN_DRILL_WANTED,
            },
            Self::ConceptCard => &Facts {
                name: "CONCEPT_CARD",
                card: Some(&concept::CONTRACT),
                condition: Condition::Stuck,
                reach: Reach::Scope,
                has_fallback: false,
                allowed: keys::EXPLAIN_CONCEPT_ALLOWED,
                refused: keys::EXPLAIN_CONCEPT_REFUSED,
                wanted: keys::EXPLAIN_CONCEPT_WANTED,
            },
            Self::ExamBlock => &Facts {
                name: "EXAM_BLOCK",
                card: Some(&exam::CONTRACT),
                condition: Condition::ExamQuestion,
                reach: Reach::Focus,
                has_fallback: true,
                allowed: keys::EXPLAIN_EXAM_ALLOWED,
                refused: keys::EXPLAIN_EXAM_REFUSED,
                wanted: keys::EXPLAIN_EXAM_WANTED,
            },
        }
    }
}
