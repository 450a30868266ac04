//! A question of the exam catalogue: a model names it, and the catalogue says what it asks.

use serde::{Deserialize, Serialize};

use super::{Card, CardContract, CardText, WrittenCard};
use crate::{
    buttons::{Button, on_question},
    course::Course,
    policy::Policy,
    schema::{object, one_of},
    words::Tier,
};

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

pub(crate) const CONTRACT: CardContract = CardContract {
    key: "exam_suggestion",
    schema: |_, policy, _| {
        let questions = policy.exam_candidate_ids.iter().map(String::as_str);
        let tier = policy.desired_exam_tier.as_str();
        object(
            vec![
                ("question_id", one_of(questions)),
                ("difficultyTier", one_of([tier])),
            ],
            &[],
        )
    },
    depends_on: |_, policy| {
        let mut parts = vec![
            policy.desired_exam_tier.as_str().to_owned(),
            policy.exam_candidate_ids.len().to_string(),
        ];
        parts.extend(policy.exam_candidate_ids.iter().cloned());
        parts
    },
};

impl WrittenCard for LlmExamSuggestion {
    /// None: it holds ids, and its words are the catalogue's.
    fn texts(&self) -> Vec<CardText<'_>> {
        let Self {
            question_id: _,
            difficulty_tier: _,
        } = self;
        Vec::new()
    }

    fn limit_exceeded(&self, _: &Policy) -> Option<String> {
        None
    }

    fn shown(&self, course: &Course) -> Option<Card> {
        course.question(&self.question_id).cloned().map(Card::Exam)
    }

    fn buttons(&self, course: &Course, _: &Policy, _: &str) -> Vec<Button> {
        course
            .question(&self.question_id)
            .map_or_else(Vec::new, on_question)
    }
}
