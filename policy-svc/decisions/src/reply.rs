//! The contract of a model's reply, in the spelling that the model sees.

use serde::{Deserialize, Serialize};

use crate::words::{Action, StudentIntent, Tier, UnderstandingSignal};

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

/// An explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmConceptCard {
    /// Short sentences.
    pub key_ideas: Vec<String>,
    /// An example with its solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked_example: Option<LlmWorkedExample>,
}

/// A problem, the way and the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmWorkedExample {
    /// The problem.
    pub problem_latex: String,
    /// Its answer.
    pub final_answer_latex: String,
    /// The steps between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps_latex: Vec<String>,
}

/// An exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmDrillCard {
    /// What to do.
    pub prompt: String,
    /// The exercise; empty where the prompt says it all.
    pub question_latex: String,
}

/// An exam question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmExamSuggestion {
    /// One of the turn's candidates.
    pub question_id: String,
    /// The desired tier.
    #[serde(rename = "difficultyTier")]
    pub difficulty_tier: Tier,
}
