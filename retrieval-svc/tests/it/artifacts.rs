//! Parts of an artifact: paths, offsets, limits, redaction, suggestions.

use proptest::prelude::*;
use serde_json::{Value, json};
use turnwise_retrieval_svc::artifacts::{
    ArtifactError, Extracted, MAX_CONTENT_BYTES, MAX_SUGGESTIONS, Request, Slice, extract,
};

const WORK: &str = r#"{
  "phase3": {
    "steps": [{"id": "s1", "note": "first I add"}, {"id": "s2", "note": "then I divide the slope by the rise"}],
    "odd key": {"it's": "a \"quoted\" text", "a/b~c": [1, -2.50e3, true, null]},
    "": 7
  },
  "steps": {"0": "a member"},
  "twice": 1, "twice": {"x": 2}
}"#;

fn run(request: &Request<'_>) -> Extracted {
    extract(request).unwrap_or_else(|error| panic!("{error}"))
}

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// The one slice of a path; `None`: it is missing.
fn one(artifact_type: &str, content: &str, path: &str) -> Option<Slice> {
    let key_paths = paths(&[path]);
    let mut extracted = run(&Request {
        artifact_type,
        content,
        key_paths: &key_paths,
        ..Request::default()
    });
    assert_eq!(extracted.slices.len() + extracted.missing.len(), 1);
    extracted.slices.pop()
}

fn text(artifact_type: &str, content: &str, path: &str) -> Option<String> {
    let slice = one(artifact_type, content, path)?;
    assert_eq!(slice.text, content[slice.start..slice.end]);
    assert!(!slice.truncated && !slice.suggested && slice.key_path == path);
    Some(slice.text)
}

fn refused(request: &Request<'_>) -> ArtifactError {
    extract(request).unwrap_err()
}

#[track_caller]
fn refused_path(artifact_type: &str, path: &str) {
    let key_paths = paths(&["a", path]);
    let key_paths = if artifact_type == "json" {
        &key_paths[..]
    } else {
        &key_paths[1..]
    };
    let error = refused(&Request {
        artifact_type,
        content: "{}",
        key_paths,
        ..Request::default()
    });
    let expected = format!("key_paths[{}]", key_paths.len() - 1);
    assert!(
        matches!(&error, ArtifactError::Invalid { field, .. } if *field == expected),
        "{path}: {error:?}"
    );
}

#[test]
fn both_forms_of_a_path_lead_to_the_text_as_it_stands() {
    for (pointer, dotted, expected) in [
        ("/phase3/steps/0/id", "phase3.steps[0].id", "\"s1\""),
        (
            "/phase3/steps/1/note",
            "['phase3'][\"steps\"][1].note",
            "\"then I divide the slope by the rise\"",
        ),
        (
            "/phase3/odd key/it's",
            "phase3.odd key['it\\'s']",
            r#""a \"quoted\" text""#,
        ),
        (
            "/phase3/odd key/a~1b~0c/1",
            "phase3['odd key']['a/b~c'][1]",
            "-2.50e3",
        ),
        (
            "/phase3/odd key/a~1b~0c/3",
            "phase3.odd key.a/b~c.3",
            "null",
        ),
        ("/phase3/", "phase3['']", "7"),
        ("/steps/0", "steps[0]", "\"a member\""),
        ("/twice/x", "twice[x]", "2"),
    ] {
        for path in [pointer, dotted] {
            assert_eq!(
                text("json", WORK, path).as_deref(),
                Some(expected),
                "{path}"
            );
        }
    }
    assert_eq!(text("json", WORK, "").as_deref(), Some(WORK));
    assert_eq!(text("json", " 3 \n", "").as_deref(), Some("3"));
}

#[test]
fn paths_that_lead_nowhere_are_told_in_order() {
    let key_paths = paths(&[
        "/phase3/steps/2",
        "/phase3/steps/01",
        "/steps/0",
        "/phase3/steps/-",
        "/phase3/steps/0/id/x",
        "phase4.x",
        "/phase3/steps/99999999999999999999999",
        "twice.y",
    ]);
    let extracted = run(&Request {
        artifact_type: "json",
        content: WORK,
        key_paths: &key_paths,
        ..Request::default()
    });
    assert_eq!(extracted.slices.len(), 1);
    assert_eq!(extracted.slices[0].text, "\"a member\"");
    let mut missing = key_paths;
    missing.remove(2);
    assert_eq!(extracted.missing, missing);
}

#[test]
fn malformed_paths_are_refused() {
    for path in [
        "/a~2", "/~", "a..b", "a.", ".a", "a[", "a[]", "a['x", "a['x'", "a['x'b]", "a[0]b", "a]",
        "[[0]]", "a['x\\",
    ] {
        refused_path("json", path);
    }
    for path in [
        "",
        "a",
        "lines:",
        "lines:1",
        "lines:0-2",
        "lines:3-2",
        "lines:1-",
        "lines:-2",
        "lines:+1-2",
        "lines: 1-2",
        "Lines:1-2",
        "lines:1-2-3",
    ] {
        refused_path("text", path);
    }
}

#[test]
fn lines_are_counted_from_one() {
    let log = "one\r\ntwo\n\nfour";
    for kind in ["text", "code", "log"] {
        for (path, expected) in [
            ("lines:1-1", Some("one")),
            ("lines:2-3", Some("two\n")),
            ("lines:1-4", Some(log)),
            ("lines:4-9", Some("four")),
            ("lines:5-9", None),
            (
                "lines:99999999999999999999999-99999999999999999999999",
                None,
            ),
        ] {
            assert_eq!(text(kind, log, path).as_deref(), expected, "{path}");
        }
        assert_eq!(text(kind, "", "lines:1-1"), None);
    }
}

#[test]
fn a_slice_is_cut_at_a_whole_character() {
    let key_paths = paths(&["lines:1-1"]);
    for (limit, expected) in [
        (1, ""),
        (2, "ü"),
        (3, "ü"),
        (4, "üü"),
        (6, "üüü"),
        (7, "üüü"),
    ] {
        let extracted = run(&Request {
            artifact_type: "text",
            content: "üüü\n",
            key_paths: &key_paths,
            size_limit: limit,
            ..Request::default()
        });
        let slice = &extracted.slices[0];
        assert_eq!(slice.text, expected);
        assert_eq!((slice.start, slice.end), (0, expected.len()));
        assert_eq!(slice.truncated, expected != "üüü");
    }
    let long = "x".repeat(70_000);
    assert_eq!(one("log", &long, "lines:1-1").unwrap().end, 4_096);
}

#[test]
fn people_are_replaced_and_offsets_stay_those_of_the_content() {
    let names = paths(&["Ada Lovelace"]);
    let content = r#"{"by": "Hello,\nAda Lovelace", "mail": "ada@example.org", "x": 3, "enc": "\u0041da said: 5 \\cdot 3"}"#;
    let slice = |path: &str, limit: i32| {
        let key_paths = paths(&[path]);
        let request = Request {
            artifact_type: "json",
            content,
            key_paths: &key_paths,
            size_limit: limit,
            names: &names,
            ..Request::default()
        };
        run(&request).slices.remove(0)
    };
    let by = slice("by", 0);
    assert_eq!(
        (by.text.as_str(), by.redactions),
        (r#""Hello,\n[name]""#, 1)
    );
    assert_eq!(&content[by.start..by.end], r#""Hello,\nAda Lovelace""#);
    assert_eq!(slice("enc", 0).text, r#""[name] said: 5 \\cdot 3""#);
    assert_eq!(slice("x", 0).redactions, 0);
    let whole = slice("", 0);
    assert_eq!(
        (whole.start, whole.end, whole.redactions),
        (0, content.len(), 3)
    );
    assert!(
        !whole.text.contains("da") && !whole.truncated,
        "{}",
        whole.text
    );

    // A cut through an address does not leave half of it.
    let mail = slice("mail", 6);
    assert_eq!(
        (mail.text.as_str(), mail.truncated, mail.redactions),
        ("\"", true, 0)
    );
    assert_eq!(mail.end, mail.start + 1);
    assert_eq!(slice("mail", 10).text, "\"[e-mail]\"");
}

#[test]
fn what_makes_a_number_somebodys_may_stand_outside_the_part() {
    let slice = one("text", "student number\n4473829\n4473829 + 1", "lines:2-2").unwrap();
    assert_eq!((slice.text.as_str(), slice.redactions), ("[id number]", 1));
    let sum = one("text", "4473829 + 1", "lines:1-1").unwrap();
    assert_eq!((sum.text.as_str(), sum.redactions), ("4473829 + 1", 0));
    let slice = one("json", r#"{"phone": "77 00 90 01"}"#, "phone").unwrap();
    assert_eq!((slice.text.as_str(), slice.redactions), ("\"[phone]\"", 1));
}

#[test]
fn bounds() {
    let key_paths = paths(&["a"]);
    let good = Request {
        artifact_type: "json",
        content: r#"{"a": 1}"#,
        key_paths: &key_paths,
        ..Request::default()
    };
    let field = |request: &Request<'_>| match refused(request) {
        ArtifactError::Invalid { field, message } => {
            assert!(!message.is_empty());
            field
        }
        other => panic!("{other:?}"),
    };
    run(&good);
    for size_limit in [-1, i32::MIN, 65_537, i32::MAX] {
        assert_eq!(
            field(&Request {
                size_limit,
                ..good.clone()
            }),
            "size_limit"
        );
    }
    run(&Request {
        size_limit: 65_536,
        ..good.clone()
    });

    let many = vec!["a".to_owned(); 21];
    assert_eq!(
        field(&Request {
            key_paths: &many,
            ..good.clone()
        }),
        "key_paths"
    );
    assert_eq!(
        run(&Request {
            key_paths: &many[..20],
            ..good.clone()
        })
        .slices
        .len(),
        20
    );
    assert_eq!(
        field(&Request {
            key_paths: &[],
            ..good.clone()
        }),
        "key_paths"
    );
    run(&Request {
        key_paths: &[],
        suggest: "a",
        ..good.clone()
    });
    let long = ["a".repeat(1_025)];
    assert_eq!(
        field(&Request {
            key_paths: &long,
            ..good.clone()
        }),
        "key_paths[0]"
    );

    let suggest = "ü".repeat(4_001);
    assert_eq!(
        field(&Request {
            suggest: &suggest,
            ..good.clone()
        }),
        "suggest"
    );
    run(&Request {
        suggest: &suggest[2..],
        ..good.clone()
    });
    let names = vec!["Ada".to_owned(); 201];
    assert_eq!(
        field(&Request {
            names: &names,
            ..good.clone()
        }),
        "names"
    );
    run(&Request {
        names: &names[1..],
        ..good.clone()
    });
    let name = ["A".repeat(201)];
    assert_eq!(
        field(&Request {
            names: &name,
            ..good.clone()
        }),
        "names"
    );

    let content = format!("\"{}\"", "x".repeat(MAX_CONTENT_BYTES - 2));
    run(&Request {
        content: &content,
        ..good.clone()
    });
    let content = format!(" {content}");
    assert_eq!(
        refused(&Request {
            content: &content,
            ..good.clone()
        }),
        ArtifactError::TooLarge(MAX_CONTENT_BYTES + 1)
    );
}

#[test]
fn what_is_not_of_its_type_is_refused_with_its_place() {
    let unsupported = |artifact_type: &str, content: &str| {
        let key_paths = paths(&["a"]);
        match refused(&Request {
            artifact_type,
            content,
            key_paths: &key_paths,
            ..Request::default()
        }) {
            ArtifactError::Unsupported { field, message } => (field, message),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(unsupported("picture", "").0, "artifact_type");
    assert_eq!(unsupported("", "{}").0, "artifact_type");
    assert_eq!(unsupported("JSON", "{}").0, "artifact_type");
    for (content, place) in [
        ("", "line 1 column 0"),
        ("{\n \"a\": }", "line 2 column 7"),
        ("{} x", "line 1 column 4"),
        ("[1, 2", "line 1 column 5"),
        ("\"a\nb\"", "line 1 column 2"),
    ] {
        let (field, message) = unsupported("json", content);
        assert_eq!(field, "content");
        assert!(message.contains(place), "{content:?}: {message}");
    }
    let (_, message) = unsupported(
        "json",
        &format!("{}\n[[[1]]]{}", "[".repeat(125), "]".repeat(125)),
    );
    assert!(message.contains("line 2 column 3"), "{message}");
    unsupported("json", &"[".repeat(MAX_CONTENT_BYTES));
    unsupported("json", &"{\"a\":".repeat(50_000));
    let deepest = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    assert!(serde_json::from_str::<Value>(&deepest).is_ok());
    assert!(text("json", &deepest, &"[0]".repeat(127)).is_some());
    let deeper = format!("[{deepest}]");
    assert!(serde_json::from_str::<Value>(&deeper).is_err());
    unsupported("json", &deeper);
}

fn suggestions(artifact_type: &str, content: &str, suggest: &str, names: &[String]) -> Vec<Slice> {
    let extracted = run(&Request {
        artifact_type,
        content,
        suggest,
        names,
        ..Request::default()
    });
    assert!(extracted.slices.iter().all(|slice| slice.suggested));
    extracted.slices
}

#[test]
fn suggestions_fit_the_text() {
    let found = suggestions("json", WORK, "why divide by the slope?", &[]);
    assert_eq!(found[0].key_path, "phase3.steps[1].note");
    assert_eq!(suggestions("json", WORK, "nothing of this", &[]), []);
    assert_eq!(suggestions("json", WORK, "?!", &[]), []);
    // A later member of the same key hides the first, so no path leads there.
    let hidden = r#"{"a": "slope", "a": 1, "it's": "slope"}"#;
    let found = suggestions("json", hidden, "slope", &[]);
    let found: Vec<_> = found.iter().map(|slice| slice.key_path.as_str()).collect();
    assert_eq!(found, [r"['it\'s']"]);

    let code =
        "fn area(w: u32) -> u32 {\n    w * w\n}\n\n\nfn triangleHeight(a: f64) {\n    sqrt(a)\n}\n";
    let found = suggestions("code", code, "the height of the triangle", &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].key_path, "lines:6-8");
    assert_eq!(
        text("code", code, "lines:6-8").as_deref(),
        Some(found[0].text.as_str())
    );

    let log = "start\nwarn: disk full\nwarn: disk slow\nstop";
    let found = suggestions("log", log, "is the disk full", &[]);
    let found: Vec<_> = found.iter().map(|slice| slice.text.as_str()).collect();
    assert_eq!(found, ["warn: disk full", "warn: disk slow"]);
}

#[test]
fn suggestions_are_few_apart_and_not_what_was_asked_for() {
    let many =
        json!({"list": (0..50).map(|n| json!({"word": "slope", "n": n})).collect::<Vec<_>>()})
            .to_string();
    let found = suggestions("json", &many, "slope", &[]);
    assert_eq!(found.len(), MAX_SUGGESTIONS);
    assert_eq!(found[0].key_path, "list[0].word");
    let key_paths = paths(&["list[0].word", "gone"]);
    let extracted = run(&Request {
        artifact_type: "json",
        content: &many,
        key_paths: &key_paths,
        suggest: "slope",
        ..Request::default()
    });
    assert_eq!(extracted.slices.len(), 1 + MAX_SUGGESTIONS);
    assert_eq!(extracted.missing, ["gone"]);
    assert_eq!(extracted.slices[1].key_path, "list[1].word");
    assert_eq!(
        suggestions("json", &many, "slope", &[]),
        found,
        "the same again"
    );
}

#[test]
fn a_path_that_names_somebody_is_not_suggested() {
    let content = r#"{"Ada Lovelace": {"note": "the slope is 3"}, "b": "the slope is 4"}"#;
    let names = paths(&["Ada Lovelace"]);
    let found = suggestions("json", content, "slope", &names);
    let found: Vec<_> = found.iter().map(|slice| slice.key_path.as_str()).collect();
    assert_eq!(found, ["b"]);
}

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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
