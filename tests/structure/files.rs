//! Source files stay short, and nothing is compiled for unit tests that are not there.

use std::path::Path;

use turnwise_tests::process::repository;

use crate::workspace::{files, members, metadata, read};

/// The most lines of a source file.
const MAX_LINES: usize = 500;

#[test]
fn no_source_file_is_longer_than_500_lines() {
    let mut long = Vec::new();
    for file in files(&[""]) {
        let name = file.display().to_string();
        let source = [".rs", ".proto", ".lua", ".py", ".sh"];
        let ours = !file.starts_with("proto/third_party");
        // Scripts have no ending; their first line says what runs them. What is no text is no source.
        let text = std::fs::read_to_string(repository().join(&file)).unwrap_or_default();
        if !ours || !(text.starts_with("#!") || source.iter().any(|end| name.ends_with(end))) {
            continue;
        }
        let lines = text.lines().count();
        if lines > MAX_LINES {
            long.push(format!("{} has {lines} lines", file.display()));
        }
    }
    assert!(long.is_empty(), "split by topic:\n{}", long.join("\n"));
}

/// A library or program whose source holds no tests is not built a second time for them: its target says `test = false`.
/// One that holds tests says nothing, so that they run. A program's tests belong to its library or to `tests/`.
#[test]
fn unit_tests_are_compiled_exactly_where_there_are_some() {
    let metadata = metadata();
    let sources = files(&[".rs"]);
    for (folder, package) in members(&metadata) {
        let src = Path::new(&folder).join("src");
        let has_tests = sources
            .iter()
            .filter(|file| file.starts_with(&src))
            .any(|file| is_tested(&read(file)));
        for target in package["targets"].as_array().unwrap() {
            let kinds = target["kind"].as_array().unwrap();
            let name = &target["name"];
            let compiled = target["test"].as_bool().unwrap();
            if kinds.iter().any(|kind| kind == "lib") {
                assert_eq!(
                    compiled, has_tests,
                    "{folder}: the library {name} holds tests: {has_tests}; its target has test = {compiled}"
                );
            } else if kinds.iter().any(|kind| kind == "bin") {
                assert!(!compiled, "{folder}: the program {name} needs test = false");
            }
        }
    }
}

fn is_tested(source: &str) -> bool {
    ["#[test]", "::test]", "::test(", "proptest! {"]
        .iter()
        .any(|mark| source.contains(mark))
}
