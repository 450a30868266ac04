//! Parts of an artifact: paths, offsets, limits, redaction.

mod properties;
mod refused;
mod suggestions;

use turnwise_retrieval_svc::artifacts::{ArtifactError, Extracted, Request, Slice, extract};

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
