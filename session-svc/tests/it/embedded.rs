//! What the service has of its own over an embedded store: what runs out is no longer in the file, and rows that are not
//! what was written are told by the kind of their record.

use std::time::Duration;

use redb::{Database, ReadableTable, TableDefinition};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{error::SessionError, sessions::turns::Begun};
use uuid::Uuid;

use crate::bench::{
    ANSWERS, Bench, COURSE, Kind, THREADS, TURN_LOGS, TUTOR, begin, commit, full_commit,
    make_thread, one_more, refused, started, take_full_turn, take_turn,
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

/// Turns of some 40 kB each that nothing makes shorter; how long the file is then.
async fn take_long_turns(bench: &Bench, student: &StudentKey, thread: &str) -> u64 {
    let sessions = bench.sessions();
    make_thread(sessions, student, thread).await;
    for number in 0..80 {
        let key = format!("{thread}-{number}");
        let start = started(sessions, student, begin(thread, &key)).await;
        let mut turn = full_commit(&start, &key, &key);
        let noise: Vec<u8> = (0..2500)
            .flat_map(|_| Uuid::new_v4().into_bytes())
            .collect();
        turn.turn_log.as_mut().unwrap().text = noise.into();
        sessions.commit_turn(student, turn).await.unwrap();
    }
    bench.file_length()
}

async fn becomes_shorter_than(bench: &Bench, wanted: u64) {
    let look = async {
        while bench.file_length() >= wanted {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), look)
        .await
        .is_err()
    {
        panic!("the file has {} bytes still", bench.file_length());
    }
}

#[tokio::test]
async fn the_file_is_shorter_after_the_time_of_turn_logs() {
    let mut bench = Bench::new(Kind::Embedded, "room").await;
    let ada = bench.student("ada");
    let long = take_long_turns(&bench, &ada, "t1").await;
    bench.clock.advance(TURN_LOGS);
    take_full_turn(bench.sessions(), &ada, "t1", "new").await;
    // An open store waits between two new files, ten times as long as one takes, and it may have made one just now.
    bench.reopen().await;
    becomes_shorter_than(&bench, long / 4).await;
    for _ in 0..2 {
        let sessions = bench.sessions();
        let page = sessions
            .get_thread(&ada, TUTOR, "t1", 0, 1000)
            .await
            .unwrap();
        assert_eq!(page.messages.len(), 162);
        assert!(sessions.turn_log(&ada, "turn-new").await.is_ok());
        let gone = sessions.turn_log(&ada, "turn-t1-0").await;
        assert!(
            matches!(gone, Err(SessionError::UnknownTurn { .. })),
            "{gone:?}"
        );
        bench.reopen().await;
    }
}

#[tokio::test]
async fn the_file_is_shorter_after_a_reset_and_after_an_erasure() {
    let mut bench = Bench::new(Kind::Embedded, "room").await;
    let (ada, bob) = (bench.student("ada"), bench.student("bob"));
    take_long_turns(&bench, &ada, "t1").await;
    take_long_turns(&bench, &bob, "t2").await;
    bench.reopen().await;
    let long = bench.file_length();
    let erased = bench
        .sessions()
        .erase_student(bench.actor(), bob, String::new())
        .await;
    assert_eq!(erased.unwrap().threads, 1);
    // As above.
    bench.reopen().await;
    becomes_shorter_than(&bench, long * 3 / 4).await;
    assert!(bench.sessions().turn_log(&ada, "turn-t1-7").await.is_ok());
    bench.reset().await;
    bench.reopen().await;
    becomes_shorter_than(&bench, long / 4).await;
    // The facts stay.
    let log = bench.sessions().turn_log(&ada, "turn-t1-7").await.unwrap();
    assert!(log.erased && log.text.is_empty() && !log.facts.is_empty());
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
    let partition = bench.partition(&bench.student(student)).await;
    bench.stop().await;
    let start = [
        partition.as_str().as_bytes(),
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
    assert_eq!(report.threads, 2);
    assert_eq!(bench.audited().await[0].facts["unreadable_records"], "2");
    let turns = |body: &serde_json::Value| body["messages"].as_array().unwrap().len();
    let mut archived: Vec<_> = bench.archived().iter().map(turns).collect();
    archived.sort_unstable();
    assert_eq!(archived, [1, 2]);

    spoil(&mut bench, "bob", "threads:tutor", RANKED, b"").await;
    let listed = bench.sessions().list_threads(&bob, TUTOR, None, 10).await;
    assert_eq!(refused(listed), corrupted("index"));
}
