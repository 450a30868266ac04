//! A question as a platform words it: shown as it is or not at all.

use std::collections::HashSet;

use turnwise_kit::ids;
use turnwise_proto::exam::v1::{GetQuestionResponse, QuestionOption};

use super::displayed;

/// The most bytes of one text of a question.
const TEXT_MAX_BYTES: usize = 4_000;
/// The most options of a question.
const MOST_OPTIONS: usize = 20;

/// The question that was asked for, as it may be shown; `None` where what came is none.
pub(super) fn read(question_id: &str, told: GetQuestionResponse) -> Option<GetQuestionResponse> {
    let options: Vec<QuestionOption> = told.options.into_iter().map(shown).collect();
    let are_options = are_options(&options);
    let question = GetQuestionResponse {
        prompt: displayed::text(&told.prompt),
        question_latex: displayed::text(&told.question_latex),
        question_id: told.question_id,
        options,
    };
    let is_question = question.question_id == question_id
        && are_options
        && is_said(&question.prompt)
        && question.question_latex.len() <= TEXT_MAX_BYTES;
    is_question.then_some(question)
}

/// None at all, or several that differ.
fn are_options(options: &[QuestionOption]) -> bool {
    let mut seen = HashSet::new();
    options.len() != 1
        && options.len() <= MOST_OPTIONS
        && options.iter().all(|option| {
            ids::is_valid(&option.option_id)
                && is_said(&option.text)
                && seen.insert(option.option_id.as_str())
        })
}

fn shown(option: QuestionOption) -> QuestionOption {
    QuestionOption {
        text: displayed::text(&option.text),
        option_id: option.option_id,
    }
}

/// A question that is cut is another question.
fn is_said(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= TEXT_MAX_BYTES
}
