//! Class resets and erasures of what cannot be read: it goes with the rest, and keeps nothing else from going. What a
//! newer version wrote is not damaged: no reset takes it.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use turnwise_proto::{classes::v1::ResetState, session::v1::ResetClassResponse};
use turnwise_session_store::{Key, StudentKey, Write};
use turnwise_session_svc::{
    error::SessionError,
    record::SCHEMA_VERSION,
    sessions::{Limits, erase::EraseReport},
};

use crate::{
    bench::{
        Bench, CLASS, COURSE, PATIENCE, TUTOR, begin_in, fresh, full_commit,
        gate::{Gate, strips},
        kind_of, make_thread, newer, refused, started, take_turn, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_reset_takes_what_cannot_be_read,
    a_turn_in_flight_in_a_thread_that_cannot_be_read_is_not_committed,
    a_turn_before_the_deletion_of_a_thread_that_cannot_be_read_is_archived,
    an_archive_says_what_it_lacks,
    a_reset_takes_nothing_of_what_a_newer_version_wrote,
    an_erasure_takes_what_a_newer_version_wrote,
    an_erasure_takes_what_cannot_be_read,
);

/// Ids that stand nowhere by chance.
const ADA: &str = "ada-1815-12-10";
const BOB: &str = "bob-1871-12-26";
/// No record, but a text that one may search for.
const DAMAGED: &[u8] = b"\x01no sum, secret";

/// A thread with a turn.
async fn with_turn(bench: &Bench, student: &StudentKey, thread: &str) {
    let sessions = bench.sessions();
    make_thread(sessions, student, thread).await;
    let start = started(sessions, student, begin_in(thread, thread, 1)).await;
    let turn = full_commit(&start, thread, "secret");
    sessions.commit_turn(student, turn).await.unwrap();
}

/// A thread of which the latest message, the latest event and one memory cannot be read.
async fn with_damaged_message(bench: &Bench, student: &StudentKey, thread: &str) {
    with_turn(bench, student, thread).await;
    let partition = bench.partition(student).await;
    for log in ["timeline", "events"] {
        append(bench, student, &format!("{log}:{thread}"), DAMAGED).await;
    }
    let (memory, record) = (format!("memory:{thread}"), format!("thread:{thread}"));
    bench.put(&partition, &memory, "scope", DAMAGED).await;
    bench.put(&partition, &record, "count", b"3").await;
    let read = bench
        .sessions()
        .get_thread(student, kind_of(thread), thread, 0, 10)
        .await;
    let corrupted = SessionError::RecordCorrupted { record: "message" };
    assert_eq!(refused(read), corrupted);
}

async fn append(bench: &Bench, student: &StudentKey, log: &str, entry: impl AsRef<[u8]>) {
    let append = Write::Append {
        key: Key::new(log),
        entries: vec![Bytes::copy_from_slice(entry.as_ref())],
    };
    bench.write(&bench.partition(student).await, append).await;
}

/// Damages a thread's own record.
async fn damage(bench: &Bench, student: &StudentKey, thread: &str, field: &'static str) {
    let (partition, key) = (bench.partition(student).await, format!("thread:{thread}"));
    bench.put(&partition, &key, field, DAMAGED).await;
    let read = bench
        .sessions()
        .get_thread(student, kind_of(thread), thread, 0, 10)
        .await;
    let corrupted = SessionError::RecordCorrupted { record: "thread" };
    assert_eq!(refused(read), corrupted);
}

async fn a_reset_takes_what_cannot_be_read(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student(ADA), bench.student(BOB), bench.sessions());
    with_damaged_message(bench, &ada, "t1").await;
    with_turn(bench, &ada, "t2").await;
    damage(bench, &ada, "t2", "record").await;
    with_turn(bench, &bob, "h3").await;
    damage(bench, &bob, "h3", "count").await;
    with_turn(bench, &ada, "h4").await;
    with_turn(bench, &ada, "h5").await;
    // Nothing at all is known of what it was.
    let partition = bench.partition(&ada).await;
    bench.put(&partition, "thread:h5", "course", b"\xff").await;
    for field in ["record", "kind"] {
        damage(bench, &ada, "h5", field).await;
    }

    let report = bench.reset().await;
    let expected = ResetClassResponse {
        conversations: 1,
        threads: 4,
        students: 2,
        batches: 1,
        state: ResetState::Done.into(),
        // The first is of the intent.
        audit_id: 2,
        archive_names: report.archive_names.clone(),
    };
    assert_eq!(report, expected);
    assert_eq!(unreadable_records(bench).await, "6");
    // What can be read of it is in an archive.
    let mut bodies = bench.archived();
    bodies.sort_by_key(|body| body["thread_id"].to_string());
    let heads: Vec<_> = bodies.iter().map(head).collect();
    let expected = [
        ("h3", BOB, "helper", COURSE, "about h3", 1),
        ("h4", ADA, "helper", COURSE, "about h4", 0),
        ("h5", ADA, "unspecified", "", "", 1),
        ("t1", ADA, "tutor", COURSE, "about t1", 3),
        ("t2", ADA, "tutor", COURSE, "", 1),
    ];
    assert_eq!(heads, expected);
    for body in &bodies {
        let messages = body["messages"].as_array().unwrap();
        assert!(messages.iter().all(|said| said["text"] == "secret"));
        let remembered = &body["memories"][0]["turns"][0]["text"];
        assert_eq!((messages.len(), remembered), (2, &"secret".into()));
        assert_eq!(body["events"].as_array().unwrap().len(), 3);
        assert_eq!(body["truncated"], false);
    }

    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
    assert_eq!((page.thread.title.as_str(), page.messages), ("", vec![]));
    for (student, thread) in [(&ada, "t2"), (&bob, "h3"), (&ada, "h4"), (&ada, "h5")] {
        let read = sessions
            .get_thread(student, kind_of(thread), thread, 0, 10)
            .await;
        assert_eq!(refused(read), unknown_thread(thread));
    }
    let dump = bench.dump();
    for text in ["secret", "about "] {
        let mut left = dump.holding(text);
        // A focus unit is no text.
        left.retain(|name| !name.ends_with(&format!("snapshot:{COURSE}")));
        assert_eq!(left, [""; 0], "{text}");
    }
    for name in ["timeline:", "memory:", ":conversations"] {
        let left = dump.only(|held| held.contains(name) && !held.contains(":timeline:t1"));
        assert_eq!(left.names(), [""; 0]);
    }
    for thread in ["thread:t2", "thread:h3", "thread:h4", "thread:h5"] {
        let left = dump.only(|name| name.ends_with(thread));
        assert!(left.0.values().all(|held| held.expires), "{left:?}");
    }
    let again = bench.reset().await;
    assert_eq!((again.threads, again.batches), (0, 0));
    // What is left are one thread without text, and traces of the others.
    for (student, threads, archive_records) in [(ada, 1, 4), (bob, 0, 1)] {
        let erased = sessions
            .erase_student(bench.actor(), student, String::new())
            .await
            .unwrap();
        assert_eq!(
            (erased.threads, erased.archive_records),
            (threads, archive_records)
        );
    }
    gone(bench);
}

async fn a_turn_in_flight_in_a_thread_that_cannot_be_read_is_not_committed(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin_in("t1", "k", 1)).await;
    damage(bench, &ada, "t1", "record").await;
    assert_eq!(bench.reset().await.threads, 1);
    let before = bench.dump();
    let turn = full_commit(&start, "k", "secret");
    let late = sessions.commit_turn(&ada, turn).await;
    assert_eq!(refused(late), SessionError::TurnErased);
    assert_eq!(bench.dump(), before);
}

async fn a_turn_before_the_deletion_of_a_thread_that_cannot_be_read_is_archived(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    with_turn(bench, &ada, "t1").await;
    let start = started(sessions, &ada, begin_in("t1", "k", 1)).await;
    damage(bench, &ada, "t1", "record").await;
    let gate = Gate::new(bench.store(), strips);
    let gated = bench.sessions_over(Arc::clone(&gate) as _);
    let (actor, class) = (bench.actor(), CLASS.to_owned());
    let reset = tokio::spawn(async move {
        gated
            .reset_class(&actor, &class, "", &fresh(), PATIENCE)
            .await
    });
    gate.arrival().await;
    let turn = full_commit(&start, "k", "later");
    sessions.commit_turn(&ada, turn).await.unwrap();
    gate.open();
    let report = reset.await.unwrap().unwrap();
    assert_eq!((report.threads, report.archive_names.len()), (1, 2));
    let archived = bench.archived_texts();
    let later = archived.iter().filter(|text| *text == "later");
    assert_eq!((archived.len(), later.count()), (6, 2));
}

async fn an_archive_says_what_it_lacks(bench: &mut Bench) {
    bench.limit(|limits| limits.archive_max_messages = 5).await;
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    // As many as an archive takes of each, and one more than that.
    for (thread, more) in [
        ("t1", None),
        ("t2", Some("timeline")),
        ("t3", Some("events")),
    ] {
        make_thread(sessions, &ada, thread).await;
        for turn in ["a", "b"] {
            take_turn(sessions, &ada, thread, &format!("{turn}-{thread}")).await;
        }
        for log in ["timeline", "events"].into_iter().chain(more) {
            append(bench, &ada, &format!("{log}:{thread}"), DAMAGED).await;
        }
    }
    let (actor, class) = (bench.actor(), CLASS.to_owned());
    let exported = sessions
        .export_class(&actor, &class, &fresh())
        .await
        .unwrap();
    assert_eq!(exported.conversations, 3);
    assert_eq!(unreadable_records(bench).await, "8");
    let mut bodies = bench.archived();
    bodies.sort_by_key(|body| body["thread_id"].to_string());
    let said = bodies.iter().map(|body| {
        let messages = body["messages"].as_array().unwrap().len();
        let truncated = body["truncated"].as_bool().unwrap();
        (messages, truncated, body["unreadable"].as_u64().unwrap())
    });
    let said: Vec<_> = said.collect();
    assert_eq!(said, [(4, false, 2), (4, true, 3), (4, true, 3)]);
}

/// What a newer version may have written of a thread, and as what it is then refused.
const WRITTEN: [(&str, &str, &str); 4] = [
    ("thread", "record", "thread"),
    ("memory", "scope", "memory"),
    ("timeline", "", "message"),
    ("events", "", "event"),
];

/// A thread of which a newer version wrote something.
async fn with_newer(
    bench: &Bench,
    student: &StudentKey,
    thread: &str,
    (what, field, _): (&str, &'static str, &str),
) {
    with_turn(bench, student, thread).await;
    let key = format!("{what}:{thread}");
    if field.is_empty() {
        append(bench, student, &key, newer(b"secret")).await;
    } else {
        let partition = bench.partition(student).await;
        bench.put(&partition, &key, field, &newer(b"secret")).await;
    }
}

async fn a_reset_takes_nothing_of_what_a_newer_version_wrote(bench: &mut Bench) {
    for written in WRITTEN {
        let (_, _, record) = written;
        let student = bench.student(&format!("{ADA}-{record}"));
        with_newer(bench, &student, "t1", written).await;
        let newer = SessionError::SchemaTooNew {
            record,
            version: SCHEMA_VERSION + 1,
        };
        // What is begun stands in the class's record and in the audit log.
        let of_students = |name: &str| name.contains(ADA) || name.ends_with(":conversations");
        let before = bench.dump().only(of_students);
        let (actor, class) = (bench.actor(), CLASS.to_owned());
        let key = fresh();
        let reset = bench
            .sessions()
            .reset_class(&actor, &class, "", &key, PATIENCE)
            .await;
        assert_eq!(refused(reset), newer);
        let exported = bench
            .sessions()
            .export_class(&actor, &class, &fresh())
            .await;
        assert_eq!(refused(exported), newer);
        assert_eq!(bench.archives().names().unwrap(), [""; 0]);
        if record == "thread" {
            let without = |limits: &mut Limits| limits.export_before_reset = false;
            bench.limit(without).await;
            let reset = bench
                .sessions()
                .reset_class(&actor, &class, "", &key, PATIENCE)
                .await;
            assert_eq!(refused(reset), newer);
            bench
                .limit(|limits| limits.export_before_reset = true)
                .await;
        }
        assert_eq!(bench.dump().only(of_students), before);
        let erased = bench
            .sessions()
            .erase_student(actor.clone(), student, String::new())
            .await;
        assert_eq!(erased.unwrap().threads, 1);
        // Without it the reset goes on to its end.
        let reset = bench
            .sessions()
            .reset_class(&actor, &class, "", &key, PATIENCE)
            .await;
        assert_eq!(reset.unwrap().state(), ResetState::Done);
    }
}

async fn an_erasure_takes_what_a_newer_version_wrote(bench: &mut Bench) {
    let ada = bench.student(ADA);
    for written in WRITTEN {
        let thread = format!("t-{}", written.0);
        with_newer(bench, &ada, &thread, written).await;
    }
    let erased = bench
        .sessions()
        .erase_student(bench.actor(), ada, String::new())
        .await;
    assert_eq!(erased.unwrap().threads, 4);
    gone(bench);
}

async fn an_erasure_takes_what_cannot_be_read(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    with_damaged_message(bench, &ada, "t1").await;
    with_turn(bench, &ada, "t2").await;
    damage(bench, &ada, "t2", "record").await;
    with_turn(bench, &ada, "h3").await;
    damage(bench, &ada, "h3", "count").await;
    let report = sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await;
    let expected = EraseReport {
        threads: 3,
        archive_records: 0,
        unreadable_archives: 0,
        audit_id: 2,
    };
    assert_eq!(report, Ok(expected));
    gone(bench);
    let audited = bench.audited().await;
    assert_eq!(audited[0].facts["threads"], "3");
}

/// What the newest entry of the audit log says that an archive lacks.
async fn unreadable_records(bench: &Bench) -> String {
    bench.audited().await[0].facts["unreadable_records"].clone()
}

/// What an archive says of a conversation.
fn head(body: &Value) -> (&str, &str, &str, &str, &str, u64) {
    let text = |field: &str| body[field].as_str().unwrap();
    (
        text("thread_id"),
        text("student_id"),
        text("kind"),
        text("course_id"),
        text("title"),
        body["unreadable"].as_u64().unwrap(),
    )
}

/// Nothing is left that names the students or tells what they said.
fn gone(bench: &Bench) {
    let dump = bench.dump();
    for student in [ADA, BOB] {
        assert_eq!(dump.holding(student), [""; 0]);
    }
    for text in ["secret", "about t"] {
        assert_eq!(dump.holding(text), [""; 0]);
    }
}
