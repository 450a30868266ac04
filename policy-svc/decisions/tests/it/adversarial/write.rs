//! Valid replies as trees that can be broken, and two ways to spell a tree.

use std::fmt::Write as _;

use turnwise_decisions::{Action, Policy};

use crate::reply::reader::Json;

pub fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

pub fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// A reply that the policy allows, with every optional key.
pub fn valid(policy: &Policy, action: Action) -> Json {
    let focus = policy.focus_unit_id.as_str();
    let mut reply = vec![
        ("action", text(action.as_str())),
        ("target_unit_id", text(focus)),
        ("tutor_text", text("What would you try first?")),
        (
            "mapped_units",
            Json::List(vec![object([
                ("unit_id", text(focus)),
                ("confidence", Json::Number(0.75)),
            ])]),
        ),
        (
            "turn_analysis",
            object([
                ("student_intent", text("solve")),
                ("understanding_signal", text("uncertain")),
                (
                    "suggested_prereq_units",
                    Json::List(vec![text("FRAC-01"), text("a")]),
                ),
            ]),
        ),
    ];
    match action {
        Action::SocraticQuestion => {}
        Action::DrillCard => reply.push((
            "drill_card",
            object([
                ("prompt", text("Work it out.")),
                ("question_latex", text(r"\frac{1}{2} + 1")),
            ]),
        )),
        Action::ConceptCard => {
            let mut card = vec![(
                "key_ideas".to_owned(),
                Json::List(vec![text("Same parts.")]),
            )];
            if policy.constraints.max_worked_examples > 0 {
                let example = object([
                    ("problem_latex", text(r"\frac{1}{2} + \frac{1}{2}")),
                    ("final_answer_latex", text("1")),
                    ("steps_latex", Json::List(vec![text(r"\frac{2}{2}")])),
                ]);
                card.push(("worked_example".to_owned(), example));
            }
            reply.push(("concept_card", Json::Object(card)));
        }
        Action::ExamBlock => reply.push((
            "exam_suggestion",
            object([
                ("question_id", text(&policy.exam_candidate_ids[0])),
                ("difficultyTier", text(policy.desired_exam_tier.as_str())),
            ]),
        )),
    }
    let reply = reply.into_iter();
    Json::Object(reply.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The usual spelling.
pub fn write(json: &Json) -> String {
    let mut out = String::new();
    spell(json, false, &mut out);
    out
}

/// The same with every character of every text as an escape.
pub fn write_escaped(json: &Json) -> String {
    let mut out = String::new();
    spell(json, true, &mut out);
    out
}

/// One text, quoted.
pub fn quoted(text: &str, escaped: bool) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        if escaped || c < ' ' || c == '"' || c == '\\' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        } else {
            out.push(c);
        }
    }
    out.push('"');
    out
}

fn spell(json: &Json, escaped: bool, out: &mut String) {
    match json {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => write!(out, "{value}").unwrap(),
        // More than a number can hold: it is written all the same.
        Json::Number(value) if value.is_infinite() => out.push_str("1e999"),
        Json::Number(value) => write!(out, "{value:?}").unwrap(),
        Json::Text(text) => out.push_str(&quoted(text, escaped)),
        Json::List(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                spell(item, escaped, out);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            out.push('{');
            for (n, (key, value)) in entries.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                out.push_str(&quoted(key, escaped));
                out.push(':');
                spell(value, escaped, out);
            }
            out.push('}');
        }
    }
}
