//! The contract of a model's reply as a JSON Schema for one policy: its actions, units and questions as enums, one branch
//! for each action with exactly that action's card.
//!
//! There are two forms of it. What a model is asked for is narrower than what is accepted: servers that constrain a
//! model's output hold it to a grammar, and a small model fills whatever room that gives it, until its tokens run out in
//! the middle of the JSON. So it is asked for short texts, and for the short form (`reply::short`) of an analysis. A
//! model that is not constrained and writes more breaks nothing: a unit that the course does not know is dropped, the list
//! decides nothing in this turn, and [`crate::validate`] keeps wider bounds of texts.
//!
//! Keys are in the order in which a model should write them: what it does and about what comes first, so that the text
//! follows from the choice.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    course::Course,
    policy::Policy,
    reply::short,
    schema_cache,
    words::{Action, StudentIntent, UnderstandingSignal},
};

/// The most units that a reply may map or suggest.
pub const MOST_NAMED_UNITS: usize = 6;

/// The most characters of a tutor's text that a model is asked for. Servers turn such a bound into a grammar with as many
/// repetitions, and some refuse more than 2,000.
const MOST_ASKED_CHARS: usize = 240;

/// The most characters of any other text that a model is asked for.
const MOST_ASKED_PART_CHARS: usize = 160;

/// The most steps of a worked example.
pub const MOST_EXAMPLE_STEPS: usize = 8;

/// The most steps of a worked example that a model is asked for.
const MOST_ASKED_STEPS: usize = 4;

/// Which of its two forms a schema has.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// What a model is asked for.
    Asked,
    /// What is accepted.
    Accepted,
}

/// What a model is asked for: the replies that a policy allows, in the short form. All that keeps it, written out, keeps what
/// is accepted.
#[must_use]
pub fn reply_schema(course: &Course, policy: &Policy) -> Value {
    let mut branches: Vec<_> = policy
        .allowed_actions
        .iter()
        .map(|action| schema_of(course, policy, *action, Form::Asked))
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

/// A schema as text, and what names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaText {
    /// The schema.
    pub text: Arc<str>,
    /// `sha256:` and the SHA-256 of the text in hex.
    pub name: Arc<str>,
}

/// The same as text, which is kept: policies that allow the same share it.
#[must_use]
pub fn reply_schema_text(course: &Course, policy: &Policy) -> SchemaText {
    schema_cache::schema_text(course, policy)
}

/// What is accepted of the replies with one action.
#[must_use]
pub fn accepted_schema(course: &Course, policy: &Policy, action: Action) -> Value {
    schema_of(course, policy, action, Form::Accepted)
}

fn schema_of(course: &Course, policy: &Policy, action: Action, form: Form) -> Value {
    let mut keys = vec![
        ("action", one_of([action.as_str()])),
        ("target_unit_id", one_of(policy.targets(course, action))),
        ("tutor_text", form.text(MOST_ASKED_CHARS)),
    ];
    match form {
        Form::Asked => {
            let analyses = short::analyses();
            let analyses = analyses.iter().map(String::as_str);
            keys.push(("turn_analysis", one_of(analyses)));
        }
        Form::Accepted => {
            keys.push(("mapped_units", mapped_units()));
            keys.push(("turn_analysis", turn_analysis()));
        }
    }
    if let Some(card) = action.facts().card {
        keys.push((card.key, (card.schema)(course, policy, form)));
    }
    object(keys, &[])
}

/// A keyword schema. Values are moved in, never copied: this runs twice in every turn.
pub(crate) fn keywords<const N: usize>(keywords: [(&str, Value); N]) -> Value {
    Value::Object(
        keywords
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

pub(crate) fn one_of<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values = values.into_iter().map(Value::from).collect();
    keywords([("type", "string".into()), ("enum", Value::Array(values))])
}

pub(crate) fn list(items: Value, most: usize) -> Value {
    keywords([
        ("type", "array".into()),
        ("items", items),
        ("maxItems", most.into()),
    ])
}

/// An object with these keys and no others; all but the `optional` ones must be there.
pub(crate) fn object(keys: Vec<(&'static str, Value)>, optional: &[&str]) -> Value {
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

fn mapped_units() -> Value {
    let confidence = keywords([
        ("type", "number".into()),
        ("minimum", 0.into()),
        ("maximum", 1.into()),
    ]);
    let unit = object(
        vec![
            ("unit_id", Form::Accepted.part()),
            ("confidence", confidence),
        ],
        &[],
    );
    list(unit, MOST_NAMED_UNITS)
}

fn turn_analysis() -> Value {
    let units = list(Form::Accepted.part(), MOST_NAMED_UNITS);
    object(
        vec![
            ("student_intent", one_of(StudentIntent::ALL)),
            ("understanding_signal", one_of(UnderstandingSignal::ALL)),
            ("suggested_prereq_units", units),
        ],
        &[],
    )
}

impl Form {
    /// A text that says something, of so many characters if a model is asked for it.
    fn text(self, most: usize) -> Value {
        match self {
            Self::Asked => keywords([
                ("type", "string".into()),
                ("minLength", 1.into()),
                ("maxLength", most.into()),
            ]),
            Self::Accepted => keywords([("type", "string".into()), ("minLength", 1.into())]),
        }
    }

    pub(crate) fn part(self) -> Value {
        self.text(MOST_ASKED_PART_CHARS)
    }

    /// A part that may be empty.
    pub(crate) fn optional_part(self) -> Value {
        match self {
            Self::Asked => keywords([
                ("type", "string".into()),
                ("maxLength", MOST_ASKED_PART_CHARS.into()),
            ]),
            Self::Accepted => keywords([("type", "string".into())]),
        }
    }

    /// The most steps of a worked example.
    pub(crate) fn most_steps(self) -> usize {
        match self {
            Self::Asked => MOST_ASKED_STEPS,
            Self::Accepted => MOST_EXAMPLE_STEPS,
        }
    }
}
