//! The prompt that grades an answer to a drill, or words the feedback on one that is decided.

use minijinja::{Value, context};
use serde::Serialize;

use crate::{block::block, fault::RenderError, prompt::Trimmed, tokens::estimate};

/// A kind of mistake that feedback may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MistakeTag<'a> {
    /// The tag, as evidence stores it.
    pub tag: &'a str,
    /// What it means, for the model; the course's words.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub meaning: &'a str,
}

/// What a grading prompt is made from.
#[derive(Debug, Clone, Copy)]
pub struct GradePrompt<'a> {
    /// The unit's title.
    pub unit_title: &'a str,
    /// What the drill asks to do.
    pub prompt: &'a str,
    /// The exercise.
    pub question_latex: &'a str,
    /// What the student answered, redacted.
    pub answer: &'a str,
    /// What mathematics decided; none: the model has to tell.
    pub verdict: Option<bool>,
    /// The tags to choose from.
    pub mistake_tags: &'a [MistakeTag<'a>],
    /// The drill's key; none where it has none.
    pub key: Option<&'a str>,
}

/// What of a grade's data is in the prompt.
pub(crate) struct BudgetedParts<'a> {
    tags: Vec<MistakeTag<'a>>,
    unit_title: &'a str,
    trimmed: Trimmed,
}

impl<'a> BudgetedParts<'a> {
    pub(crate) fn all(input: &GradePrompt<'a>) -> Self {
        Self {
            tags: input.mistake_tags.to_vec(),
            unit_title: input.unit_title,
            trimmed: Trimmed::default(),
        }
    }

    pub(crate) fn trimmed(&self) -> Trimmed {
        self.trimmed
    }

    /// Leaves out about `excess` tokens. False if nothing more can be left out.
    pub(crate) fn reduce(&mut self, excess: usize) -> bool {
        let mut saved = 0;
        while saved < excess {
            let meanings = self.tags.iter_mut().map(|tag| &mut tag.meaning);
            let mut texts = std::iter::once(&mut self.unit_title).chain(meanings);
            let Some(text) = texts.rfind(|text| !text.is_empty()) else {
                break;
            };
            saved += estimate(text).max(1);
            *text = "";
            self.trimmed.texts_cut += 1;
        }
        saved > 0
    }
}

/// The variables of a grade's system sheet.
pub(crate) fn system_variables(
    input: &GradePrompt<'_>,
    parts: &BudgetedParts<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    Ok(context! {
        locale,
        verdict => verdict(input.verdict),
        mistake_tags => if parts.tags.is_empty() {
            String::new()
        } else {
            block("MISTAKE_TAGS", &parts.tags)?
        },
    })
}

/// The variables of a grade's user sheet.
pub(crate) fn user_variables(
    input: &GradePrompt<'_>,
    parts: &BudgetedParts<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    Ok(context! {
        locale,
        verdict => verdict(input.verdict),
        task => block("TASK", &TaskView {
            unit_title: parts.unit_title,
            prompt: input.prompt,
            question_latex: input.question_latex,
            expected_answer: input.key,
        })?,
        student_answer => block("STUDENT_ANSWER", &AnswerView { answer: input.answer })?,
    })
}

fn verdict(verdict: Option<bool>) -> &'static str {
    match verdict {
        Some(true) => "right",
        Some(false) => "wrong",
        None => "unknown",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskView<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    unit_title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    prompt: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    question_latex: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_answer: Option<&'a str>,
}

#[derive(Serialize)]
struct AnswerView<'a> {
    answer: &'a str,
}
