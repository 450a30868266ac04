//! Dependencies point one way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::workspace::{members, metadata};

/// What only tests link: real servers that they start, models that fail on demand.
const TEST_SUPPORT: &str = "libs/testing";

/// Whether the crate in one folder may depend on the crate in another, for what it ships or only for its tests.
fn may_depend(from: &str, to: &str, for_tests: bool) -> bool {
    let top = |folder: &str| folder.split('/').next().unwrap_or_default().to_owned();
    let measures = from == "retrieval-svc/quality";
    if to == TEST_SUPPORT {
        return for_tests || measures || from == "tests";
    }
    let shared = to == "proto" || to.starts_with("libs/");
    match top(from).as_str() {
        "proto" => false,
        "libs" => shared,
        // The program that runs everything in one process, and the tests of the whole.
        "turnwise" => to != "tests",
        "tests" => true,
        service => shared || (service.ends_with("-svc") && service == top(to)),
    }
}

#[test]
fn no_service_depends_on_another_and_no_library_on_a_service() {
    let metadata = metadata();
    let members = members(&metadata);
    let folders: BTreeMap<&str, &str> = members
        .iter()
        .map(|(folder, package)| (package["name"].as_str().unwrap(), folder.as_str()))
        .collect();
    let mut wrong = Vec::new();
    for (from, package) in &members {
        for dependency in package["dependencies"].as_array().unwrap() {
            let Some(to) = folders.get(dependency["name"].as_str().unwrap()) else {
                continue;
            };
            let for_tests = dependency["kind"] == "dev";
            if !may_depend(from, to, for_tests) {
                wrong.push(format!("{from} depends on {to}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Crates that decide or compute and do nothing else, and what none of them links: transport, contracts, stores, and
/// the asynchronous runtime but for [`READS_COURSES`].
const PURE: [&str; 13] = [
    "turnwise-decisions",
    "turnwise-grading",
    "turnwise-redaction",
    "turnwise-text",
    "turnwise-text-classifier",
    "turnwise-fingerprint",
    "turnwise-gates",
    "turnwise-placement",
    "turnwise-reply-guard",
    READS_COURSES[0],
    READS_COURSES[1],
    READS_COURSES[2],
    READS_COURSES[3],
];
/// Know courses by the crate that also watches their folder, on the runtime.
const READS_COURSES: [&str; 4] = [
    "turnwise-context-needs",
    "turnwise-procedure-help",
    "turnwise-procedure-steps",
    "turnwise-retrieval-relevance",
];
const RUNTIME: &str = "tokio";
const IMPURE: [&str; 9] = [
    RUNTIME,
    "tonic",
    "prost",
    "turnwise-proto",
    "turnwise-kit",
    "hyper",
    "reqwest",
    "redis",
    "redb",
];

#[test]
fn pure_crates_link_no_transport_no_contract_and_no_store() {
    let metadata = metadata();
    let names: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            (
                package["id"].as_str().unwrap(),
                package["name"].as_str().unwrap(),
            )
        })
        .collect();
    for pure in PURE {
        let linked = linked(&metadata, &names, pure);
        assert!(linked.contains(pure), "{pure} is in the workspace");
        for impure in IMPURE {
            let excused = READS_COURSES.contains(&pure) && impure == RUNTIME;
            assert!(excused || !linked.contains(impure), "{pure} links {impure}");
        }
    }
}

/// The names of all crates that a crate links, itself among them.
fn linked<'a>(
    metadata: &'a Value,
    names: &BTreeMap<&'a str, &'a str>,
    root: &str,
) -> BTreeSet<&'a str> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let root = names.iter().find(|(_, name)| **name == root);
    let mut waiting: Vec<&str> = root.map(|(id, _)| *id).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            // A kind of null is an ordinary dependency; the others are of tests and build scripts.
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                waiting.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    seen.into_iter().map(|id| names[id]).collect()
}

#[test]
fn every_version_of_a_dependency_stands_once() {
    let mut wrong = Vec::new();
    for file in crate::workspace::files(&["/Cargo.toml"]) {
        // The fuzzer is a workspace of its own, as cargo-fuzz wants it.
        if file.components().any(|part| part.as_os_str() == "fuzz") {
            continue;
        }
        let text = crate::workspace::read(&file);
        let lists = text.split("\n[").filter(|part| {
            let head = part.lines().next().unwrap_or_default();
            assert!(
                !head.contains("dependencies."),
                "{}: write [{head} as a line of its table",
                file.display()
            );
            head.ends_with("dependencies]")
        });
        for line in lists.flat_map(|list| list.lines().skip(1)) {
            let own = line.contains('=') && !line.trim_start().starts_with('#');
            // A crate names itself by its path, to switch a feature on for its own tests.
            if own && !line.contains("workspace = true") && !line.contains("path = \".\"") {
                wrong.push(format!("{}: {line}", file.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "versions belong into the workspace's manifest:\n{}",
        wrong.join("\n")
    );
}
