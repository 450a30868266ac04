//! Messages that students really wrote: none of them is stopped.

use std::{
    fs,
    path::{Path, PathBuf},
};

use turnwise_guardrails::Guardrails;

/// The folder of the data, or none, said loudly. Where TURNWISE_SHARED_DIR is set the data must be there.
fn data() -> Option<PathBuf> {
    let named = std::env::var_os("TURNWISE_SHARED_DIR").filter(|dir| !dir.is_empty());
    let must = named.is_some();
    let dir = named.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let data = dir.join("data");
    assert!(data.is_dir() || !must, "TURNWISE_SHARED_DIR holds no data/");
    if !data.is_dir() {
        println!(
            "SKIPPED: no data at {}; set TURNWISE_SHARED_DIR",
            dir.display()
        );
        return None;
    }
    Some(data)
}

fn texts(file: &Path, keys: &[&str]) -> Vec<String> {
    let rows = fs::read_to_string(file).unwrap();
    let rows = rows.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let texts: Vec<&str> = keys.iter().filter_map(|key| row[key].as_str()).collect();
        texts.join("\n")
    });
    rows.collect()
}

#[test]
fn no_real_message_is_stopped() {
    let Some(data) = data() else { return };
    let guardrails = Guardrails::built_in().unwrap();
    let messages = texts(&data.join("messages/student_messages.jsonl"), &["text"]);
    assert!(messages.len() > 2000, "only {} messages", messages.len());
    // `xx` is a locale that the profile does not have: the phrases of all.
    for locale in ["en", "de", "xx"] {
        for message in &messages {
            let stopped = guardrails
                .check(locale, message)
                .is_some_and(|hit| hit.stops);
            assert!(!stopped, "{message}");
        }
    }
}

#[test]
fn no_lesson_and_no_exercise_is_stopped() {
    let Some(data) = data() else { return };
    let guardrails = Guardrails::built_in().unwrap();
    let mut all = texts(&data.join("course/chunks.jsonl"), &["text"]);
    all.extend(texts(
        &data.join("queries/queries.jsonl"),
        &["text", "query"],
    ));
    all.extend(texts(
        &data.join("drills/oatutor_drills.jsonl"),
        &["question", "prompt"],
    ));
    assert!(all.len() > 4000 && all.iter().any(|text| text.len() > 200));
    for text in &all {
        let stopped = guardrails.check("xx", text).is_some_and(|hit| hit.stops);
        assert!(!stopped, "{text}");
    }
}
