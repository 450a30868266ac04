//! An exercise that a student brings: it gets the rule and the first step, by the algebra alone.

use turnwise_decisions::teaching::derived_hints;
use turnwise_grading::next_step;
use turnwise_messages::Texts;
use turnwise_reply_guard::{
    OpenDrill,
    formula::{Part, parts},
};

/// How many earlier messages may hold the exercise that help is asked for again.
const MOST_BEFORE: usize = 6;

/// The words and the formula of an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnExercise {
    pub(super) prompt: String,
    pub(super) question_latex: String,
}

impl OwnExercise {
    /// The exercise in a message; `None` where there is none for which a first step is known, or more than one.
    pub(super) fn read(message: &str) -> Option<Self> {
        if !message.contains(|c: char| c.is_numeric()) {
            return None;
        }
        if next_step(message, "").is_some() {
            return Some(Self {
                prompt: message.to_owned(),
                question_latex: String::new(),
            });
        }
        let parts = message.lines().flat_map(parts);
        let formulas = parts.filter_map(|part| match part {
            Part::Formula(formula) => Some(formula.to_string()),
            _ => None,
        });
        let mut found: Vec<String> = formulas
            .filter(|formula| next_step("", formula).is_some())
            .collect();
        found.dedup();
        let [only] = <[String; 1]>::try_from(found).ok()?;
        Some(Self {
            prompt: String::new(),
            question_latex: only,
        })
    }

    /// The exercise of an earlier message whose first step is among what was said last.
    pub(super) fn again(texts: &Texts, before: &[String], said: &[String]) -> Option<Self> {
        let mut before = before.iter().take(MOST_BEFORE);
        before.find_map(|message| {
            let own = Self::read(message)?;
            let step = derived_hints(texts, &own.prompt, &own.question_latex).pop()?;
            said.iter().any(|said| said.contains(&step)).then_some(own)
        })
    }

    /// The exercise as replies see it.
    pub(super) fn guarded(&self) -> OpenDrill<'_> {
        OpenDrill {
            prompt: &self.prompt,
            question_latex: &self.question_latex,
            key: None,
            said: "",
        }
    }
}
