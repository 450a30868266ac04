//! The prompt that translates a question of a document into the language that the student reads.

use minijinja::{Value, context};
use serde::Serialize;

use crate::{block::block, fault::RenderError};

/// What a translation's prompt is made from.
#[derive(Debug, Clone, Copy)]
pub struct TranslatePrompt<'a> {
    /// The question.
    pub question: &'a str,
    /// Its language.
    pub source_locale: &'a str,
}

/// The variables of a translation's system sheet.
pub(crate) fn system_variables(input: &TranslatePrompt<'_>, locale: &str) -> Value {
    context! { locale, source_locale => input.source_locale }
}

/// The variables of a translation's user sheet.
pub(crate) fn user_variables(
    input: &TranslatePrompt<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    let question = input.question;
    Ok(context! {
        locale,
        source_locale => input.source_locale,
        question => block("QUESTION", &QuestionView { question })?,
    })
}

#[derive(Serialize)]
struct QuestionView<'a> {
    question: &'a str,
}
