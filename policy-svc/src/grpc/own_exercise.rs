//! An exercise that a student brings: it gets the rule and the first step, by the algebra alone.

use turnwise_decisions::teaching::derived_hints;
use turnwise_grading::exercise_in;
use turnwise_messages::Texts;
use turnwise_reply_guard::OpenDrill;

/// How many earlier messages may hold the exercise that help is asked for again.
const MOST_BEFORE: usize = 6;

/// The words and the formula of an exercise.
pub(super) struct OwnExercise {
    prompt: String,
    question_latex: String,
}

impl OwnExercise {
    /// The exercise in a message; `None` where there is none for which a first step is known, or more than one.
    pub(super) fn read(message: &str) -> Option<Self> {
        let (prompt, question_latex) = exercise_in(message)?;
        Some(Self {
            prompt,
            question_latex,
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

    /// The exercise with an equality for each inequality: its steps are the same.
    pub(super) fn equated(&self) -> Self {
        let equated = |text: &str| {
            let signs = [
                "\\leq", "\\geq", "\\le", "\\ge", "\\lt", "\\gt", "<=", ">=", "<", ">", "≤", "≥",
            ];
            let text = signs
                .iter()
                .fold(text.to_owned(), |text, sign| text.replace(sign, "="));
            text.replace("==", "=")
        };
        Self {
            prompt: equated(&self.prompt),
            question_latex: equated(&self.question_latex),
        }
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
