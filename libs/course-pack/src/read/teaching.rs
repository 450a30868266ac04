//! What a unit's author wrote for the tutor to teach with: misconceptions with their questions, mistakes with what is
//! said to them, and the key idea.

use crate::fault::Sink;
use crate::fields::{Fields, Located, scalar};
use crate::repeats::repeats;
use crate::teaching::{KeyIdea, Misconception, MistakeTag};
use crate::yaml::{Node, Value};

/// The most characters of a misconception's question, and of a mistake's feedback.
const MOST_CHARS: usize = 300;

/// The most characters of a key idea.
const MOST_IDEA_CHARS: usize = 500;

/// The misconceptions, each a text or a map.
pub(super) fn misconceptions(nodes: Vec<Node<'_>>, sink: &mut Sink<'_>) -> Vec<Misconception> {
    let read = nodes.into_iter().filter_map(|node| {
        if !matches!(node.value, Value::Map(_)) {
            let text = scalar(node, "misconceptions", sink)?;
            return Some(Misconception::from(text.value));
        }
        let mut fields = Fields::open(node, "misconception", sink)?;
        let text = fields.text("text", sink);
        let question = fields.optional_text("question", sink);
        fields.finish(sink);
        if let Some(question) = &question {
            at_most(question, "question", MOST_CHARS, sink);
            one_question(question, sink);
        }
        Some(Misconception {
            text: text?.value,
            question: question.map(|question| question.value).unwrap_or_default(),
        })
    });
    read.collect()
}

/// The mistakes that a grader may name.
pub(super) fn mistake_tags(nodes: Vec<Node<'_>>, sink: &mut Sink<'_>) -> Vec<MistakeTag> {
    let mut tags = Vec::with_capacity(nodes.len());
    let mut lines = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(mut fields) = Fields::open(node, "mistake tag", sink) else {
            continue;
        };
        let id = fields.id("id", sink);
        let meaning = fields.text("meaning", sink);
        let feedback = fields.optional_text("feedback", sink);
        fields.finish(sink);
        if let Some(feedback) = &feedback {
            at_most(feedback, "feedback", MOST_CHARS, sink);
        }
        let (Some(id), Some(meaning)) = (id, meaning) else {
            continue;
        };
        lines.push(id.line);
        tags.push(MistakeTag {
            id: id.value,
            meaning: meaning.value,
            feedback: feedback.map(|feedback| feedback.value).unwrap_or_default(),
        });
    }
    for (again, first) in repeats(tags.iter().map(|tag| tag.id.as_str())) {
        sink.add(
            lines[again],
            format!(
                "the mistake tag `{}` stands twice in this unit (first on line {})",
                tags[again].id, lines[first]
            ),
            "keep one of the two, or rename one",
        );
    }
    tags
}

/// The key idea, with the line that names its chunk.
pub(super) fn key_idea(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<Located<KeyIdea>> {
    let mut fields = fields.map("key_idea", "key idea", sink)?;
    let text = fields.text("text", sink);
    let chunk = fields.id("chunk", sink);
    fields.finish(sink);
    let (text, chunk) = (text?, chunk?);
    at_most(&text, "key idea", MOST_IDEA_CHARS, sink);
    Some(Located {
        line: chunk.line,
        value: KeyIdea {
            text: text.value,
            chunk: chunk.value,
        },
    })
}

/// A tutor asks one thing at a time.
fn one_question(question: &Located<String>, sink: &mut Sink<'_>) {
    let marks = question.value.matches('?').count();
    if marks == 0 || marks > MOST_MARKS {
        sink.add(
            question.line,
            format!("this question has {marks} question marks"),
            "ask one thing; a second question mark is for `And what when …?`",
        );
    }
}

/// The most question marks of a question: `What happens when you take away 3? And when you add -3?` is one.
const MOST_MARKS: usize = 2;

/// Refuses each text that is too long.
pub(super) fn each_at_most(
    texts: &[Located<String>],
    what: &str,
    most: usize,
    sink: &mut Sink<'_>,
) {
    for text in texts {
        at_most(text, what, most, sink);
    }
}

/// Refuses a text that is too long.
fn at_most(text: &Located<String>, what: &str, most: usize, sink: &mut Sink<'_>) {
    if text.value.chars().count() > most {
        sink.add(
            text.line,
            format!("this {what} has more than {most} characters"),
            "write a sentence or two: a student reads it between other words",
        );
    }
}
