//! The contract of a model's reply as a JSON Schema for one policy: its actions, units and questions as enums, one branch
//! for each action with exactly that action's card.
//!
//! Keys are in the order in which a model should write them: what it does and about what comes first, so that the text
//! follows from the choice. Texts carry no length bound here: servers that constrain a model's output turn such a bound
//! into a grammar with as many repetitions, and some refuse that. [`crate::validate`] keeps the bounds.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    course::Course,
    kept,
    policy::Policy,
    words::{Action, StudentIntent, UnderstandingSignal},
};

/// The most units that a reply may map or suggest.
pub const MOST_NAMED_UNITS: usize = 6;

/// The most steps of a worked example.
pub const MOST_EXAMPLE_STEPS: usize = 8;

/// The schema of the replies that a policy allows.
#[must_use]
pub fn reply_schema(course: &Course, policy: &Policy) -> Value {
    let mut branches: Vec<_> = policy
        .allowed_actions
        .iter()
        .map(|action| action_schema(course, policy, *action))
        .collect();
    let mut schema = Map::new();
    schema.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    match (branches.pop(), branches.is_empty()) {
        (Some(Value::Object(only)), true) => schema.extend(only),
        (last, _) => {
            branches.extend(last);
            schema.insert("type".into(), "object".into());
            schema.insert("anyOf".into(), Value::Array(branches));
        }
    }
    Value::Object(schema)
}

/// The same as text, which is kept: policies that allow the same share it.
#[must_use]
pub fn reply_schema_text(course: &Course, policy: &Policy) -> Arc<str> {
    kept::schema_text(course, policy)
}

/// The schema of the replies with one action.
#[must_use]
pub fn action_schema(course: &Course, policy: &Policy, action: Action) -> Value {
    let mut keys = vec![
        ("action", one_of([action.as_str()])),
        ("target_unit_id", one_of(policy.targets(course, action))),
        ("tutor_text", text()),
        ("mapped_units", mapped_units()),
        ("turn_analysis", turn_analysis()),
    ];
    match action {
        Action::SocraticQuestion => {}
        Action::DrillCard => keys.push(("drill_card", drill_card())),
        Action::ConceptCard => keys.push(("concept_card", concept_card(course, policy))),
        Action::ExamBlock => keys.push(("exam_suggestion", exam_suggestion(policy))),
    }
    object(keys, &[])
}

/// A keyword schema. Values are moved in, never copied: this runs twice in every turn.
fn keywords<const N: usize>(keywords: [(&str, Value); N]) -> Value {
    Value::Object(
        keywords
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

fn text() -> Value {
    keywords([("type", "string".into()), ("minLength", 1.into())])
}

fn one_of<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values = values.into_iter().map(Value::from).collect();
    keywords([("type", "string".into()), ("enum", Value::Array(values))])
}

fn list(items: Value, most: usize) -> Value {
    keywords([
        ("type", "array".into()),
        ("items", items),
        ("maxItems", most.into()),
    ])
}

/// An object with these keys and no others; all but the `optional` ones must be there.
fn object(keys: Vec<(&'static str, Value)>, optional: &[&str]) -> Value {
    let required = keys
        .iter()
        .filter(|(key, _)| !optional.contains(key))
        .map(|(key, _)| Value::from(*key))
        .collect();
    let properties = keys
        .into_iter()
        .map(|(key, schema)| (key.to_owned(), schema))
        .collect();
    keywords([
        ("type", "object".into()),
        ("properties", Value::Object(properties)),
        ("required", Value::Array(required)),
        ("additionalProperties", false.into()),
    ])
}

/// Free ids: what the course does not know is dropped later, and the list decides nothing in this turn.
fn mapped_units() -> Value {
    let confidence = keywords([
        ("type", "number".into()),
        ("minimum", 0.into()),
        ("maximum", 1.into()),
    ]);
    let unit = object(vec![("unit_id", text()), ("confidence", confidence)], &[]);
    list(unit, MOST_NAMED_UNITS)
}

fn turn_analysis() -> Value {
    object(
        vec![
            ("student_intent", one_of(StudentIntent::ALL)),
            ("understanding_signal", one_of(UnderstandingSignal::ALL)),
            ("suggested_prereq_units", list(text(), MOST_NAMED_UNITS)),
        ],
        &[],
    )
}

fn drill_card() -> Value {
    object(
        vec![
            ("prompt", text()),
            ("question_latex", keywords([("type", "string".into())])),
        ],
        &[],
    )
}

fn exam_suggestion(policy: &Policy) -> Value {
    object(
        vec![
            (
                "question_id",
                one_of(policy.exam_candidate_ids.iter().map(String::as_str)),
            ),
            (
                "difficultyTier",
                one_of([policy.desired_exam_tier.as_str()]),
            ),
        ],
        &[],
    )
}

fn concept_card(course: &Course, policy: &Policy) -> Value {
    let key_ideas = keywords([
        ("type", "array".into()),
        ("items", text()),
        ("minItems", 1.into()),
        ("maxItems", course.rules().max_key_ideas.into()),
    ]);
    let mut keys = vec![("key_ideas", key_ideas)];
    if policy.constraints.max_worked_examples > 0 {
        let example = object(
            vec![
                ("problem_latex", text()),
                ("final_answer_latex", text()),
                ("steps_latex", list(text(), MOST_EXAMPLE_STEPS)),
            ],
            &["steps_latex"],
        );
        keys.push(("worked_example", example));
    }
    object(keys, &["worked_example"])
}
