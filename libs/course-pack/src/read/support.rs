//! `support/*.md`: memos and videos that belong to exam questions.

use std::path::Path;

use super::{markdown, stem};
use crate::draft::{Draft, SupportDraft};
use crate::fault::{Faults, Sink};
use crate::fields::Fields;
use crate::ids;
use crate::model::{Support, SupportKind};

const KINDS: [(&str, SupportKind); 2] =
    [("memo", SupportKind::Memo), ("video", SupportKind::Video)];

pub(super) fn read<'a>(file: &'a Path, text: &str, draft: &mut Draft<'a>, faults: &mut Faults) {
    let sink = &mut Sink::new(file, faults);
    let Some(document) = markdown::split(text, sink) else {
        return;
    };
    let Some(mut fields) = Fields::open(document.front, "support", sink) else {
        return;
    };
    let question = fields.id("question", sink);
    let kind = fields.required_choice("kind", &KINDS, sink);
    fields.finish(sink);
    let id = stem(file);
    if !ids::is_id(&id) {
        sink.add(
            None,
            format!("`{id}` cannot be a support's id"),
            format!("rename the file: {}", ids::RULE),
        );
    }
    let body = document.body.trim();
    if body.is_empty() {
        sink.add(
            document.body_line,
            "this support has no text",
            "write the memo, or the video's description and address, below the front matter",
        );
    }
    if let (Some(question), Some(kind)) = (question, kind) {
        draft.support.push(SupportDraft {
            line: question.line,
            support: Support {
                id,
                question: question.value,
                kind,
                text: body.to_owned(),
            },
            file,
        });
    }
}
