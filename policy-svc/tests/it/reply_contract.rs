//! One reply, three spellings: the JSON Schema that a model is asked to keep, the reader of what it writes, and the proto in
//! which it travels. A key that one of them has and another has not fails here.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};
use serde_json::{Value, json};
use turnwise_decisions::reply::LlmReply;
use turnwise_proto::{DESCRIPTORS, policy::v1::Policy};

use crate::fixture::*;

/// The keys of each object, by where it stands.
type Keys = BTreeMap<String, BTreeSet<String>>;

/// An object of a reply and the message that it becomes.
struct Object {
    place: &'static str,
    message: &'static str,
    /// Keys that have another name in the message.
    renamed: &'static [(&'static str, &'static str)],
    /// Keys that become a part of another message.
    elsewhere: &'static [&'static str],
    /// Fields that no model writes.
    own: &'static [&'static str],
}

const OBJECTS: [Object; 7] = [
    Object {
        place: "",
        message: "turnwise.policy.v1.Reply",
        renamed: &[
            ("tutor_text", "text"),
            ("concept_card", "card"),
            ("drill_card", "card"),
            ("exam_suggestion", "card"),
        ],
        // They are the analysis beside the reply.
        elsewhere: &["mapped_units", "turn_analysis"],
        own: &["drill_id"],
    },
    Object {
        place: "/mapped_units",
        message: "turnwise.session.v1.MappedUnit",
        renamed: &[],
        elsewhere: &[],
        own: &[],
    },
    Object {
        place: "/turn_analysis",
        message: "turnwise.session.v1.TurnAnalysis",
        renamed: &[],
        elsewhere: &[],
        // It stands beside the analysis in a model's reply.
        own: &["mapped_units"],
    },
    Object {
        place: "/concept_card",
        message: "turnwise.tutor.v1.ConceptCard",
        renamed: &[],
        elsewhere: &[],
        own: &[],
    },
    Object {
        place: "/concept_card/worked_example",
        message: "turnwise.tutor.v1.WorkedExample",
        renamed: &[],
        elsewhere: &[],
        own: &[],
    },
    Object {
        place: "/drill_card",
        message: "turnwise.tutor.v1.DrillCard",
        renamed: &[],
        elsewhere: &[],
        own: &["drill_token"],
    },
    Object {
        place: "/exam_suggestion",
        message: "turnwise.tutor.v1.ExamCard",
        renamed: &[("difficultyTier", "tier")],
        elsewhere: &[],
        // The catalogue's words, the exam system's state, and the token of the offer.
        own: &[
            "prompt",
            "question_latex",
            "options",
            "state",
            "locked_until",
            "offer_token",
        ],
    },
];

/// A reply with every key that the reader takes.
fn everything() -> Value {
    json!({
        "action": "SOCRATIC_QUESTION",
        "target_unit_id": "ONE",
        "tutor_text": "What comes first?",
        "mapped_units": [{"unit_id": "ONE", "confidence": 0.8}],
        "turn_analysis": {
            "student_intent": "check",
            "understanding_signal": "confident",
            "suggested_prereq_units": [],
        },
        "concept_card": {
            "key_ideas": ["An idea."],
            "worked_example": {
                "problem_latex": "1 + 1",
                "final_answer_latex": "2",
                "steps_latex": ["1 + 1 = 2"],
            },
        },
        "drill_card": {"prompt": "Work it out.", "question_latex": "2 + 3"},
        "exam_suggestion": {"question_id": "ONE-B1", "difficultyTier": "bronze"},
    })
}

/// The keys of what the reader took and writes again.
fn written(value: &Value, place: &str, keys: &mut Keys) {
    match value {
        Value::Object(object) => {
            let here = keys.entry(place.to_owned()).or_default();
            here.extend(object.keys().cloned());
            for (key, inner) in object {
                written(inner, &format!("{place}/{key}"), keys);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| written(item, place, keys)),
        _ => {}
    }
}

/// The keys that a schema names.
fn named(schema: &Value, place: &str, keys: &mut Keys) {
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        named(branch, place, keys);
    }
    if schema["items"].is_object() {
        named(&schema["items"], place, keys);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let here = keys.entry(place.to_owned()).or_default();
        here.extend(properties.keys().cloned());
        for (key, inner) in properties {
            named(inner, &format!("{place}/{key}"), keys);
        }
    }
}

fn fields(files: &FileDescriptorSet, message: &str) -> BTreeSet<String> {
    let (package, name) = message.rsplit_once('.').unwrap();
    let found: Vec<&DescriptorProto> = files
        .file
        .iter()
        .filter(|file| file.package() == package)
        .flat_map(|file| &file.message_type)
        .filter(|found| found.name() == name)
        .collect();
    let [found] = found.as_slice() else {
        panic!("{message}: {} messages", found.len());
    };
    found
        .field
        .iter()
        .map(|field| field.name().to_owned())
        .collect()
}

/// The schemas of turns that allow, together, all that a reply can be.
async fn schemas() -> Vec<Value> {
    let service = service().await;
    let stuck = snapshot("ONE", &[("ONE", drills(3, 0))]);
    let mut schemas = Vec::new();
    for snapshot in [stuck, ready()] {
        let plan = service.plan(plan_request(snapshot)).await.unwrap();
        let decision = service.decide(decide_request(plan)).await.unwrap();
        assert_ne!(decision.policy, None::<Policy>);
        schemas.push(serde_json::from_str(&decision.reply_schema).unwrap());
    }
    schemas
}

#[tokio::test]
async fn schema_reader_and_proto_have_the_same_keys() {
    let mut asked = Keys::new();
    for schema in schemas().await {
        named(&schema, "", &mut asked);
    }
    // Asked for is the short form: an analysis that is one text, and no mapping.
    let here = asked.get_mut("").unwrap();
    assert!(here.contains("turn_analysis") && here.insert("mapped_units".to_owned()));
    for place in ["/mapped_units", "/turn_analysis"] {
        let whole = everything();
        let object = match whole.pointer(place).unwrap() {
            Value::Array(items) => &items[0],
            object => object,
        };
        let keys = object.as_object().unwrap().keys().cloned().collect();
        assert_eq!(asked.insert(place.to_owned(), keys), None, "{place}");
    }
    let reply: LlmReply = serde_json::from_value(everything()).unwrap();
    let mut read = Keys::new();
    written(&serde_json::to_value(&reply).unwrap(), "", &mut read);
    assert_eq!(asked, read, "the schema's keys, and the reader's");

    let places: Vec<&str> = read.keys().map(String::as_str).collect();
    let mut known: Vec<&str> = OBJECTS.iter().map(|object| object.place).collect();
    known.sort_unstable();
    assert_eq!(places, known);
    let files = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    for object in &OBJECTS {
        let name = |key: &String| {
            let renamed = object.renamed.iter().find(|(json, _)| json == key);
            renamed.map_or_else(|| key.clone(), |(_, field)| (*field).to_owned())
        };
        let keys = read[object.place].iter();
        let keys = keys.filter(|key| !object.elsewhere.contains(&key.as_str()));
        let expected: BTreeSet<String> = keys
            .map(name)
            .chain(object.own.iter().map(|field| (*field).to_owned()))
            .collect();
        assert_eq!(
            fields(&files, object.message),
            expected,
            "{}",
            object.message
        );
    }
}

#[test]
fn the_reader_refuses_a_key_that_is_not_in_the_contract() {
    let mut keys = Keys::new();
    written(&everything(), "", &mut keys);
    for place in keys.keys() {
        let mut reply = everything();
        let object = match reply.pointer_mut(place).unwrap() {
            Value::Array(items) => &mut items[0],
            object => object,
        };
        object["more"] = json!("of it");
        let read = serde_json::from_value::<LlmReply>(reply);
        assert!(read.is_err(), "{place}");
    }
}
