//! Class resets and erasures of what cannot be read: it goes with the rest, and keeps nothing else from going.

use turnwise_session_store::{Key, Partition, StudentKey, Write};
use turnwise_session_svc::{
    error::SessionError,
    sessions::{erase::EraseReport, reset::ResetReport},
};

use crate::{
    bench::{
        Bench, COURSE, begin_in, full_commit, make_helper, make_thread, refused, started,
        unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_reset_takes_what_cannot_be_read,
    a_turn_in_flight_in_a_thread_that_cannot_be_read_is_not_committed,
    an_erasure_takes_what_cannot_be_read,
);

/// Ids that stand nowhere by chance.
const ADA: &str = "ada-1815-12-10";
const BOB: &str = "bob-1871-12-26";
/// No record, but a text that one may search for.
const DAMAGED: &[u8] = b"\x02no sum, secret";

/// A thread with a turn.
async fn with_turn(bench: &Bench, student: &StudentKey, thread: &str, helper: bool) {
    let sessions = bench.sessions();
    if helper {
        make_helper(sessions, student, thread).await;
    } else {
        make_thread(sessions, student, thread).await;
    }
    let start = started(sessions, student, begin_in(thread, thread, 1)).await;
    let turn = full_commit(&start, thread, "secret");
    sessions.commit_turn(student, turn).await.unwrap();
}

/// A thread of which the latest message, the latest event and one memory cannot be read.
async fn with_damaged_message(bench: &Bench, student: &StudentKey, thread: &str) {
    with_turn(bench, student, thread, false).await;
    let partition = Partition::student(student);
    for log in ["timeline", "events"] {
        let append = Write::Append {
            key: Key::new(format!("{log}:{thread}")),
            entries: vec![DAMAGED.into()],
        };
        bench.write(&partition, append).await;
    }
    let (memory, record) = (format!("memory:{thread}"), format!("thread:{thread}"));
    bench.put(&partition, &memory, "scope", DAMAGED).await;
    bench.put(&partition, &record, "count", b"3").await;
    let read = bench.sessions().get_thread(student, thread, 0, 10).await;
    let corrupted = SessionError::RecordCorrupted { record: "message" };
    assert_eq!(refused(read), corrupted);
}

/// Damages a thread's own record.
async fn damage(bench: &Bench, student: &StudentKey, thread: &str, field: &'static str) {
    let (partition, key) = (Partition::student(student), format!("thread:{thread}"));
    bench.put(&partition, &key, field, DAMAGED).await;
    let read = bench.sessions().get_thread(student, thread, 0, 10).await;
    let corrupted = SessionError::RecordCorrupted { record: "thread" };
    assert_eq!(refused(read), corrupted);
}

async fn a_reset_takes_what_cannot_be_read(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student(ADA), bench.student(BOB), bench.sessions());
    with_damaged_message(bench, &ada, "t1").await;
    with_turn(bench, &ada, "t2", false).await;
    damage(bench, &ada, "t2", "record").await;
    with_turn(bench, &bob, "t3", true).await;
    damage(bench, &bob, "t3", "count").await;
    with_turn(bench, &ada, "t4", true).await;

    let report = bench.reset().await;
    let expected = ResetReport {
        conversations: 1,
        threads: 3,
        students: 2,
        batches: 1,
        audit_id: 1,
        archive_names: report.archive_names.clone(),
        archive_chains: report.archive_chains.clone(),
    };
    assert_eq!(report, expected);
    // What can be read of it is in an archive.
    let mut bodies = bench.archived();
    bodies.sort_by_key(|body| body["thread_id"].to_string());
    let ids: Vec<_> = bodies.iter().map(|body| &body["thread_id"]).collect();
    assert_eq!(ids, ["t1", "t4"]);
    for body in &bodies {
        let turns = body["turns"].as_array().unwrap();
        assert!(turns.iter().all(|turn| turn["text"] == "secret"));
        assert_eq!(
            (turns.len(), &body["memory"][0]["text"]),
            (2, &"secret".into())
        );
        assert_eq!(body["events"].as_array().unwrap().len(), 3);
    }

    let page = sessions.get_thread(&ada, "t1", 0, 10).await.unwrap();
    assert_eq!((page.thread.title.as_str(), page.messages), ("", vec![]));
    for (student, thread) in [(&ada, "t2"), (&bob, "t3"), (&ada, "t4")] {
        let read = sessions.get_thread(student, thread, 0, 10).await;
        assert_eq!(refused(read), unknown_thread(thread));
    }
    let dump = bench.dump();
    for text in ["secret", "about t"] {
        let mut left = dump.holding(text);
        // A focus unit is no text.
        left.retain(|name| !name.ends_with(&format!("snapshot:{COURSE}")));
        assert_eq!(left, [""; 0], "{text}");
    }
    for name in ["timeline:", "memory:", ":conversations"] {
        let left = dump.only(|held| held.contains(name) && !held.contains(":timeline:t1"));
        assert_eq!(left.names(), [""; 0]);
    }
    for thread in ["thread:t2", "thread:t3", "thread:t4"] {
        let left = dump.only(|name| name.ends_with(thread));
        assert!(left.0.values().all(|held| held.expires), "{left:?}");
    }
    let again = bench.reset().await;
    assert_eq!((again.threads, again.batches), (0, 0));
    // What is left are one thread without text, and traces of the others.
    for (student, threads, archive_records) in [(ada, 1, 2), (bob, 0, 0)] {
        let erased = sessions
            .erase_student(bench.actor(), student)
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

async fn an_erasure_takes_what_cannot_be_read(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    with_damaged_message(bench, &ada, "t1").await;
    with_turn(bench, &ada, "t2", false).await;
    damage(bench, &ada, "t2", "record").await;
    with_turn(bench, &ada, "t3", true).await;
    damage(bench, &ada, "t3", "count").await;
    let report = sessions.erase_student(bench.actor(), ada.clone()).await;
    let expected = EraseReport {
        threads: 3,
        archive_records: 0,
        audit_id: 1,
    };
    assert_eq!(report, Ok(expected));
    gone(bench);
    let audited = sessions
        .audit_entries(&bench.tenant, None, 10)
        .await
        .unwrap();
    assert_eq!(audited.entries[0].facts["threads"], "3");
}

/// Nothing is left of the students but what a retry needs for a while; outside of their partitions not even their ids.
fn gone(bench: &Bench) {
    let dump = bench.dump();
    let mut names = 0;
    for student in [ADA, BOB] {
        let start = format!("{}/{student}:", bench.tenant);
        for name in dump.holding(student) {
            let Some(kept) = name.strip_prefix(&start) else {
                // Redis keeps the last token of a partition for a day.
                assert!(name.ends_with(".token"), "{name} is left");
                continue;
            };
            let wanted = kept == "erased" || kept.starts_with("answer:");
            assert!(wanted || kept.ends_with(".token"), "{name} is left");
            assert!(dump.0[name].expires, "{name} stays for ever");
            names += 1;
        }
    }
    assert!(names > 0);
    for text in ["secret", "about t"] {
        assert_eq!(dump.holding(text), [""; 0]);
    }
}
