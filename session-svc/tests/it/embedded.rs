//! What the service has of its own over an embedded store: what runs out is no longer in the file, and rows that are not
//! what was written are told by the kind of their record.

use std::time::Duration;

use redb::{Database, ReadableTable, TableDefinition};
use turnwise_session_svc::{error::SessionError, sessions::turns::Begun};

use crate::bench::{
    ANSWERS, Bench, COURSE, Kind, THREADS, TUTOR, begin, commit, make_thread, one_more, refused,
    started, take_full_turn, take_turn,
};

#[tokio::test]
async fn answers_are_forgotten_after_their_time() {
    let bench = Bench::new(Kind::Embedded, "answers").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    // More than one write removes.
    for number in 0..100 {
        make_thread(sessions, &ada, &format!("t{number}")).await;
    }
    take_turn(sessions, &ada, "t0", "k").await;
    bench.clock.advance(ANSWERS - Duration::from_secs(10));
    let begun = sessions.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert!(matches!(begun, Begun::Answered(_)));
    bench.clock.advance(Duration::from_secs(10));
    // The key is fresh again, whether its old answer is still there or not.
    let start = started(sessions, &ada, begin("t0", "k")).await;
    let turn = commit(&start, "k", "again");
    sessions.commit_turn(&ada, turn).await.unwrap();
    let record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&record, "g1"))
        .await
        .unwrap();
    let begun = sessions.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert_eq!(begun, Begun::Answered("answer to again".into()));
    // Writes remove what has run out, some at a time.
    for number in 0..20 {
        take_turn(sessions, &ada, "t1", &format!("more{number}")).await;
    }
    let answers = bench.dump().only(|name| name.contains(":idempotency:"));
    assert_eq!(answers.names().len(), 22);
}

#[tokio::test]
async fn threads_are_forgotten_after_their_time() {
    let bench = Bench::new(Kind::Embedded, "threads").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for id in ["old", "used"] {
        make_thread(sessions, &ada, id).await;
        take_full_turn(sessions, &ada, id, id).await;
    }
    bench.clock.advance(THREADS * 3 / 4);
    take_full_turn(sessions, &ada, "used", "again").await;
    bench.clock.advance(THREADS / 2);
    let listed = sessions
        .list_threads(&ada, TUTOR, None, 10)
        .await
        .unwrap()
        .threads;
    let ids: Vec<_> = listed
        .iter()
        .map(|thread| thread.thread_id.as_str())
        .collect();
    assert_eq!(ids, ["used"]);
    let page = sessions
        .get_thread(&ada, TUTOR, "used", 0, 10)
        .await
        .unwrap();
    assert_eq!(page.messages.len(), 4);
    // A reset finds what is left.
    assert_eq!(bench.reset().await.threads, 1);
    for number in 0..20 {
        take_turn(sessions, &ada, "used", &format!("more{number}")).await;
    }
    let left = bench.dump();
    assert_eq!(
        left.only(|name| name.ends_with(":old"))
            .holding("old-")
            .len(),
        0
    );
    assert_eq!(left.holding("about old"), [""; 0]);
}

/// Kinds of rows, as they stand in the file's keys.
const FIELD: u8 = 0x10;
const RANKED: u8 = 0x12;
const ENTRY: u8 = 0x13;

/// Turns a bit over in the first row of a student's that begins so, and in nothing else: every page is whole.
async fn spoil(bench: &mut Bench, student: &str, name: &str, kind: u8, tail: &[u8]) {
    const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
    bench.stop().await;
    let partition = format!("{}/{student}", bench.tenant);
    let start = [
        partition.as_bytes(),
        &[0],
        name.as_bytes(),
        &[0, kind],
        tail,
    ]
    .concat();
    let database = Database::open(bench.home.embedded_options().unwrap().path).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut rows = transaction.open_table(ROWS).unwrap();
        let (key, mut value) = {
            let mut range = rows.range(start.as_slice()..).unwrap();
            let (key, value) = range.next().unwrap().unwrap();
            (key.value().to_vec(), value.value().to_vec())
        };
        assert!(key.starts_with(&start), "{name} has no such row");
        *value.last_mut().unwrap() ^= 0x01;
        rows.insert(key.as_slice(), value.as_slice()).unwrap();
    }
    transaction.commit().unwrap();
    drop(database);
    bench.reopen().await;
}

#[tokio::test]
async fn one_bit_is_told_by_the_kind_of_the_record() {
    let mut bench = Bench::new(Kind::Embedded, "bits").await;
    let (ada, bob) = (bench.student("ada"), bench.student("bob"));
    for student in [&ada, &bob] {
        make_thread(bench.sessions(), student, "t1").await;
        take_full_turn(bench.sessions(), student, "t1", "k").await;
    }
    let corrupted = |record| SessionError::RecordCorrupted { record };

    spoil(
        &mut bench,
        "ada",
        "idempotency:tutor:k",
        FIELD,
        b"fingerprint",
    )
    .await;
    let begun = bench.sessions().begin_turn(&ada, begin("t1", "k")).await;
    assert_eq!(refused(begun), corrupted("idempotency_entry"));
    spoil(&mut bench, "ada", "timeline:t1", ENTRY, b"").await;
    let read = bench.sessions().get_thread(&ada, TUTOR, "t1", 0, 10).await;
    assert_eq!(refused(read), corrupted("message"));
    let snapshot = format!("snapshot:{COURSE}");
    spoil(&mut bench, "ada", &snapshot, FIELD, b"turn").await;
    let read = bench.sessions().get_snapshot(&ada, COURSE).await;
    assert_eq!(refused(read), corrupted("turn_state"));
    for field in ["kept", "kind", "count"] {
        spoil(&mut bench, "ada", "thread:t1", FIELD, field.as_bytes()).await;
        let read = bench.sessions().get_thread(&ada, TUTOR, "t1", 0, 10).await;
        assert_eq!(refused(read), corrupted("thread"));
        if field != "count" {
            // The bit turned back: it is what was written again.
            spoil(&mut bench, "ada", "thread:t1", FIELD, field.as_bytes()).await;
        }
    }

    // What is damaged goes with the rest, and the archive says how much it lacks.
    let report = bench.reset().await;
    assert_eq!((report.threads, report.unreadable), (2, 2));
    let turns = |body: &serde_json::Value| body["messages"].as_array().unwrap().len();
    let mut archived: Vec<_> = bench.archived().iter().map(turns).collect();
    archived.sort_unstable();
    assert_eq!(archived, [1, 2]);

    spoil(&mut bench, "bob", "threads:tutor", RANKED, b"").await;
    let listed = bench.sessions().list_threads(&bob, TUTOR, None, 10).await;
    assert_eq!(refused(listed), corrupted("index"));
}
