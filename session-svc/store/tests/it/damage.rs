//! Bytes that change in the embedded file: nothing wrong is ever served, nothing that is there is missing, and what
//! cannot be known is refused.

use std::{fs, path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use proptest::prelude::*;
use redb::{ReadableDatabase, ReadableTable, TableDefinition};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use turnwise_embedded_file::{Bytes as Column, beside, seal};
use turnwise_kit::clock::ManualClock;
use turnwise_session_store::{
    Applied, Check, DAMAGED, Found, OpenError, Outcome, Read, Store, StoreError, Transaction,
    Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};
use turnwise_testing::damage::{changes_and_swaps, damaged};

use crate::bench::{
    LONG, append, expire, field_is, named, present, put, rank, remove, student, text, trim, when,
};

/// The kinds of rows with a value, as they stand in the file's keys.
const EXPIRY: u8 = 0x01;
const FIELD: u8 = 0x10;
const MEMBER: u8 = 0x11;
const ENTRY: u8 = 0x13;
const HEAD: u8 = 0x14;

const EXPIRIES: TableDefinition<'_, Column, Column> = TableDefinition::new("expiries");
const COUNTERS: TableDefinition<'_, Column, Column> = TableDefinition::new("counters");

fn open(path: &Path) -> Result<EmbeddedStore, OpenError> {
    open_at(path, "2026-01-01T00:00:00Z")
}

fn open_at(path: &Path, now: &str) -> Result<EmbeddedStore, OpenError> {
    let options = EmbeddedOptions {
        path: path.to_owned(),
        fsync: true,
    };
    let clock = ManualClock::new(now.parse().unwrap());
    EmbeddedStore::open(&options, Arc::new(clock))
}

async fn run(
    store: &EmbeddedStore,
    name: &str,
    transaction: Transaction,
) -> Result<Outcome, StoreError> {
    store.transact(&student(name), transaction).await
}

async fn write(store: &EmbeddedStore, name: &str, writes: impl Into<Vec<Write>>) {
    let outcome = run(store, name, when([], writes)).await;
    assert!(matches!(outcome, Ok(Outcome::Applied(_))), "{outcome:?}");
}

async fn read(store: &EmbeddedStore, name: &str, read: Read) -> Result<Found, StoreError> {
    let reads = Transaction {
        reads: vec![read],
        ..Transaction::default()
    };
    match run(store, name, reads).await? {
        Outcome::Applied(Applied { mut found, .. }) => Ok(found.remove(0)),
        Outcome::Refused(refused) => panic!("{refused:?}"),
    }
}

fn record(key: &str) -> Read {
    Read::Record { key: named(key) }
}

fn log(key: &str) -> Read {
    Read::LogAfter {
        key: named(key),
        after: 0,
        limit: usize::MAX,
    }
}

fn ranking(key: &str) -> Read {
    Read::Lowest {
        key: named(key),
        from: i64::MIN,
        to: i64::MAX,
        limit: usize::MAX,
    }
}

/// A file with one student's records, that was closed.
struct File {
    path: std::path::PathBuf,
    _folder: TempDir,
}

impl File {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.redb");
        let store = open(&path).unwrap();
        let writes = [
            put("r", &[("a", "one"), ("b", "two"), ("c", "three")]),
            expire("r", LONG),
            append("l", &["first", "second", "third"]),
            rank("k", "m", 7),
            rank("k", "n", 8),
        ];
        write(&store, "s", writes).await;
        write(&store, "other", [put("r", &[("a", "one")])]).await;
        Self {
            path,
            _folder: folder,
        }
    }

    /// Turns a bit of this value over, or of its key, wherever the file holds it.
    fn spoil(&self, kind: u8, key: &str, tail: &[u8], value: &[u8], in_key: bool) {
        let row = [b"school/s\0", key.as_bytes(), &[0, kind], tail].concat();
        let stored = seal(&[b"rows", &row], value);
        let (wanted, at) = if in_key {
            (&row, row.len() - 1)
        } else {
            (&stored, stored.len() - 1)
        };
        let mut bytes = fs::read(&self.path).unwrap();
        let places: Vec<usize> = (0..bytes.len() - wanted.len())
            .filter(|place| bytes[*place..].starts_with(wanted))
            .collect();
        assert!(!places.is_empty(), "the row is not in the file");
        for place in places {
            bytes[place + at] ^= 0x01;
        }
        fs::write(&self.path, bytes).unwrap();
    }
}

/// A number as it stands in the file.
fn ordered(number: i64) -> [u8; 8] {
    number.wrapping_sub(i64::MIN).to_be_bytes()
}

#[tokio::test]
async fn a_damaged_value_is_told_and_spoils_nothing_else() {
    let file = File::new().await;
    file.spoil(FIELD, "r", b"b", b"two", false);
    file.spoil(ENTRY, "l", &ordered(2), b"second", false);
    let spoilt = fs::read(&file.path).unwrap();
    let store = open(&file.path).unwrap();
    assert_eq!(fs::read(beside(&file.path, "damaged")).unwrap(), spoilt);

    let bytes = |value: &'static [u8]| Bytes::from_static(value);
    let fields = [
        ("a", bytes(b"one")),
        ("b", bytes(DAMAGED)),
        ("c", bytes(b"three")),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(
        read(&store, "s", record("r")).await,
        Ok(Found::Record(fields.into()))
    );
    let entries = [bytes(b"first"), bytes(DAMAGED), bytes(b"third")];
    let entries = (1..).zip(entries).collect();
    assert_eq!(
        read(&store, "s", log("l")).await,
        Ok(Found::Entries(entries))
    );
    // Nothing is decided by it, but that it is damaged still.
    let needing = StoreError::Damaged { key: named("r") };
    for value in [Some("two"), Some("other"), None] {
        let check = field_is("r", "b", value, &[]);
        let decided = run(&store, "s", when([check], [remove("r")])).await;
        assert_eq!(decided, Err(needing.clone()));
    }
    let fence = Check::FenceBelow {
        key: named("r"),
        field: "b",
        token: 1,
    };
    assert_eq!(run(&store, "s", when([fence], [])).await, Err(needing));
    let still = Check::FieldIs {
        key: named("r"),
        field: "b",
        value: Some(bytes(DAMAGED)),
        tell: Vec::new(),
    };
    let replaced = when([still.clone(), present("r")], [put("r", &[("b", "new")])]);
    assert!(matches!(
        run(&store, "s", replaced).await,
        Ok(Outcome::Applied(_))
    ));
    let Ok(Outcome::Refused(_)) = run(&store, "s", when([still], [])).await else {
        panic!("it is damaged no more")
    };
    drop(store);
    // The rows are all there for the next start, too.
    let store = open(&file.path).unwrap();
    let told = Read::Fields {
        key: named("r"),
        fields: vec!["b".into()],
    };
    assert_eq!(
        read(&store, "s", told).await,
        Ok(Found::Fields(vec![text("new")]))
    );
}

#[tokio::test]
async fn what_stands_twice_is_restored() {
    let file = File::new().await;
    let expires = 1_767_225_600_000 + i64::try_from(LONG.as_millis()).unwrap();
    file.spoil(EXPIRY, "r", &[], &ordered(expires), false);
    file.spoil(MEMBER, "k", b"m", &ordered(7), false);
    let head = [&ordered(3)[..], &[1]].concat();
    file.spoil(HEAD, "l", &[], &head, false);
    let store = open(&file.path).unwrap();
    let writes = [
        append("l", &["fourth"]),
        rank("k", "m", 9),
        expire("r", LONG),
    ];
    write(&store, "s", writes).await;
    let Ok(Found::Entries(entries)) = read(&store, "s", log("l")).await else {
        panic!("a log")
    };
    assert_eq!(entries[3], (4, Bytes::from("fourth")));
    let members = [("n", 8), ("m", 9)].map(|(member, score)| (member.to_owned(), score));
    assert_eq!(
        read(&store, "s", ranking("k")).await,
        Ok(Found::Members(members.into()))
    );
}

#[tokio::test]
async fn where_a_log_without_entries_stands_spoils_that_log_alone() {
    let file = File::new().await;
    write(
        &open(&file.path).unwrap(),
        "s",
        [trim("l", 0), expire("l", LONG)],
    )
    .await;
    let head = [&ordered(3)[..], &[1]].concat();
    file.spoil(HEAD, "l", &[], &head, false);
    let spoilt = fs::read(&file.path).unwrap();

    // Before its time has passed and after it.
    for now in ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"] {
        fs::write(&file.path, &spoilt).unwrap();
        let store = open_at(&file.path, now).unwrap();
        // Whether they are one batch or not.
        let put = || when([], [put("r", &[("a", "two")])]);
        let fourth = when([], [append("l", &["fourth"])]);
        let (before, appended, after) = tokio::join!(
            run(&store, "other", put()),
            run(&store, "s", fourth),
            run(&store, "third", put()),
        );
        assert!(before.is_ok() && after.is_ok(), "{before:?}, {after:?}");
        let damaged = StoreError::Damaged { key: named("l") };
        assert_eq!(appended, Err(damaged));
        write(&store, "s", [remove("l"), append("l", &["first again"])]).await;
        let entries = vec![(1, Bytes::from("first again"))];
        assert_eq!(
            read(&store, "s", log("l")).await,
            Ok(Found::Entries(entries))
        );
    }
}

/// The number of the batches that a closed file has seen.
fn batches(path: &Path) -> i64 {
    let database = redb::Database::open(path).unwrap();
    let transaction = database.begin_read().unwrap();
    let counters = transaction.open_table(COUNTERS).unwrap();
    let stored = counters.get(b"batches".as_slice()).unwrap().unwrap();
    let number = stored.value().last_chunk::<8>().unwrap();
    i64::from_be_bytes(*number).wrapping_add(i64::MIN)
}

#[tokio::test]
async fn a_damaged_time_holds_up_neither_the_writer_nor_what_expires_before_it() {
    const WRITES: i64 = 20;
    let file = File::new().await;
    let expires = 1_767_225_600_000 + i64::try_from(LONG.as_millis()).unwrap();
    // Where damage after the start would put it: the pages themselves are whole.
    let database = redb::Database::open(&file.path).unwrap();
    let transaction = database.begin_write().unwrap();
    let row = [&ordered(expires + 1)[..], b"school/s\0k\0"].concat();
    let mut table = transaction.open_table(EXPIRIES).unwrap();
    table.insert(row.as_slice(), b"damaged".as_slice()).unwrap();
    drop(table);
    transaction.commit().unwrap();
    drop(database);

    let before = batches(&file.path);
    let store = open_at(&file.path, "2027-01-01T00:00:00Z").unwrap();
    for _ in 0..WRITES {
        write(&store, "other", [put("r", &[("a", "two")])]).await;
    }
    drop(store);
    // One more if the writer was idle before the first of them.
    let written = batches(&file.path) - before;
    assert!((WRITES..=WRITES + 1).contains(&written), "{written}");
    let database = redb::Database::open(&file.path).unwrap();
    let transaction = database.begin_read().unwrap();
    let table = transaction.open_table(EXPIRIES).unwrap();
    let left = table
        .iter()
        .unwrap()
        .map(|row| row.unwrap().0.value().to_vec());
    assert_eq!(left.collect::<Vec<_>>(), [row]);
}

#[tokio::test]
async fn a_row_that_is_missing_from_its_place_is_refused_at_the_start() {
    for (kind, key, tail, value) in [
        (FIELD, "r", &b"b"[..], &b"two"[..]),
        (ENTRY, "l", &ordered(2), b"second"),
        (MEMBER, "k", b"m", &ordered(7)),
    ] {
        let file = File::new().await;
        file.spoil(kind, key, tail, value, true);
        let spoilt = fs::read(&file.path).unwrap();
        let Err(error) = open(&file.path) else {
            panic!("the file lacks a row")
        };
        let told = error.to_string();
        assert!(told.contains("restore it from a backup"), "{told}");
        assert!(fs::read(&file.path).unwrap() == spoilt, "it stays as it is");
        assert!(!beside(&file.path, "damaged").exists());
    }
}

#[tokio::test]
async fn an_empty_file_is_a_fault_and_no_empty_store() {
    let file = File::new().await;
    fs::write(&file.path, "").unwrap();
    let Err(error) = open(&file.path) else {
        panic!("the file lacks everything")
    };
    assert!(error.to_string().contains("is empty"), "{error}");
    assert_eq!(fs::read(&file.path).unwrap(), b"");
}

const STUDENTS: usize = 12;
const TURNS: usize = 6;

/// What a student's partition holds.
fn expected(number: usize) -> [(Read, Found); 3] {
    let value = |turn: usize| Bytes::from(format!("{number} said {turn}").repeat(1 + turn));
    let fields = [
        ("count".to_owned(), Bytes::from((TURNS - 1).to_string())),
        ("course".to_owned(), Bytes::from(format!("course-{number}"))),
    ];
    let entries = (0..TURNS).map(|turn| (turn as i64 + 1, value(turn)));
    let members = (0..TURNS).map(|turn| (format!("turn-{turn}"), 1000 + turn as i64));
    [
        (record("thread"), Found::Record(fields.into())),
        (log("timeline"), Found::Entries(entries.collect())),
        (ranking("turns"), Found::Members(members.collect())),
    ]
}

/// Turn after turn, so that older pages stand beside newer ones.
async fn fill(store: &EmbeddedStore) {
    for turn in 0..TURNS {
        for number in 0..STUDENTS {
            let Found::Entries(entries) = &expected(number)[1].1 else {
                panic!("a log")
            };
            let course = format!("course-{number}");
            let writes = [
                put(
                    "thread",
                    &[("count", &turn.to_string()), ("course", &course)],
                ),
                expire("thread", LONG + Duration::from_secs(turn as u64)),
                Write::Append {
                    key: named("timeline"),
                    entries: vec![entries[turn].1.clone()],
                },
                rank("turns", &format!("turn-{turn}"), 1000 + turn as i64),
            ];
            write(store, &format!("s{number}"), writes).await;
        }
    }
}

/// Whatever is answered is right, or said to be damaged; nothing is missing; and the store goes on.
async fn assert_nothing_wrong(store: &EmbeddedStore) {
    for number in 0..STUDENTS {
        let name = format!("s{number}");
        for (wanted, right) in expected(number) {
            match (read(store, &name, wanted).await, right) {
                (Ok(Found::Record(found)), Found::Record(right)) => assert_values(found, right),
                (Ok(Found::Entries(found)), Found::Entries(right)) => assert_values(found, right),
                (Ok(Found::Members(found)), Found::Members(right)) => assert_eq!(found, right),
                (Err(StoreError::Damaged { .. }), _) => {}
                (found, right) => panic!("{found:?} is not {right:?}"),
            }
        }
    }
    write(store, "new", [put("r", &[("a", "1")])]).await;
}

fn assert_values<N: PartialEq + std::fmt::Debug>(found: Vec<(N, Bytes)>, right: Vec<(N, Bytes)>) {
    assert_eq!(found.len(), right.len(), "{found:?}");
    for ((name, value), (right_name, right)) in found.into_iter().zip(right) {
        assert_eq!(name, right_name);
        assert!(value == right || value == DAMAGED, "{name:?}: {value:?}");
    }
}

#[test]
fn no_change_of_bytes_is_served_as_truth_ends_the_process_or_loses_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let path = folder.path().join("store.redb");
    // As a process leaves the file that is killed, and as one that ends.
    let [killed, closed] = runtime.block_on(async {
        let store = open(&path).unwrap();
        fill(&store).await;
        let killed = fs::read(&path).unwrap();
        drop(store);
        [killed, fs::read(&path).unwrap()]
    });
    let mut config = ProptestConfig {
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    // Fewer than others: every case opens a file twice.
    config.cases = config.cases.div_ceil(4);
    proptest!(config, |(was_killed: bool, changes in changes_and_swaps())| {
        let whole = if was_killed { &killed } else { &closed };
        let mut bytes = damaged(whole, &changes);
        if was_killed && bytes.len() > 9 {
            // Here one bit alone says which of the last two commits counts: the one that is not found.
            bytes[9] = whole[9];
        }
        fs::write(&path, &bytes).unwrap();
        let _guard = runtime.enter();
        match open(&path) {
            Ok(store) => {
                runtime.block_on(assert_nothing_wrong(&store));
                drop(store);
                runtime.block_on(assert_nothing_wrong(&open(&path).unwrap()));
            }
            Err(error) => {
                prop_assert!(matches!(error, OpenError::File(_)), "{error:?}");
                // Only the page that says how the file was left may be another.
                let left = fs::read(&path).unwrap();
                prop_assert!(left.get(4096..) == bytes.get(4096..));
            }
        }
    });
}
