//! `documents/*.md`: documents, some with questions that the student has to answer first.

use std::collections::BTreeMap;
use std::path::Path;

use super::course::is_language_tag;
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

const QUESTIONS: &str = "clarifying_questions";

/// A list of questions, and the language tag that it stands under.
type Translation = (Located<String>, Vec<Located<String>>);

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
    let course = draft.course.as_ref();
    let locale = course.map_or("", |course| &course.course.locale);
    let (questions, questions_by_locale) = questions(&mut fields, locale, sink);
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
                questions,
                questions_by_locale,
                requires_handoff,
            },
            file,
        });
    }
}

/// The questions in the course's language, and those in other languages by their tags.
fn questions(
    fields: &mut Fields<'_>,
    locale: &str,
    sink: &mut Sink<'_>,
) -> (Vec<String>, BTreeMap<String, Vec<String>>) {
    let line = fields.line_of(QUESTIONS);
    if !fields.is_map(QUESTIONS) {
        let questions = fields.texts(QUESTIONS, sink);
        check_questions(&questions, line, sink);
        return (values(questions), BTreeMap::new());
    }
    let faults = sink.count();
    let map = fields.map(QUESTIONS, "map of questions by language", sink);
    let mut lists = map.map(|map| map.into_texts(sink)).unwrap_or_default();
    let is_read = sink.count() == faults;
    check_languages(&lists, sink);
    for (tag, list) in &lists {
        check_questions(list, Some(tag.line), sink);
    }
    let own = own(&lists, locale);
    if own.is_none() && is_read && !locale.is_empty() {
        sink.add(
            line,
            format!("`{QUESTIONS}` has no list for `{locale}`, the course's language"),
            format!("add `{locale}:` with the questions in that language"),
        );
    }
    // A fault counts for the questions as well, so that nothing else is blamed.
    let own = own.unwrap_or(0);
    if own >= lists.len() {
        return (Vec::new(), BTreeMap::new());
    }
    let (tag, questions) = lists.remove(own);
    for (other, list) in lists.iter().filter(|_| is_read) {
        if list.len() != questions.len() {
            sink.add(
                other.line,
                format!(
                    "`{}` has {} questions, but `{}` has {}",
                    shorten(&other.value),
                    list.len(),
                    shorten(&tag.value),
                    questions.len()
                ),
                "write the same questions in the same order in each language",
            );
        }
    }
    let others = lists
        .into_iter()
        .map(|(tag, list)| (tag.value, values(list)));
    (values(questions), others.collect())
}

/// The place of the list in the course's language: the same tag, or else the same language.
fn own(lists: &[Translation], locale: &str) -> Option<usize> {
    let language = |tag: &str| tag.split('-').next().map(str::to_ascii_lowercase);
    let mut tags = lists.iter().map(|(tag, _)| tag.value.as_str());
    tags.clone()
        .position(|tag| tag.eq_ignore_ascii_case(locale))
        .or_else(|| tags.position(|tag| language(tag) == language(locale)))
}

/// Checks that each list stands under a language, and each language once.
fn check_languages(lists: &[Translation], sink: &mut Sink<'_>) {
    for (tag, _) in lists.iter().filter(|(tag, _)| !is_language_tag(&tag.value)) {
        sink.add(
            tag.line,
            format!("`{}` is not a language tag", shorten(&tag.value)),
            "write a language such as `en`, or language and region such as `de-CH`",
        );
    }
    let tags = lists.iter().map(|(tag, _)| tag.value.to_ascii_lowercase());
    let tags: Vec<String> = tags.collect();
    for (again, first) in repeats(tags.iter().map(String::as_str)) {
        sink.add(
            lists[again].0.line,
            format!(
                "`{}` is the same language as `{}` on line {}",
                lists[again].0.value, lists[first].0.value, lists[first].0.line
            ),
            "keep one of the two",
        );
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
