//! The contract of a model's reply, in the spelling that the model sees.

use serde::{Deserialize, Serialize};

pub use crate::card::{
    concept::{LlmConceptCard, LlmWorkedExample},
    drill::LlmDrillCard,
    exam::LlmExamSuggestion,
};
use crate::{
    card::WrittenCard,
    words::{Action, StudentIntent, UnderstandingSignal},
};

/// A reply as a model writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmReply {
    /// What the reply does.
    pub action: Action,
    /// The unit it is about.
    pub target_unit_id: String,
    /// What the tutor says.
    pub tutor_text: String,
    /// The units that the model sees in the message.
    pub mapped_units: Vec<LlmMappedUnit>,
    /// What the model makes of the message.
    pub turn_analysis: LlmTurnAnalysis,
    /// An explanation; with `CONCEPT_CARD` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concept_card: Option<LlmConceptCard>,
    /// An exercise; with `DRILL_CARD` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drill_card: Option<LlmDrillCard>,
    /// An exam question; with `EXAM_BLOCK` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam_suggestion: Option<LlmExamSuggestion>,
}

/// A unit that the model sees in the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmMappedUnit {
    /// The unit.
    pub unit_id: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// What the model makes of the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmTurnAnalysis {
    /// What the student wants.
    pub student_intent: StudentIntent,
    /// How sure the student sounds.
    pub understanding_signal: UnderstandingSignal,
    /// Units that the model would look at first.
    pub suggested_prereq_units: Vec<String>,
}

impl LlmReply {
    /// A reply of this service's own that says something and has no card yet.
    pub(crate) fn saying(action: Action, target_unit_id: String, tutor_text: String) -> Self {
        Self {
            action,
            target_unit_id,
            tutor_text,
            mapped_units: Vec::new(),
            turn_analysis: LlmTurnAnalysis {
                student_intent: StudentIntent::Unknown,
                understanding_signal: UnderstandingSignal::Uncertain,
                suggested_prereq_units: Vec::new(),
            },
            concept_card: None,
            drill_card: None,
            exam_suggestion: None,
        }
    }

    /// The card that was written: the schema leaves room for that of the action alone.
    pub(crate) fn card(&self) -> Option<&dyn WrittenCard> {
        let Self {
            action: _,
            target_unit_id: _,
            tutor_text: _,
            mapped_units: _,
            turn_analysis: _,
            concept_card,
            drill_card,
            exam_suggestion,
        } = self;
        let concept = concept_card.as_ref().map(|card| card as &dyn WrittenCard);
        let drill = drill_card.as_ref().map(|card| card as &dyn WrittenCard);
        let exam = exam_suggestion
            .as_ref()
            .map(|card| card as &dyn WrittenCard);
        concept.or(drill).or(exam)
    }
}
