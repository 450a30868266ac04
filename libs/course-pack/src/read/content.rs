//! `content/**/*.md`: lessons, cut into chunks at their `##` headings.

use std::path::Path;

use super::{helper, markdown, reference_key};
use crate::draft::{ChunkDraft, Draft, LessonDraft};
use crate::fault::{Faults, Sink};
use crate::fields::Fields;
use crate::model::{Chunk, ChunkType, Lesson};

const TYPES: [(&str, ChunkType); 3] = [
    ("text", ChunkType::Text),
    ("pdf", ChunkType::Pdf),
    ("transcript", ChunkType::Transcript),
];

pub(super) fn read<'a>(file: &'a Path, text: &str, draft: &mut Draft<'a>, faults: &mut Faults) {
    let sink = &mut Sink::new(file, faults);
    let Some(document) = markdown::split(text, sink) else {
        return;
    };
    let Some(mut fields) = Fields::open(document.front, "lesson", sink) else {
        return;
    };
    let unit = fields.id("unit", sink);
    let source = fields.id("source", sink);
    let chunk_type = fields.required_choice("type", &TYPES, sink);
    let title = fields.text("title", sink);
    let allowed_topics = helper::topics(&mut fields, sink);
    let reference = reference_key(&mut fields, sink);
    let url = fields.optional_text("url", sink);
    let (help, synonym_topics) = helper::help(&mut fields, sink);
    fields.finish(sink);

    let sections = markdown::sections(document.body, document.body_line, sink);
    if sections.is_empty() && document.body.trim().is_empty() {
        sink.add(
            document.body_line,
            "this lesson has no content",
            "write at least one `## Heading` with text below it",
        );
    }
    let (Some(unit), Some(source)) = (unit, source) else {
        return;
    };
    let lesson = Lesson {
        unit: unit.value,
        source: source.value,
        chunk_type: chunk_type.unwrap_or_default(),
        title: title.map(|l| l.value).unwrap_or_default(),
        allowed_topics,
        reference: reference
            .as_ref()
            .map(|l| l.value.clone())
            .unwrap_or_default(),
        url: url.map(|l| l.value).unwrap_or_default(),
        help,
    };
    for (n, section) in sections.into_iter().enumerate() {
        let attributes = section.attributes;
        draft.chunks.push(ChunkDraft {
            chunk: Chunk {
                id: attributes
                    .id
                    .unwrap_or_else(|| format!("{}#{}", lesson.source, n + 1)),
                unit: lesson.unit.clone(),
                chunk_type: lesson.chunk_type,
                section_kind: attributes.kind.unwrap_or_default(),
                source: lesson.source.clone(),
                section: attributes.section.unwrap_or(section.heading),
                url: attributes.url.unwrap_or_else(|| lesson.url.clone()),
                text: section.text,
            },
            file,
            line: section.line,
        });
    }
    draft.lessons.push(LessonDraft {
        unit_line: unit.line,
        reference_line: reference.map(|l| l.line),
        synonym_topics,
        lesson,
        file,
    });
}
