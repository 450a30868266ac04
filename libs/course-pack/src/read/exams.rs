//! `exams/*.yaml`: the questions of the exam catalogue.

use std::path::Path;

use super::{list_file, values};
use crate::draft::{Draft, QuestionDraft};
use crate::fault::{Faults, Sink};
use crate::fields::{Fields, Located, shorten};
use crate::model::{QuestionOption, Tier};
use crate::repeats::repeats;
use crate::yaml::Node;

const TIERS: [(&str, Tier); 3] = [
    ("bronze", Tier::Bronze),
    ("silver", Tier::Silver),
    ("gold", Tier::Gold),
];

/// What says what a question asks, and what is right.
const WORDING: [&str; 4] = ["prompt", "question_latex", "options", "answer"];

pub(super) fn read<'a>(file: &'a Path, text: &str, draft: &mut Draft<'a>, faults: &mut Faults) {
    let sink = &mut Sink::new(file, faults);
    let Some(items) = list_file(text, "exam file", "questions", sink) else {
        draft.questions_incomplete = true;
        return;
    };
    for item in items {
        match question(file, item, sink) {
            Some(question) => draft.questions.push(question),
            None => draft.questions_incomplete = true,
        }
    }
}

fn question<'a>(file: &'a Path, node: Node<'_>, sink: &mut Sink<'_>) -> Option<QuestionDraft<'a>> {
    let mut fields = Fields::open(node, "question", sink)?;
    let start = fields.line;
    let id = fields.id("id", sink);
    let has_units = fields.line_of("units").is_some();
    let units = fields.ids("units", sink);
    let tier = fields.required_choice("tier", &TIERS, sink);
    let tags = values(fields.texts("tags", sink));
    // A question that says nothing at all is worded by the exam system. One that says something says all of it.
    let is_worded = WORDING.iter().any(|key| fields.line_of(key).is_some());
    let prompt = required_if(is_worded, "prompt", &mut fields, sink);
    let latex = fields.optional_text("question_latex", sink);
    let options_line = fields.line_of("options");
    let option_nodes = fields.list("options", sink);
    let answer = required_if(is_worded, "answer", &mut fields, sink);
    fields.finish(sink);

    let name = id.as_ref().map_or("without an id", |id| id.value.as_str());
    if units.is_empty() && !has_units {
        sink.add(
            id.as_ref().map_or(start, |id| id.line),
            format!("the question `{name}` names no unit"),
            "add a line `units: [UNIT-ID]`",
        );
    }
    for (again, _) in repeats(units.iter().map(|unit| unit.value.as_str())) {
        let unit = &units[again];
        sink.add(
            unit.line,
            format!(
                "the question `{name}` names the unit `{}` twice",
                unit.value
            ),
            "name each unit once",
        );
    }
    let mut options = Vec::new();
    if let Some(line) = options_line {
        let count = option_nodes.len();
        options = read_options(option_nodes, sink);
        if count < 2 {
            sink.add(
                line,
                format!("the question `{name}` has fewer than two options"),
                "give at least two options, or remove `options` so that the answer is typed",
            );
        } else if let Some(answer) = &answer
            && options.len() == count
            && !options.iter().any(|o| o.id == answer.value)
        {
            let ids: Vec<String> = options.iter().map(|o| format!("`{}`", o.id)).collect();
            sink.add(
                answer.line,
                format!(
                    "the answer `{}` is not an option's id",
                    shorten(&answer.value)
                ),
                format!("write one of {}", ids.join(", ")),
            );
        }
    }
    Some(QuestionDraft {
        id: id?,
        units,
        tier,
        tags,
        prompt: prompt.map(|l| l.value).unwrap_or_default(),
        question_latex: latex.map(|l| l.value).unwrap_or_default(),
        options,
        answer: answer.map(|l| l.value).unwrap_or_default(),
        is_of_port: !is_worded,
        file,
    })
}

/// Text that must be there if so.
fn required_if(
    required: bool,
    key: &'static str,
    fields: &mut Fields<'_>,
    sink: &mut Sink<'_>,
) -> Option<Located<String>> {
    match required {
        true => fields.text(key, sink),
        false => fields.optional_text(key, sink),
    }
}

fn read_options(nodes: Vec<Node<'_>>, sink: &mut Sink<'_>) -> Vec<QuestionOption> {
    let mut options = Vec::with_capacity(nodes.len());
    let mut lines = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(mut fields) = Fields::open(node, "option", sink) else {
            continue;
        };
        let id = fields.id("id", sink);
        let text = fields.text("text", sink);
        fields.finish(sink);
        let (Some(id), Some(text)) = (id, text) else {
            continue;
        };
        lines.push((id.line, text.line));
        options.push(QuestionOption {
            id: id.value,
            text: text.value,
        });
    }
    let mut twice = |what: &str, text: &str, line: usize, first: usize, remedy: &str| {
        sink.add(
            line,
            format!(
                "the {what} `{}` stands twice in this question (first on line {first})",
                shorten(text)
            ),
            remedy,
        );
    };
    for (again, first) in repeats(options.iter().map(|option| option.id.as_str())) {
        let remedy = "give each option an id of its own";
        let id = &options[again].id;
        twice("option id", id, lines[again].0, lines[first].0, remedy);
    }
    for (again, first) in repeats(options.iter().map(|option| option.text.as_str())) {
        let remedy = "options must differ: change one of the two";
        let text = &options[again].text;
        twice("option text", text, lines[again].1, lines[first].1, remedy);
    }
    options
}
