//! What is a JSON Schema and what is none.

use proptest::prelude::*;
use serde_json::json;
use sha2::{Digest, Sha256};
use turnwise_llm_backends::{
    Schema,
    schema::{SCHEMA_MAX_BYTES, SchemaError},
};

use crate::mock::{ALL, turn_schema};

#[test]
fn schemas_are_kept_as_they_came() {
    let turn = turn_schema(&ALL).to_string();
    for text in [
        "{}",
        r#"{ "type" : "object",  "required": ["b","a"] }"#,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {}}"#,
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "x-own": [1, {}]}"#,
        r##"{"$ref": "#"}"##,
        &turn,
    ] {
        // The second time it is remembered.
        for _ in 0..2 {
            let schema = Schema::parse(text).unwrap();
            assert_eq!(schema.as_str(), text);
            assert_eq!(serde_json::to_string(&schema).unwrap(), text);
        }
    }
    assert_eq!(Schema::parse(" {}\n").unwrap().as_str(), "{}");
}

#[test]
fn what_is_no_schema_is_refused() {
    let deep = format!("{}{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    for text in [
        "", "true", "[]", "\"{}\"", "12", "null", "{", "{} {}", "not json", " ", "{\"a\":}", &deep,
    ] {
        assert_eq!(Schema::parse(text).unwrap_err(), SchemaError::NoObject);
    }
    for schema in [
        json!({"type": "text"}),
        json!({"type": 7}),
        json!({"required": "a"}),
        json!({"properties": []}),
        json!({"properties": {"a": {"minLength": -1}}}),
        json!({"anyOf": []}),
        json!({"items": {"enum": 1}}),
        json!({"$defs": {"a": {"type": ["string", "text"]}}}),
        json!({"$schema": "https://example.org/mine"}),
        json!({"$schema": 7}),
        json!({"$schema": ""}),
    ] {
        for _ in 0..2 {
            let error = Schema::parse(&schema.to_string()).unwrap_err();
            assert_eq!(error, SchemaError::NoSchema, "{schema}");
        }
    }
    let padding = " ".repeat(SCHEMA_MAX_BYTES - 1);
    assert!(Schema::parse(&format!("{{{padding}")).is_err());
    let most = format!("{{{}}}", " ".repeat(SCHEMA_MAX_BYTES - 2));
    assert!(Schema::parse(&most).is_ok());
    let error = Schema::parse(&(most + " ")).unwrap_err();
    assert_eq!(error, SchemaError::TooLong);
    assert!(error.to_string().contains(&SCHEMA_MAX_BYTES.to_string()));
}

#[test]
fn a_schema_that_was_read_has_a_name() {
    let named = |name: &str| Schema::parse(name).map(|schema| schema.as_str().to_owned());
    let name = concat!(
        "sha256:",
        "3720a2ac5c3c331471e2c1e820fbcbe53a1f3dc12e318b166c05054dee883499"
    );
    assert_eq!(named(name), Err(SchemaError::Unknown));
    let text = r#"{"title":"read once"}"#;
    Schema::parse(text).unwrap();
    assert_eq!(named(name), Ok(text.to_owned()));
    for other in [
        &name[..name.len() - 1],
        "sha256:",
        &name.to_uppercase()[7..],
    ] {
        assert!(named(other).is_err(), "{other}");
    }
    // What is no schema gets no name.
    assert!(Schema::parse("12").is_err());
    let twelve = concat!(
        "sha256:",
        "6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918"
    );
    assert_eq!(named(twelve), Err(SchemaError::Unknown));
    // A new one is known by its name, too, where others that were read more often leave no room.
    let padding = "x".repeat(90_000);
    for number in (0..50).chain(0..50) {
        Schema::parse(&format!(r#"{{"title":"{number}{padding}"}}"#)).unwrap();
    }
    let new = r#"{"title":"new"}"#;
    Schema::parse(new).unwrap();
    for number in 0..200 {
        Schema::parse(&format!(r#"{{"title":"after {number}"}}"#)).unwrap();
    }
    let name = format!("sha256:{}", hex::encode(Sha256::digest(new)));
    assert_eq!(named(&name), Ok(new.to_owned()));
}

proptest! {

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = Schema::parse(&text);
    }

    #[test]
    fn no_object_panics(key in "\\$?[a-zA-Z]{1,20}", value in "[0-9]{1,4}|\"\\PC{0,20}\"|\\[\\]|\\{\\}|null") {
        let _ = Schema::parse(&format!("{{\"{key}\": {value}}}"));
    }
}
