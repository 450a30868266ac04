//! What the writer writes, and that nothing is there before it has finished.

use std::{fs, os::unix::fs::PermissionsExt};

use proptest::prelude::*;
use serde_json::json;
use turnwise_session_archive::{
    ArchiveError, ArchiveKind, ContextPayload, ContextRequestRecord, ConversationRecord,
    verify_dir, verify_file,
};

use crate::support::{Home, about, any_records, event, message, record};

#[test]
fn a_finished_archive_verifies() {
    let home = Home::new();
    let sealed = home.write(
        &about("school", "7b"),
        &[record("s1", "t1"), record("s2", "t2")],
    );
    let report = home.dir.verify(&sealed.name).unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.records, report.erased), (2, 0));
    assert_eq!((sealed.records, &sealed.chain), (2, &report.chain));
    let header = report.header.unwrap();
    assert_eq!(header.kind, ArchiveKind::ClassReset);
    assert_eq!(
        (header.tenant, header.class_id),
        ("school".into(), "7b".into())
    );
    assert_eq!((header.actor_id, header.version), ("teacher-1".into(), 1));
    assert_eq!(home.dir.names().unwrap(), [sealed.name]);
}

#[test]
fn the_name_is_made_of_time_class_and_a_random_part() {
    let home = Home::new();
    let one = home.write(&about("school", "7b"), &[]).name;
    let two = home.write(&about("school", "7b"), &[]).name;
    assert!(one.starts_with("20261122T061000Z-7b-"), "{one}");
    assert!(one.ends_with(".jsonl"));
    assert_ne!(one, two);
    assert_eq!(one.len(), "20261122T061000Z-7b-.jsonl".len() + 36);
}

#[test]
fn directory_and_files_are_private() {
    let home = Home::new();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    writer.append(record("s1", "t1")).unwrap();
    let partial = home.files().pop().unwrap();
    assert_eq!(mode(home.path(&partial)), 0o600);
    let name = writer.finish().unwrap().name;
    assert_eq!(mode(home.path(&name)), 0o600);
    assert_eq!(mode(home.dir.root().to_owned()), 0o700);
    home.dir.erase_student("school", "s1").unwrap();
    assert_eq!(mode(home.path(&name)), 0o600);
}

#[test]
fn nothing_is_visible_before_the_end() {
    let home = Home::new();
    let mut writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    writer.append(record("s1", "t1")).unwrap();
    assert!(home.dir.names().unwrap().is_empty());
    let report = verify_dir(home.dir.root()).unwrap();
    assert!(report.archives.is_empty());
    assert_eq!(report.unfinished, home.files());
    assert_eq!(report.unfinished.len(), 1);
    drop(writer);
    assert!(home.files().is_empty());
}

#[test]
fn each_conversation_is_one_line_of_json() {
    let home = Home::new();
    let written = record("s1", "t1");
    let name = home
        .write(&about("school", "7b"), std::slice::from_ref(&written))
        .name;
    let text = home.read(&name);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["header"]["format"], "turnwise-archive");
    assert_eq!(lines[1]["body"], serde_json::to_value(&written).unwrap());
    assert_eq!(lines[2]["records"], 1);
    assert_eq!(lines[2]["chain"], lines[1]["chain"]);
}

#[test]
fn what_a_record_lacks_is_said() {
    let home = Home::new();
    let damaged = ConversationRecord {
        unreadable: 2,
        ..record("s1", "t1")
    };
    let sealed = home.write(&about("school", "7b"), &[damaged, record("s2", "t2")]);
    let lacks: Vec<serde_json::Value> = home
        .read(&sealed.name)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["body"].take())
        .map(|mut body| body["unreadable"].take())
        .collect();
    assert_eq!(lacks[1..3], [json!(2), json!(0)]);
}

#[test]
fn each_context_request_is_a_line_after_its_conversation() {
    let home = Home::new();
    let [one, two] = ["one", "two"].map(|request| json!({"requestId": request}));
    let asked = |request: &serde_json::Value, payloads| ContextRequestRecord {
        student_id: "s1".to_owned(),
        thread_id: "t1".to_owned(),
        context_request: Some(request.clone()),
        payloads,
        unreadable: 0,
    };
    let supplied = ContextPayload {
        slot: 3,
        content: "what was supplied".to_owned(),
    };
    let mut writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    writer.append(record("s1", "t1")).unwrap();
    writer.append_request(&asked(&one, vec![])).unwrap();
    writer.append_request(&asked(&two, vec![supplied])).unwrap();
    writer.append(record("s2", "t2")).unwrap();
    let sealed = writer.finish().unwrap();
    assert_eq!(sealed.records, 4);
    let text = home.read(&sealed.name);
    let bodies: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["body"].take())
        .collect();
    let request = |of: &serde_json::Value, payloads: serde_json::Value| json!({"student_id": "s1", "thread_id": "t1", "context_request": of, "payloads": payloads, "unreadable": 0});
    assert_eq!(bodies[1], serde_json::to_value(record("s1", "t1")).unwrap());
    assert_eq!(
        bodies[2..4],
        [
            request(&one, json!([])),
            request(&two, json!([{"slot": 3, "content": "what was supplied"}]))
        ]
    );
    // An erasure takes them as well, and what is left verifies.
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 3);
    let left = home.read(&sealed.name);
    assert!(!left.contains("requestId") && !left.contains("supplied"));
    let report = home.dir.verify(&sealed.name).unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.records, report.erased), (4, 3));
    assert_eq!(report.chain, sealed.chain);
}

#[test]
fn the_latest_messages_and_events_are_kept_and_the_cut_is_said() {
    let home = Home::new();
    let mut writer = home.dir.create(&about("school", "7b"), 2).unwrap();
    for (messages, events) in [(2, 2), (3, 0), (0, 5)] {
        let mut long = record("s1", "t1");
        long.messages = (1..=messages).map(|id| message(id, "hello")).collect();
        long.events = (1..=events).map(event).collect();
        writer.append(long).unwrap();
    }
    let text = home.read(&writer.finish().unwrap().name);
    let ids = |line: &serde_json::Value, list: &str| -> Vec<i64> {
        let list = line["body"][list].as_array().unwrap().iter();
        list.map(|entry| entry["id"].as_i64().unwrap()).collect()
    };
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[1]["body"]["truncated"], false);
    assert_eq!(ids(&lines[1], "messages"), [1, 2]);
    assert_eq!(lines[2]["body"]["truncated"], true);
    assert_eq!(ids(&lines[2], "messages"), [2, 3]);
    assert_eq!(lines[3]["body"]["truncated"], true);
    assert_eq!(ids(&lines[3], "events"), [4, 5]);
}

#[test]
fn a_conversation_that_fits_no_line_gives_the_archive_up() {
    let home = Home::new();
    let mut writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    let mut long = record("s1", "t1");
    long.title = "x".repeat(turnwise_session_archive::MAX_LINE_BYTES);
    assert!(matches!(
        writer.append(long),
        Err(ArchiveError::LineTooLong { .. })
    ));
    assert!(home.files().is_empty());
    assert!(matches!(
        writer.append(record("s1", "t2")),
        Err(ArchiveError::GivenUp)
    ));
    assert!(matches!(writer.finish(), Err(ArchiveError::GivenUp)));
    assert!(home.files().is_empty());
}

proptest! {
    #[test]
    fn whatever_was_said_verifies_wherever_the_file_lies(records in any_records()) {
        let home = Home::new();
        let sealed = home.write(&about("school", "7b"), &records);
        let copy = home.temp.path().join("copy");
        fs::copy(home.path(&sealed.name), &copy).unwrap();
        let report = verify_file(&copy).unwrap();
        prop_assert!(report.is_intact(), "{report:?}");
        prop_assert_eq!(report.records, records.len() as u64);
        prop_assert_eq!(report.chain, sealed.chain);
    }
}
