//! What a message advises is there for its reader: calls of the public face that its role may make, and no settings, which
//! are the operator's and belong into logs.

use std::{collections::BTreeSet, sync::LazyLock};

use prost::Message;
use prost_types::FileDescriptorSet;

use crate::workspace::{files, read};

/// Sources whose messages reach a caller of the public port, and the services whose calls that caller has.
const SPEAKERS: [(&str, &[&str]); 8] = [
    ("libs/kit/src/", STUDENT),
    ("gateway-svc/src/", STUDENT),
    ("gateway-svc/src/school/", TEACHER),
    ("policy-svc/src/", STUDENT),
    // Threads are students', alerts are teachers'.
    ("session-svc/src/", &["TutorService", "ClassService"]),
    // A search for a turn, and uploads of staff.
    ("retrieval-svc/src/", STUDENT),
    ("retrieval-svc/src/grpc/", STAFF),
    ("llm-gateway-svc/src/", STAFF),
];
const STUDENT: &[&str] = &["TutorService", "PlacementService"];
const TEACHER: &[&str] = &["ClassService"];
const STAFF: &[&str] = &["ExplainService", "IndexService", "LlmQueueService"];

/// Calls by service, of all contracts.
static CALLS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let set = FileDescriptorSet::decode(turnwise_proto::DESCRIPTORS).unwrap();
    let services = set.file.iter().flat_map(|file| &file.service);
    let calls = services.flat_map(|service| {
        let methods = service.method.iter();
        methods.map(|method| (service.name().to_owned(), method.name().to_owned()))
    });
    calls.collect()
});

/// The names of every setting.
static SETTINGS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut names = BTreeSet::new();
    for file in files(&[".rs"]) {
        for text in read(&file).split("env = \"").skip(1) {
            names.extend(text.split('"').next().map(str::to_owned));
        }
    }
    names
});

/// The messages of a source's failures: what stands in a `Fault`, and in the errors that become one.
fn messages(source: &str) -> Vec<String> {
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let source: String = source.lines().filter(code).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for start in ["Fault::new(", "Fault::invalid("] {
        for rest in source.split(start).skip(1) {
            let end = rest.find(';').into_iter().chain(rest.find("\n}")).min();
            found.extend(sentences(&rest[..end.unwrap_or(rest.len())]));
        }
    }
    for block in source.split("pub enum ").skip(1) {
        let name = block.split([' ', '<']).next().unwrap_or_default();
        if source.contains(&format!("From<{name}> for Fault")) {
            found.extend(sentences(block.split("\n}").next().unwrap_or(block)));
        }
    }
    found
}

/// The literals of a piece of source that are more than a word.
fn sentences(source: &str) -> Vec<String> {
    let literals = source.split('"').skip(1).step_by(2);
    literals
        .filter(|text| text.contains(' '))
        .map(str::to_owned)
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

#[test]
fn a_message_advises_what_its_reader_can_do() {
    let mut looked_at = 0;
    for file in files(&[".rs"]) {
        let name = file.display().to_string();
        // The most exact of the folders that the file is in.
        let speakers = SPEAKERS.iter().filter(|(at, _)| name.starts_with(at));
        let Some((_, services)) = speakers.max_by_key(|(at, _)| at.len()) else {
            continue;
        };
        for message in messages(&read(&file)) {
            looked_at += 1;
            for word in words(&message) {
                let of: Vec<_> = CALLS.iter().filter(|(_, call)| call == word).collect();
                assert!(
                    of.is_empty() || of.iter().any(|(of, _)| services.contains(&&**of)),
                    "{name}: its reader has no {word}: {message}"
                );
                assert!(
                    !SETTINGS.contains(word),
                    "{name}: {word} is not its reader's to set: {message}"
                );
            }
        }
    }
    assert!(looked_at > 60, "messages are found: {looked_at}");
}
