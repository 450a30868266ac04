//! Parts that are suggested for a text.

use serde_json::json;
use turnwise_retrieval_svc::artifacts::{MAX_SUGGESTIONS, Request, Slice};

use super::{WORK, paths, run, text};

pub(super) fn suggestions(
    artifact_type: &str,
    content: &str,
    suggest: &str,
    names: &[String],
) -> Vec<Slice> {
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
