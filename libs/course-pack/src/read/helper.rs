//! What the front matter of a lesson says to the homework helper.

use std::collections::BTreeMap;

use super::values;
use crate::fault::Sink;
use crate::fields::{Fields, Located, shorten};
use crate::model::LessonHelp;

/// Topics of a lesson, as a scope token may hold them.
const MAX_TOPICS: usize = 50;
const MAX_TOPIC_CHARS: usize = 100;
/// Synonyms of a lesson, over all its topics.
const MAX_SYNONYMS: usize = 200;
const MAX_REDIRECT_CHARS: usize = 500;
const MAX_QUESTION_CHARS: usize = 300;

/// The topics of `allowed_topics`, or with its full name `helper_allowed_topics`.
pub(super) fn topics(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Vec<String> {
    let full_line = fields.line_of("helper_allowed_topics");
    let short = fields.line_of("allowed_topics");
    let mut topics = fields.texts("allowed_topics", sink);
    topics.extend(fields.texts("helper_allowed_topics", sink));
    if let (Some(_), Some(line)) = (short, full_line) {
        sink.add(
            line,
            "`allowed_topics` and `helper_allowed_topics` are one key, but both stand here",
            "keep one of the two",
        );
    }
    if let Some(first) = topics.get(MAX_TOPICS) {
        sink.add(
            first.line,
            format!(
                "this lesson has {} topics, but at most {MAX_TOPICS} are allowed",
                topics.len()
            ),
            "keep the topics that a student would name",
        );
    }
    for topic in &topics {
        bounded(topic, "a topic", MAX_TOPIC_CHARS, sink);
    }
    values(topics)
}

/// The keys that only the homework helper reads, and the line of each topic that has synonyms.
pub(super) fn help(
    fields: &mut Fields<'_>,
    sink: &mut Sink<'_>,
) -> (LessonHelp, Vec<Located<String>>) {
    let (topic_synonyms, topics) = synonyms(fields, sink);
    let redirect = fields.optional_text("helper_redirect", sink);
    if let Some(redirect) = &redirect {
        bounded(redirect, "`helper_redirect`", MAX_REDIRECT_CHARS, sink);
    }
    let question = fields.optional_text("helper_check_question", sink);
    if let Some(question) = &question {
        bounded(
            question,
            "`helper_check_question`",
            MAX_QUESTION_CHARS,
            sink,
        );
        if question.value.matches('?').count() != 1 || !question.value.ends_with('?') {
            sink.add(
                question.line,
                "`helper_check_question` is not one question",
                "write one question that ends with its only question mark",
            );
        }
    }
    let value = |text: Option<Located<String>>| text.map(|l| l.value).unwrap_or_default();
    let help = LessonHelp {
        topic_synonyms,
        redirect: value(redirect),
        check_question: value(question),
    };
    (help, topics)
}

fn synonyms(
    fields: &mut Fields<'_>,
    sink: &mut Sink<'_>,
) -> (BTreeMap<String, Vec<String>>, Vec<Located<String>>) {
    let mut synonyms = BTreeMap::new();
    let mut topics = Vec::new();
    let mut count = 0;
    let map = fields.map("helper_topic_synonyms", "map of topics to synonyms", sink);
    for (topic, words) in map.map(|map| map.into_texts(sink)).unwrap_or_default() {
        for word in &words {
            bounded(word, "a synonym", MAX_TOPIC_CHARS, sink);
            count += 1;
            if count == MAX_SYNONYMS + 1 {
                sink.add(
                    word.line,
                    format!("this lesson has more than {MAX_SYNONYMS} synonyms"),
                    "keep the words that students use; plurals and other endings need no synonym",
                );
            }
        }
        synonyms.insert(topic.value.clone(), values(words));
        topics.push(topic);
    }
    (synonyms, topics)
}

/// Notes a text that has more characters than it may.
pub(super) fn bounded(text: &Located<String>, what: &str, most: usize, sink: &mut Sink<'_>) {
    let chars = text.value.chars().count();
    if chars > most {
        sink.add(
            text.line,
            format!(
                "{what} has {chars} characters, but at most {most} are allowed: `{}`",
                shorten(&text.value)
            ),
            "shorten it",
        );
    }
}
