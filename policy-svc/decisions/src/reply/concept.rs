//! An explanation: key ideas and perhaps a worked example.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Card, CardContract, CardText, WrittenCard};
use crate::{
    buttons::{Button, Call, Label, in_order, turn},
    course::Course,
    policy::Policy,
    schema::{Form, keywords, list, object},
    words::EventKind,
};

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

pub(crate) const CONTRACT: CardContract = CardContract {
    key: "concept_card",
    schema,
    depends_on: |course, policy| {
        vec![
            course.rules().max_key_ideas.to_string(),
            policy.constraints.max_worked_examples.to_string(),
        ]
    },
};

fn schema(course: &Course, policy: &Policy, form: Form) -> Value {
    let key_ideas = keywords([
        ("type", "array".into()),
        ("items", form.part()),
        ("minItems", 1.into()),
        ("maxItems", course.rules().max_key_ideas.into()),
    ]);
    let mut keys = vec![("key_ideas", key_ideas)];
    if policy.constraints.max_worked_examples > 0 {
        let example = object(
            vec![
                ("problem_latex", form.part()),
                ("final_answer_latex", form.part()),
                ("steps_latex", list(form.part(), form.most_steps())),
            ],
            &["steps_latex"],
        );
        keys.push(("worked_example", example));
    }
    object(keys, &["worked_example"])
}

impl WrittenCard for LlmConceptCard {
    fn texts(&self) -> Vec<CardText<'_>> {
        let Self {
            key_ideas,
            worked_example,
        } = self;
        let mut texts = CardText::each("key_ideas", key_ideas);
        if let Some(LlmWorkedExample {
            problem_latex,
            final_answer_latex,
            steps_latex,
        }) = worked_example
        {
            texts.push(CardText::filled("problem_latex", problem_latex));
            texts.push(CardText::filled("final_answer_latex", final_answer_latex));
            texts.extend(CardText::each("steps_latex", steps_latex));
        }
        texts
    }

    /// Key ideas and worked example share one bound of words.
    fn limit_exceeded(&self, policy: &Policy) -> Option<String> {
        let words: usize = self
            .texts()
            .iter()
            .map(|text| text.text.split_whitespace().count())
            .sum();
        let most = policy.constraints.max_concept_words;
        (u32::try_from(words).unwrap_or(u32::MAX) > most)
            .then(|| format!("{words} words in the concept card"))
    }

    fn shown(&self, _: &Course) -> Option<Card> {
        Some(Card::Concept(self.clone()))
    }

    /// It may explain the entry unit, which has no drills: then the drill is on the focus, which has some, as nobody is stuck
    /// on the entry unit.
    fn buttons(&self, course: &Course, policy: &Policy, target_unit_id: &str) -> Vec<Button> {
        let on_entry = target_unit_id == course.id(course.entry());
        let unit_id = if on_entry {
            &policy.focus_unit_id
        } else {
            target_unit_id
        };
        in_order([
            (Label::TryDrill, turn(EventKind::RequestDrill, unit_id)),
            (Label::AskFollowUp, Call::Compose),
        ])
    }
}
