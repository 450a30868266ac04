//! CLARIFICATION: a document that an answer needs, and what the student said of its questions.

use std::borrow::Cow;

use serde::Serialize;
use turnwise_proto::session::v1::{Clarification, ClarificationAnswer};

use crate::{
    budget::{cost, shorten},
    fault::RenderError,
};

/// What of a clarification is in the prompt.
#[derive(Debug, Serialize)]
pub(crate) struct ClarificationPart<'a> {
    document: DocumentView<'a>,
    details: Vec<DetailView<'a>>,
}

#[derive(Debug, Serialize)]
struct DocumentView<'a> {
    title: &'a str,
    text: Cow<'a, str>,
}

#[derive(Debug, Serialize)]
struct DetailView<'a> {
    question: &'a str,
    answer: &'a str,
}

impl<'a> ClarificationPart<'a> {
    pub(crate) fn of(clarification: &'a Clarification) -> Self {
        let detail = |answer: &'a ClarificationAnswer| DetailView {
            question: &answer.question,
            answer: &answer.answer,
        };
        Self {
            document: DocumentView {
                title: &clarification.document_title,
                text: Cow::Borrowed(&clarification.original_doc_content),
            },
            details: clarification.answers.iter().map(detail).collect(),
        }
    }

    /// Leaves out about so many tokens of the document's text. How many that is; 0: nothing is left of it.
    pub(crate) fn reduce(&mut self, wanted: usize) -> Result<usize, RenderError> {
        let text = &mut self.document.text;
        if text.is_empty() {
            return Ok(0);
        }
        if let Cow::Borrowed(whole) = *text
            && let Some((kept, saved)) = shorten(whole, wanted)?
        {
            *text = Cow::Owned(kept);
            return Ok(saved);
        }
        cost(&std::mem::take(text))
    }
}
