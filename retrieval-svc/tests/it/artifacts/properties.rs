//! What holds for all artifacts and all paths.

use proptest::prelude::*;
use serde_json::Value;
use turnwise_retrieval_svc::artifacts::{MAX_SUGGESTIONS, Request, extract};

use super::{one, paths, run, suggestions::suggestions};

/// JSON values with keys that a path has to take care of.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((keys(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,3}",
        "[0-9]{1,2}",
        r#"[\[\]'"\\./~ü\n ]{0,4}"#,
        any::<String>()
    ]
}

/// Every value below this one, with its pointer and its path in quotes.
fn walk(value: &Value, pointer: &str, dotted: &str, each: &mut Vec<(String, String, Value)>) {
    each.push((pointer.to_owned(), dotted.to_owned(), value.clone()));
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let token = key.replace('~', "~0").replace('/', "~1");
                let quoted = key.replace('\\', r"\\").replace('"', "\\\"");
                let quoted = format!("{dotted}[\"{quoted}\"]");
                walk(value, &format!("{pointer}/{token}"), &quoted, each);
            }
        }
        Value::Array(values) => {
            for (n, value) in values.iter().enumerate() {
                walk(
                    value,
                    &format!("{pointer}/{n}"),
                    &format!("{dotted}[{n}]"),
                    each,
                );
            }
        }
        _ => {}
    }
}

proptest! {

    #[test]
    fn every_value_is_found_by_both_forms(value in values(), pretty: bool) {
        let content = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        // As serde_json reads it: it does not read every number to its last digit.
        let value = serde_json::from_str(&content).unwrap();
        let mut each = Vec::new();
        walk(&value, "", "", &mut each);
        for (pointer, dotted, value) in each {
            if pointer.len().max(dotted.len()) > 1_024 {
                continue;
            }
            let slice = one("json", &content, &pointer).unwrap();
            let again = one("json", &content, &dotted).unwrap();
            prop_assert_eq!((slice.start, slice.end), (again.start, again.end));
            if !slice.truncated {
                let found: Value = serde_json::from_str(&content[slice.start..slice.end]).unwrap();
                prop_assert_eq!(&found, &value);
            }
            if slice.redactions == 0 {
                prop_assert_eq!(&slice.text, &content[slice.start..slice.end]);
            }
        }
    }

    #[test]
    fn pointers_lead_where_serde_json_leads(value in values(), steps in prop::collection::vec(keys(), 0..4)) {
        let content = value.to_string();
        let pointer: String = steps
            .iter()
            .map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")))
            .collect();
        let found = one("json", &content, &pointer);
        let expected = value.pointer(&pointer);
        prop_assert_eq!(found.is_some(), expected.is_some());
    }

    #[test]
    fn no_input_ends_it(
        artifact_type in prop::sample::select(vec!["json", "text", "code", "log", "x"]),
        content in prop_oneof![any::<String>(), r#"[\[\]{}",:\\u01\n a-e]{0,60}"#, values().prop_map(|v| v.to_string())],
        key_paths in prop::collection::vec(prop_oneof![any::<String>(), r#"[\[\].'"\\/~0-9a-c]{0,12}"#, "lines:[0-9]{1,3}-[0-9]{1,3}"], 0..4),
        size_limit in prop_oneof![0..40, any::<i32>()],
        suggest in prop_oneof![Just(String::new()), any::<String>(), "[a-e ]{1,20}"],
        names in prop::collection::vec("[A-Z][a-z]{2,6}", 0..3),
    ) {
        let request = Request {
            artifact_type,
            content: &content,
            key_paths: &key_paths,
            size_limit,
            suggest: &suggest,
            names: &names,
        };
        let answer = extract(&request);
        prop_assert_eq!(&answer, &extract(&request));
        let Ok(extracted) = answer else { return Ok(()) };
        let limit = if size_limit == 0 { 4_096 } else { usize::try_from(size_limit).unwrap() };
        for slice in &extracted.slices {
            prop_assert!(slice.text.len() <= limit);
            let source = content.get(slice.start..slice.end);
            prop_assert!(source.is_some(), "{slice:?}");
            prop_assert!(slice.redactions > 0 || Some(slice.text.as_str()) == source);
        }
        let asked = extracted.slices.iter().filter(|slice| !slice.suggested).count();
        prop_assert_eq!(asked + extracted.missing.len(), key_paths.len());
        prop_assert!(extracted.slices.len() - asked <= MAX_SUGGESTIONS);
    }

    #[test]
    fn a_suggestions_path_leads_back_to_it(value in values(), suggest in "[a-z0-9 ]{1,30}") {
        let content = value.to_string();
        for slice in suggestions("json", &content, &suggest, &[]) {
            let again = one("json", &content, &slice.key_path).unwrap();
            prop_assert_eq!((again.start, again.end), (slice.start, slice.end));
        }
    }

    #[test]
    fn no_limit_and_no_border_uncovers_a_name(
        before in "[a-z ]{0,20}",
        after in "[a-z ]{0,20}",
        limit in 1..60_i32,
        escaped: bool,
    ) {
        let name = "Zebulon Quartermaine";
        let spelled = if escaped { "\\u005aebulon Q\\u0075artermaine" } else { name };
        let content = format!(r#"{{"a": "{before}\n{spelled}, {after}"}}"#);
        let key_paths = paths(&["a", ""]);
        let names = paths(&[name]);
        let extracted = run(&Request {
            artifact_type: "json",
            content: &content,
            key_paths: &key_paths,
            size_limit: limit,
            suggest: "zebulon",
            names: &names,
        });
        for slice in extracted.slices {
            for part in ["ebulon", "artermaine", "005a"] {
                prop_assert!(!slice.text.contains(part), "{}", slice.text);
            }
        }
    }
}
