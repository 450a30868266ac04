//! The cards of replies. Each has one file: how a model writes it, the schema that it keeps, its texts, and what no schema
//! can say of them.

pub mod concept;
pub mod drill;
pub mod exam;

use serde_json::Value;

use crate::{
    course::{Course, ExamQuestion},
    policy::Policy,
    schema::Form,
};
use concept::LlmConceptCard;
use drill::LlmDrillCard;

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
    pub(crate) depends_on: fn(&Course, &Policy, &mut dyn FnMut(&str)),
}

/// A card as a model wrote it.
pub(crate) trait WrittenCard {
    /// Every text of it that a student can read.
    fn texts(&self) -> Vec<CardText<'_>>;

    /// Which limit of the policy it exceeds, beyond those of its texts' lengths.
    fn limit_exceeded(&self, policy: &Policy) -> Option<String>;

    /// The card that the student sees. What an exam question says comes from the catalogue, never from a model.
    fn shown(self, course: &Course) -> Option<Card>
    where
        Self: Sized;
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
