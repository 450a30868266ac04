//! Requests that are refused: bounds, and content that is not of its type.

use serde_json::Value;
use turnwise_retrieval_svc::artifacts::{ArtifactError, MAX_CONTENT_BYTES, Request};

use super::{paths, refused, run, text};

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
