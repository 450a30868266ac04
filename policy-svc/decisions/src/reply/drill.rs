//! An exercise of few steps.

use serde::{Deserialize, Serialize};

use super::{Card, CardContract, CardText, WrittenCard};
use crate::{
    buttons::{Button, Call, Label, in_order, turn},
    course::Course,
    limits,
    policy::Policy,
    schema::object,
    words::EventKind,
};

/// An exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmDrillCard {
    /// What to do.
    pub prompt: String,
    /// The exercise; empty where the prompt says it all.
    pub question_latex: String,
}

pub(crate) const CONTRACT: CardContract = CardContract {
    key: "drill_card",
    schema: |_, _, form| {
        object(
            vec![
                ("prompt", form.part()),
                ("question_latex", form.optional_part()),
            ],
            &[],
        )
    },
    depends_on: |_, _| Vec::new(),
};

impl WrittenCard for LlmDrillCard {
    fn texts(&self) -> Vec<CardText<'_>> {
        let Self {
            prompt,
            question_latex,
        } = self;
        vec![
            CardText::filled("prompt", prompt),
            CardText {
                key: "question_latex",
                text: question_latex,
                may_be_empty: true,
            },
        ]
    }

    fn limit_exceeded(&self, policy: &Policy) -> Option<String> {
        let max_steps = policy.constraints.drill_max_steps;
        limits::drill_fault(&self.prompt, &self.question_latex, max_steps)
            .map(|fault| format!("the drill has {fault}"))
    }

    fn shown(&self, _: &Course) -> Option<Card> {
        Some(Card::Drill(self.clone()))
    }

    fn buttons(&self, _: &Course, _: &Policy, target_unit_id: &str) -> Vec<Button> {
        in_order([
            (Label::CheckAnswer, Call::GradeDrill),
            (Label::AskHint, turn(EventKind::StuckHint, target_unit_id)),
        ])
    }
}
