//! The contract of a model's reply, in the spelling that the model sees, and the cards of replies. Each card has one file:
//! how a model writes it, the schema that it keeps, its texts, what no schema can say of them, and its buttons.

pub mod concept;
pub mod drill;
pub mod exam;
pub(crate) mod short;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::{
    concept::{LlmConceptCard, LlmWorkedExample},
    drill::LlmDrillCard,
    exam::LlmExamSuggestion,
};
use crate::{
    buttons::Button,
    course::{Course, ExamQuestion},
    policy::Policy,
    schema::Form,
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

/// A card as a student sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Card {
    /// An explanation.
    Concept(LlmConceptCard),
    /// An exercise.
    Drill(LlmDrillCard),
    /// A question of the catalogue.
    Exam(ExamQuestion),
}

/// What a reply must have for a card, before it is one.
pub(crate) struct CardContract {
    /// The card's key in a reply.
    pub(crate) key: &'static str,
    /// Its schema under a policy.
    pub(crate) schema: fn(&Course, &Policy, Form) -> Value,
    /// Everything of course and policy that the schema depends on, part by part.
    pub(crate) depends_on: fn(&Course, &Policy) -> Vec<String>,
}

/// A card as a model wrote it.
pub(crate) trait WrittenCard {
    /// Every text of it that a student can read.
    fn texts(&self) -> Vec<CardText<'_>>;

    /// Which limit of the policy it exceeds, beyond those of its texts' lengths.
    fn limit_exceeded(&self, policy: &Policy) -> Option<String>;

    /// The card that the student sees. What an exam question says comes from the catalogue, never from a model.
    fn shown(&self, course: &Course) -> Option<Card>;

    /// The buttons on it, before it is answered.
    fn buttons(&self, course: &Course, policy: &Policy, target_unit_id: &str) -> Vec<Button>;
}

/// A text of a card.
pub(crate) struct CardText<'a> {
    /// Its key.
    pub(crate) key: &'static str,
    /// What it says.
    pub(crate) text: &'a str,
    /// Whether it may say nothing.
    pub(crate) may_be_empty: bool,
}

impl<'a> CardText<'a> {
    /// A text that must say something.
    fn filled(key: &'static str, text: &'a str) -> Self {
        Self {
            key,
            text,
            may_be_empty: false,
        }
    }

    /// Texts of a list, each of which must say something.
    fn each(key: &'static str, texts: &'a [String]) -> Vec<Self> {
        texts.iter().map(|text| Self::filled(key, text)).collect()
    }
}
