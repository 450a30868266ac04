//! `documents/*.md`: documents, some with questions that the student has to answer first.

use std::path::Path;

use super::{markdown, stem, values};
use crate::draft::{DocumentDraft, Draft};
use crate::fault::{Faults, Sink};
use crate::fields::{Fields, Located, shorten};
use crate::ids;
use crate::model::ClarifyingDocument;
use crate::repeats::repeats;

/// The bounds of a clarification, which takes a document whole.
const MAX_CONTENT_BYTES: usize = 16_384;
const MAX_QUESTIONS: usize = 20;
const MAX_QUESTION_CHARS: usize = 500;

pub(super) fn read<'a>(file: &'a Path, text: &str, draft: &mut Draft<'a>, faults: &mut Faults) {
    let sink = &mut Sink::new(file, faults);
    let Some(document) = markdown::split(text, sink) else {
        return;
    };
    let Some(mut fields) = Fields::open(document.front, "document", sink) else {
        return;
    };
    let title = fields.text("title", sink);
    let unit = fields.id("unit", sink);
    let stated = fields.line_of("clarifying_questions");
    let questions = fields.texts("clarifying_questions", sink);
    let handoff_line = fields.line_of("requires_handoff");
    let requires_handoff = fields.flag("requires_handoff", false, sink);
    fields.finish(sink);

    let id = stem(file);
    if !ids::is_id(&id) {
        sink.add(
            None,
            format!("`{id}` cannot be a document's id"),
            format!("rename the file: {}", ids::RULE),
        );
    }
    check_questions(&questions, stated, sink);
    if requires_handoff && questions.is_empty() {
        sink.add(
            handoff_line,
            "a person takes over after the answers, but this document has no questions",
            "write what to ask in `clarifying_questions`, or remove `requires_handoff`",
        );
    }
    let content = document.body.trim();
    if content.is_empty() {
        sink.add(
            document.body_line,
            "this document has no text",
            "write its text below the front matter",
        );
    } else if content.len() > MAX_CONTENT_BYTES {
        sink.add(
            document.body_line,
            format!(
                "this document's text has {} bytes, but at most {MAX_CONTENT_BYTES} are allowed",
                content.len()
            ),
            "shorten it, or make two documents of it",
        );
    }
    if let Some(unit) = unit {
        draft.documents.push(DocumentDraft {
            line: unit.line,
            document: ClarifyingDocument {
                id,
                title: title.map(|l| l.value).unwrap_or_default(),
                unit: unit.value,
                content: content.to_owned(),
                questions: values(questions),
                requires_handoff,
            },
            file,
        });
    }
}

/// Checks how many there are, how long each is, and that none stands twice.
fn check_questions(questions: &[Located<String>], line: Option<usize>, sink: &mut Sink<'_>) {
    if questions.len() > MAX_QUESTIONS {
        sink.add(
            line,
            format!(
                "this document has {} questions, but at most {MAX_QUESTIONS} are allowed",
                questions.len()
            ),
            "keep those without which the document cannot be used",
        );
    }
    for question in questions {
        let length = question.value.chars().count();
        if length > MAX_QUESTION_CHARS {
            sink.add(
                question.line,
                format!(
                    "this question has {length} characters, but at most {MAX_QUESTION_CHARS} are allowed"
                ),
                "ask for one thing, in a sentence or two",
            );
        }
    }
    for (again, first) in repeats(questions.iter().map(|q| q.value.as_str())) {
        sink.add(
            questions[again].line,
            format!(
                "the question `{}` stands twice in this document (first on line {})",
                shorten(&questions[again].value),
                questions[first].line
            ),
            "keep one of the two",
        );
    }
}
