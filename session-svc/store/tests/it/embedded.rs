//! What only the embedded store can do wrong: files that are in use, damaged or not to be made, and its clocks.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use bytes::Bytes;
use jiff::Timestamp;
use redb::{Database, ReadableDatabase, ReadableTableMetadata, TableDefinition};
use turnwise_embedded_file as file;
use turnwise_kit::{Clock, clock::ManualClock};
use turnwise_session_store::{
    Found, OpenError, Outcome, Read, Store, StoreError, Transaction, Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};

use crate::bench::{
    Bench, Kind, LONG, append, expire, free, held, named, present, put, rank, release, renew,
    student, take, when,
};

fn manual() -> ManualClock {
    ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap())
}

fn clock() -> Arc<ManualClock> {
    Arc::new(manual())
}

/// A clock with a hand of its own for the store's writer, which looks for what has expired whenever it has nothing to do.
struct TwoHands {
    writer: ManualClock,
    others: ManualClock,
}

impl Clock for TwoHands {
    fn now(&self) -> Timestamp {
        match thread::current().name() {
            Some("session-writer") => self.writer.now(),
            _ => self.others.now(),
        }
    }
}

fn open<C: Clock>(path: &Path, clock: &Arc<C>) -> Result<EmbeddedStore, OpenError> {
    let options = EmbeddedOptions {
        path: path.to_owned(),
        fsync: true,
    };
    EmbeddedStore::open(&options, Arc::clone(clock) as Arc<dyn Clock>)
}

async fn write(store: &EmbeddedStore, transaction: Transaction) -> Result<Outcome, StoreError> {
    store.transact(&student("s"), transaction).await
}

#[tokio::test]
async fn a_file_in_use_is_not_opened_twice() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep/er/store.redb");
    let store = open(&path, &clock()).unwrap();
    assert!(matches!(
        open(&path, &clock()),
        Err(OpenError::File(file::OpenError::InUse { path: named })) if named == path
    ));
    drop(store);
    open(&path, &clock()).unwrap();
}

#[tokio::test]
async fn the_file_and_its_folder_are_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("folder");
    let path = folder.join("store.redb");
    open(&path, &clock()).unwrap();
    for (path, mode) in [(&folder, 0o700), (&path, 0o600)] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            mode
        );
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    // Nobody can make a file in a file, not even root.
    let path = file.join("store.redb");
    match open(&path, &clock()) {
        Err(error @ OpenError::File(file::OpenError::Create { .. })) => {
            assert!(error.to_string().contains(path.to_str().unwrap()));
        }
        other => panic!("{:?}", other.err()),
    }
}

#[tokio::test]
async fn a_folder_that_takes_no_writes_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write to every folder");
        return;
    }
    let opened = open(&folder.join("store.redb"), &clock());
    assert!(matches!(
        opened,
        Err(OpenError::File(file::OpenError::Create { .. }))
    ));
}

#[tokio::test]
async fn a_file_that_is_no_store_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.redb");
    let store = open(&path, &clock()).unwrap();
    write(&store, when([], [put("r", &[("a", "1")])]))
        .await
        .unwrap();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..512].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let is_damaged = || {
        let opened = open(&path, &clock());
        matches!(
            opened,
            Err(OpenError::File(file::OpenError::Damaged { .. }))
        )
    };
    assert!(is_damaged());
    fs::write(&path, "this is no store").unwrap();
    assert!(is_damaged());
    // It is left as it is.
    assert_eq!(fs::read(&path).unwrap(), b"this is no store");
}

#[tokio::test(start_paused = true)]
async fn leases_follow_the_runtimes_time_to_the_moment() {
    let bench = Bench::new(Kind::Embedded).await;
    let ttl = Duration::from_secs(30);
    let token = bench.write([take("e", ttl, "me")]).await.token.unwrap();
    tokio::time::advance(ttl - Duration::from_millis(1)).await;
    let refused = bench.refuse(when([free("e")], [])).await;
    assert_eq!(refused.lease_remainder, Some(Duration::from_millis(1)));
    bench
        .apply(when([held("e", token)], [renew("e", ttl)]))
        .await;
    tokio::time::advance(ttl - Duration::from_millis(1)).await;
    assert!(bench.holds(held("e", token)).await);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(!bench.holds(held("e", token)).await);
    // Too late to write, too.
    let late = when([held("e", token)], [put("r", &[("a", "1")]), release("e")]);
    assert_eq!(bench.refuse(late).await.check, 0);
    assert!(bench.record("r").await.is_empty());
}

#[tokio::test]
async fn leases_end_with_the_process() {
    let mut bench = Bench::new(Kind::Embedded).await;
    let token = bench.write([take("e", LONG, "me")]).await.token.unwrap();
    bench.reopen().await;
    assert!(bench.holds(free("e")).await);
    assert!(!bench.holds(held("e", token)).await);
}

#[tokio::test]
async fn a_clock_that_jumps_loses_nothing_but_what_expired_by_it() {
    let clock = Arc::new(TwoHands {
        writer: manual(),
        others: manual(),
    });
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store.redb"), &clock).unwrap();
    let hour = Duration::from_secs(3600);
    let unseen_by_the_writer = |minutes: i64| clock.others.advance(minutes * 60_000_000);
    let minutes = |minutes: i64| {
        clock.writer.advance(minutes * 60_000_000);
        clock.others.advance(minutes * 60_000_000);
    };
    let there = async |key: &str| {
        let outcome = write(&store, when([present(key)], [])).await.unwrap();
        matches!(outcome, Outcome::Applied(_))
    };
    let writes = [
        put("stays", &[("a", "1")]),
        put("goes", &[("a", "1")]),
        expire("goes", hour),
    ];
    write(&store, when([], writes)).await.unwrap();
    unseen_by_the_writer(1200);
    // Absent for as long as the clock says so, and not removed by looking.
    assert!(!there("goes").await);
    assert!(there("stays").await);
    unseen_by_the_writer(-1200);
    for (jump, value) in [(-600, "2"), (600, "3"), (59, "4")] {
        minutes(jump);
        // A write removes what has expired by the clock, and nothing has.
        let other = when([], [put("other", &[("a", value)])]);
        write(&store, other).await.unwrap();
        assert!(there("goes").await);
        assert!(there("stays").await);
    }
    minutes(2);
    assert!(!there("goes").await);
    assert!(there("stays").await);
    let other = when([], [put("other", &[("a", "2")])]);
    write(&store, other).await.unwrap();
    minutes(-600);
    // Removed for good.
    assert!(!there("goes").await);
    assert!(there("stays").await);
}

#[tokio::test]
async fn what_is_kept_goes_at_the_end_of_a_minute_and_no_sooner() {
    let bench = Bench::new(Kind::Embedded).await;
    let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
    let keep = || Write::Keep {
        key: named("r"),
        after: hour,
    };
    bench.advance(second);
    bench.write([put("r", &[("a", "1")]), keep()]).await;
    bench.advance(58 * second);
    bench.write([keep()]).await;
    bench.advance(hour);
    assert!(bench.holds(present("r")).await);
    bench.write([keep()]).await;
    bench.advance(hour + second - Duration::from_millis(1));
    assert!(bench.holds(present("r")).await);
    bench.advance(Duration::from_millis(1));
    assert!(!bench.holds(present("r")).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_expired_is_removed_from_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.redb");
    let clock = clock();
    let store = open(&path, &clock).unwrap();
    let mut writes = vec![put("stays", &[("a", "1")]), append("l", &["x"; 5000])];
    for number in 0..300 {
        let key = format!("r{number}");
        writes.extend([put(&key, &[("a", "1"), ("b", "2")]), expire(&key, LONG)]);
    }
    writes.extend([rank("k", "m", 1), expire("k", LONG), expire("l", LONG)]);
    write(&store, when([], writes)).await.unwrap();
    drop(store);
    assert!(rows(&path) > 5000 + 600);
    clock.advance(1_000_000_000);
    // Nobody asks for anything: the writer removes it by itself.
    let mut left = u64::MAX;
    for _ in 0..100 {
        let store = open(&path, &clock).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(store);
        left = rows(&path);
        if left == 2 {
            break;
        }
    }
    // The record, and where the log's ids go on.
    assert_eq!(left, 2);
    let store = open(&path, &clock).unwrap();
    write(&store, when([present("stays")], [append("l", &["x"])]))
        .await
        .unwrap();
    drop(store);
    assert_eq!(rows(&path), 3);
}

/// How many rows the file holds.
fn rows(path: &Path) -> u64 {
    let rows: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
    let database = Database::open(path).unwrap();
    let reading = database.begin_read().unwrap();
    reading.open_table(rows).unwrap().len().unwrap()
}

#[tokio::test]
async fn without_fsync_all_is_there_after_an_orderly_end() {
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions {
        path: directory.path().join("store.redb"),
        fsync: false,
    };
    for round in 0..3_i64 {
        let store = EmbeddedStore::open(&options, clock()).unwrap();
        for entry in 0..100 {
            let transaction = when([], [append("l", &[&entry.to_string()])]);
            write(&store, transaction).await.unwrap();
        }
        let read = Read::LogBefore {
            key: named("l"),
            before: i64::MAX,
            limit: 1,
        };
        let transaction = Transaction {
            reads: vec![read],
            ..Transaction::default()
        };
        let Outcome::Applied(applied) = write(&store, transaction).await.unwrap() else {
            panic!("refused")
        };
        let last = Found::Entries(vec![((round + 1) * 100, Bytes::from("99"))]);
        assert_eq!(applied.found, [last]);
    }
}

/// While a transaction reads for long, other tasks of the same thread go on.
async fn holds_nobody_up(store: &EmbeddedStore, transaction: Transaction) {
    let turns = Arc::new(AtomicUsize::new(0));
    let others = tokio::spawn({
        let turns = Arc::clone(&turns);
        async move {
            loop {
                turns.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        }
    });
    let Ok(Outcome::Applied(applied)) = write(store, transaction).await else {
        panic!("nothing was read");
    };
    let during = turns.load(Ordering::Relaxed);
    others.abort();
    match applied.found.as_slice() {
        [Found::Entries(entries)] => assert_eq!(entries.len(), 32),
        other => panic!("{} answers", other.len()),
    }
    assert!(during > 100, "others had {during} turns");
}

#[tokio::test]
async fn a_read_that_takes_long_holds_nobody_up() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store.redb"), &clock()).unwrap();
    let entry = Bytes::from(vec![b'x'; 1 << 20]);
    for _ in 0..4 {
        let entries = Write::Append {
            key: named("log"),
            entries: vec![entry.clone(); 8],
        };
        write(&store, when([], [entries])).await.unwrap();
    }
    let reads = || {
        vec![Read::LogAfter {
            key: named("log"),
            after: 0,
            limit: 100,
        }]
    };
    let look = Transaction {
        reads: reads(),
        ..Transaction::default()
    };
    holds_nobody_up(&store, look).await;
    let begin = Transaction {
        reads: reads(),
        ..when([free("lease")], [take("lease", LONG, "holder")])
    };
    holds_nobody_up(&store, begin).await;
}
