//! The embedded store gives room back: its file becomes shorter after much was removed, and loses nothing by it.

use std::{fs, path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{task::JoinSet, time::timeout};
use turnwise_kit::{Clock, clock::ManualClock};
use turnwise_session_store::{
    Applied, Found, Outcome, Partition, Read, Store, Transaction, Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};

use crate::bench::{append, expire, named, student, when};

/// How long a test waits for a shorter file.
const BOUND: Duration = Duration::from_secs(60);
const RECORDS: usize = 64;
const BYTES: usize = 64 * 1024;
/// How many callers write while rows are copied, and how often.
const CALLERS: usize = 4;
const WRITES: usize = 200;

struct Room {
    directory: tempfile::TempDir,
    clock: Arc<ManualClock>,
    store: Option<Arc<EmbeddedStore>>,
}

impl Room {
    fn new() -> Self {
        let mut room = Self {
            directory: tempfile::tempdir().unwrap(),
            clock: Arc::new(ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap())),
            store: None,
        };
        room.reopen();
        room
    }

    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("store.redb")
    }

    fn store(&self) -> Arc<EmbeddedStore> {
        Arc::clone(self.store.as_ref().unwrap())
    }

    fn reopen(&mut self) {
        self.store = None;
        let options = EmbeddedOptions {
            path: self.path(),
            fsync: true,
        };
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        self.store = Some(Arc::new(EmbeddedStore::open(&options, clock).unwrap()));
    }

    /// Records of four megabytes in all; how long the file is then.
    async fn fill(&self, partition: &Partition) -> u64 {
        for number in 0..RECORDS {
            let filled = Write::Put {
                key: named(&format!("r{number}")),
                fields: vec![("f".into(), text(number))],
            };
            applied(&self.store(), partition, when([], [filled])).await;
        }
        let long = length(&self.path());
        assert!(long > (RECORDS * BYTES) as u64);
        long
    }

    /// Waits until the file is so short.
    async fn becomes_shorter_than(&self, wanted: u64) {
        let look = async {
            while length(&self.path()) >= wanted {
                tokio::task::yield_now().await;
            }
        };
        if timeout(BOUND, look).await.is_err() {
            panic!("the file has {} bytes still", length(&self.path()));
        }
    }
}

async fn applied(
    store: &EmbeddedStore,
    partition: &Partition,
    transaction: Transaction,
) -> Applied {
    match store.transact(partition, transaction).await.unwrap() {
        Outcome::Applied(applied) => applied,
        refused @ Outcome::Refused(_) => panic!("{refused:?}"),
    }
}

async fn find(store: &EmbeddedStore, partition: &Partition, read: Read) -> Found {
    let transaction = Transaction {
        reads: vec![read],
        ..Transaction::default()
    };
    applied(store, partition, transaction).await.found.remove(0)
}

async fn entries(store: &EmbeddedStore, partition: &Partition) -> Vec<(i64, Bytes)> {
    let read = Read::LogAfter {
        key: named("l"),
        after: 0,
        limit: usize::MAX,
    };
    match find(store, partition, read).await {
        Found::Entries(entries) => entries,
        other => panic!("{other:?}"),
    }
}

/// What nothing else says.
fn text(number: usize) -> Bytes {
    let line = format!("this is record {number}. ");
    line.repeat(BYTES / line.len()).into()
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

fn all_removed() -> Transaction {
    let removed = (0..RECORDS).map(|number| Write::Remove {
        key: named(&format!("r{number}")),
    });
    Transaction {
        writes: removed.collect(),
        ..Transaction::default()
    }
}

#[tokio::test]
async fn a_file_becomes_shorter_when_much_was_removed() {
    let mut room = Room::new();
    let (gone, stays) = (student("gone"), student("stays"));
    let long = room.fill(&gone).await;
    applied(&room.store(), &stays, when([], [append("l", &["1", "2"])])).await;
    applied(&room.store(), &gone, all_removed()).await;
    room.becomes_shorter_than(long / 8).await;

    // It goes on, and the log with its next id.
    applied(&room.store(), &stays, when([], [append("l", &["3"])])).await;
    for _ in 0..2 {
        let there = [(1, "1"), (2, "2"), (3, "3")].map(|(id, text)| (id, Bytes::from(text)));
        assert_eq!(entries(&room.store(), &stays).await, there);
        let read = Read::Record { key: named("r0") };
        let found = find(&room.store(), &gone, read).await;
        assert_eq!(found, Found::Record(Vec::new()));
        room.reopen();
    }
}

#[tokio::test]
async fn what_expires_leaves_no_room_behind() {
    let room = Room::new();
    let (gone, stays) = (student("gone"), student("stays"));
    let long = room.fill(&gone).await;
    applied(&room.store(), &stays, when([], [append("l", &["1"])])).await;
    for number in 0..RECORDS {
        let name = format!("r{number}");
        let ends = expire(&name, Duration::from_secs(60));
        applied(&room.store(), &gone, when([], [ends])).await;
    }
    // Nobody writes any more.
    room.clock.advance(61_000_000);
    room.becomes_shorter_than(long / 8).await;
    assert_eq!(entries(&room.store(), &stays).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_while_rows_are_copied_is_there_afterwards() {
    let mut room = Room::new();
    let (gone, kept) = (student("gone"), student("kept"));
    room.fill(&kept).await;
    let long = room.fill(&gone).await;
    applied(&room.store(), &gone, all_removed()).await;
    let new = room.path().with_extension("redb.new");
    let begins = async {
        while !new.exists() {
            tokio::task::yield_now().await;
        }
    };
    timeout(BOUND, begins).await.expect("a new file is begun");
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let store = room.store();
        callers.spawn(async move {
            // Before, among and after the rows that are being copied.
            let partition = student(["a", "gone", "kept", "z"][caller]);
            for number in 0..WRITES {
                let number = number.to_string();
                let entry = append("l", &[&number]);
                applied(&store, &partition, when([], [entry])).await;
            }
            let removed = Write::Remove { key: named("r1") };
            applied(&store, &partition, when([], [removed])).await;
        });
    }
    callers.join_all().await;
    room.becomes_shorter_than(long * 3 / 4).await;
    for _ in 0..2 {
        let store = room.store();
        for partition in ["a", "gone", "kept", "z"] {
            let found = entries(&store, &student(partition)).await;
            let texts: Vec<_> = found.iter().map(|(_, text)| text.clone()).collect();
            let written: Vec<_> = (0..WRITES).map(|n| Bytes::from(n.to_string())).collect();
            assert_eq!(texts, written, "{partition}");
        }
        for number in 0..RECORDS {
            let read = Read::Record {
                key: named(&format!("r{number}")),
            };
            let there = vec![("f".to_owned(), text(number))];
            let expected = if number == 1 { Vec::new() } else { there };
            assert_eq!(find(&store, &kept, read).await, Found::Record(expected));
        }
        drop(store);
        room.reopen();
    }
}
