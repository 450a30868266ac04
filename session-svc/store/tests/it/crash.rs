//! The embedded store in a process that is killed, or whose disk is full: the test runs itself again as that process.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader, Write as _},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use bytes::Bytes;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{runtime::Runtime, task::JoinSet};
use turnwise_kit::clock::SystemClock;
use turnwise_session_store::{
    Found, Key, Outcome, Read, Store, StoreError, Transaction, Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};

use crate::bench::{append, named, put, student, when};

/// Tells the process that it is started by one of these tests: what it does, and the folder that it works in.
const ROLE: &str = "TURNWISE_TEST_ROLE";
const FOLDER: &str = "TURNWISE_TEST_FOLDER";
/// How many callers write at once.
const CALLERS: usize = 8;

/// This test again, as another process, behind a shell command that ends with `exec "$0" "$@"`.
fn process(shell: &str, role: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", shell])
        .arg(env::current_exe().unwrap())
        .args([
            "--exact",
            "crash::other_process",
            "--ignored",
            "--nocapture",
        ])
        .env(ROLE, role)
        .env(FOLDER, folder)
        .env("RUST_BACKTRACE", "0");
    command
}

#[test]
#[ignore = "the other process of the tests in this file"]
fn other_process() {
    let Ok(role) = env::var(ROLE) else { return };
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    let runtime = Runtime::new().unwrap();
    match role.as_str() {
        "write" => runtime.block_on(write_until_killed(&folder)),
        "room" => runtime.block_on(make_room_until_killed(&folder)),
        "limit" => runtime.block_on(fill_up(&folder, &mut FileLimit)),
        "disk" => runtime.block_on(fill_up(&folder, &mut SmallDisk)),
        other => panic!("no such role: {other}"),
    }
}

fn open(folder: &Path) -> EmbeddedStore {
    let options = EmbeddedOptions {
        path: folder.join("store.redb"),
        fsync: true,
    };
    EmbeddedStore::open(&options, Arc::new(SystemClock)).unwrap()
}

/// All entries of the log, after making sure that each has its record.
async fn entries(store: &EmbeddedStore, partition: &str) -> Vec<Bytes> {
    let transaction = Transaction {
        reads: vec![
            Read::LogAfter {
                key: named("l"),
                after: 0,
                limit: usize::MAX,
            },
            Read::Record { key: named("r") },
        ],
        ..Transaction::default()
    };
    let outcome = store.transact(&student(partition), transaction).await;
    let Ok(Outcome::Applied(applied)) = outcome else {
        panic!("{outcome:?}")
    };
    let [Found::Entries(entries), Found::Record(fields)] = &applied.found[..] else {
        panic!("{applied:?}")
    };
    for (number, (id, _)) in entries.iter().enumerate() {
        assert_eq!(usize::try_from(*id).unwrap(), number + 1);
    }
    // One field and one entry in each transaction: there is no half of one.
    let names: BTreeSet<_> = fields.iter().map(|(name, _)| name.as_bytes()).collect();
    let logged: BTreeSet<_> = entries.iter().map(|(_, entry)| entry.as_ref()).collect();
    assert_eq!(names, logged);
    entries.iter().map(|(_, entry)| entry.clone()).collect()
}

/// A transaction that leaves its number at two places.
fn numbered(number: &str, size: usize) -> Transaction {
    let filled = Write::Put {
        key: named("r"),
        fields: vec![(number.to_owned().into(), vec![b'x'; size].into())],
    };
    when([], [filled, append("l", &[number])])
}

async fn write_until_killed(folder: &Path) {
    let store = Arc::new(open(folder));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let store = Arc::clone(&store);
        callers.spawn(async move {
            let partition = format!("s{caller}");
            let first = entries(&store, &partition).await.len();
            for number in first.. {
                let transaction = numbered(&number.to_string(), 200);
                let outcome = store.transact(&student(&partition), transaction).await;
                assert!(matches!(outcome, Ok(Outcome::Applied(_))), "{outcome:?}");
                let mut out = std::io::stdout().lock();
                writeln!(out, "ack {caller} {number}").unwrap();
                out.flush().unwrap();
            }
        });
    }
    callers.join_all().await;
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let mut acknowledged = [0_usize; CALLERS];
    for round in 1..=10 {
        let mut child = process(r#"exec "$0" "$@""#, "write", directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acks = 0;
        let mut note = |line: &str| {
            // The test's own words stand before the first one.
            let Some((_, ack)) = line.split_once("ack ") else {
                return false;
            };
            let (caller, number) = ack.split_once(' ').unwrap();
            let (caller, number): (usize, usize) =
                (caller.parse().unwrap(), number.parse().unwrap());
            acknowledged[caller] = acknowledged[caller].max(number + 1);
            true
        };
        while acks < 20 * round {
            let line = lines.next().expect("the process goes on").unwrap();
            acks += usize::from(note(&line));
        }
        // In the middle of whatever it is doing.
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines {
            let line = line.unwrap();
            // The last line may be cut.
            if line.split(' ').count() == 3 && line.starts_with("ack") {
                note(&line);
            }
        }
        runtime.block_on(async {
            let store = open(directory.path());
            for (caller, acknowledged) in acknowledged.iter_mut().enumerate() {
                let found = entries(&store, &format!("s{caller}")).await.len();
                assert!(
                    found >= *acknowledged,
                    "round {round}, caller {caller}: {found} of {acknowledged}"
                );
                *acknowledged = found;
            }
        });
    }
}

/// What stays while room is made: copying it takes many steps.
const KEPT: usize = 128;
const KEPT_BYTES: usize = 64 * 1024;

/// Records that stay or go.
fn many(name: &str, write: impl Fn(Key) -> Write) -> Transaction {
    let keys = (0..KEPT).map(|number| named(&format!("{name}{number}")));
    when([], keys.map(write).collect::<Vec<_>>())
}

fn put_many(name: &str) -> Transaction {
    let text = Bytes::from(name.repeat(KEPT_BYTES / name.len()));
    many(name, |key| Write::Put {
        key,
        fields: vec![("f".into(), text.clone())],
    })
}

async fn make_room_until_killed(folder: &Path) {
    let store = open(folder);
    let apply = async |transaction| {
        let outcome = store.transact(&student("s0"), transaction).await;
        assert!(matches!(outcome, Ok(Outcome::Applied(_))), "{outcome:?}");
    };
    apply(put_many("kept")).await;
    let new = folder.join("store.redb.new");
    let mut number = entries(&store, "s0").await.len();
    loop {
        apply(put_many("gone")).await;
        apply(many("gone", |key| Write::Remove { key })).await;
        while !new.exists() {
            tokio::task::yield_now().await;
        }
        while new.exists() {
            apply(numbered(&number.to_string(), 200)).await;
            println!("ack {number}");
            number += 1;
        }
    }
}

/// How far a process is that makes room, as its files tell.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Begun,
    HalfCopied,
    Replaced,
    Going,
}

impl Stage {
    fn is_reached(self, folder: &Path, file: u64, acks_since: usize) -> bool {
        let new = fs::metadata(folder.join("store.redb.new"));
        let now = fs::metadata(folder.join("store.redb")).map(|file| file.ino());
        let replaced = file != 0 && now.is_ok_and(|now| now != file);
        match self {
            Self::Begun => new.is_ok(),
            Self::HalfCopied => new.is_ok_and(|new| new.len() > (KEPT * KEPT_BYTES / 2) as u64),
            Self::Replaced => replaced,
            Self::Going => replaced && acks_since > 20,
        }
    }
}

#[test]
fn a_kill_while_room_is_made_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let runtime = Runtime::new().unwrap();
    // The file is there, so that its number is known.
    runtime.block_on(async { drop(open(folder)) });
    let mut acknowledged = 0;
    let stages = [
        Stage::Begun,
        Stage::HalfCopied,
        Stage::Replaced,
        Stage::Going,
    ];
    for stage in stages.iter().cycle().take(2 * stages.len()) {
        let file = fs::metadata(folder.join("store.redb")).unwrap().ino();
        let mut child = process(r#"exec "$0" "$@""#, "room", folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (acks, lines) = (Arc::new(AtomicUsize::new(0)), child.stdout.take().unwrap());
        let reader = thread::spawn({
            let acks = Arc::clone(&acks);
            move || {
                for line in BufReader::new(lines).lines().map_while(Result::ok) {
                    // The last line may be cut.
                    if let Some(number) = line.split_once("ack ").and_then(|ack| ack.1.parse().ok())
                    {
                        acks.fetch_max(number, Ordering::SeqCst);
                    }
                }
            }
        });
        let began = acks.load(Ordering::SeqCst);
        while !stage.is_reached(folder, file, acks.load(Ordering::SeqCst) - began) {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        acknowledged = acknowledged.max(acks.load(Ordering::SeqCst));
        runtime.block_on(async {
            let store = open(folder);
            let found = entries(&store, "s0").await.len();
            assert!(
                found >= acknowledged,
                "{stage:?}: {found} of {acknowledged}"
            );
            assert!(!folder.join("store.redb.new").exists(), "{stage:?}");
            let reads = (0..KEPT).map(|number| Read::Record {
                key: named(&format!("kept{number}")),
            });
            let transaction = Transaction {
                reads: reads.collect(),
                ..Transaction::default()
            };
            let outcome = store.transact(&student("s0"), transaction).await;
            let Ok(Outcome::Applied(applied)) = outcome else {
                panic!("{outcome:?}")
            };
            let kept = Bytes::from("kept".repeat(KEPT_BYTES / 4));
            let whole = Found::Record(vec![("f".to_owned(), kept)]);
            assert!(
                applied.found.iter().all(|found| *found == whole),
                "{stage:?}"
            );
        });
    }
}

/// Something that fills up, and has room again.
trait Disk {
    /// Leaves little room.
    fn fill(&mut self, folder: &Path);
    /// Makes much room.
    fn make_room(&mut self, folder: &Path);
}

/// A limit on the length of files.
struct FileLimit;

impl Disk for FileLimit {
    fn fill(&mut self, folder: &Path) {
        let length = fs::metadata(folder.join("store.redb")).unwrap().len();
        let limit = Rlimit {
            current: Some(length + 100_000),
            maximum: getrlimit(Resource::Fsize).maximum,
        };
        setrlimit(Resource::Fsize, limit).unwrap();
    }

    fn make_room(&mut self, _: &Path) {
        let maximum = getrlimit(Resource::Fsize).maximum;
        let limit = Rlimit {
            current: maximum,
            maximum,
        };
        setrlimit(Resource::Fsize, limit).unwrap();
    }
}

/// A small file system, filled by another file.
struct SmallDisk;

impl Disk for SmallDisk {
    fn fill(&mut self, folder: &Path) {
        let mut ballast = fs::File::create(folder.join("ballast")).unwrap();
        while ballast.write_all(&[0; 4096]).is_ok() {}
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length - 200_000).unwrap();
    }

    fn make_room(&mut self, folder: &Path) {
        fs::remove_file(folder.join("ballast")).unwrap();
    }
}

async fn fill_up(folder: &Path, disk: &mut dyn Disk) {
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let store = open(folder);
        disk.fill(folder);
        let mut failed = 0;
        for number in 0.. {
            let name = format!("{round}-{number}");
            let transaction = numbered(&name, 20_000);
            match store.transact(&student("s"), transaction).await {
                Ok(outcome) => {
                    assert!(matches!(outcome, Outcome::Applied(_)));
                    acknowledged.push(Bytes::from(name));
                }
                Err(error) => {
                    assert_eq!(error, StoreError::Full);
                    failed += 1;
                }
            }
            assert!(number < 10_000, "the disk never fills up");
            if failed == 3 {
                break;
            }
            // What is there can be read all the time, and nothing else is there.
            assert_eq!(entries(&store, "s").await, acknowledged);
        }
        disk.make_room(folder);
        // No restart is needed.
        let outcome = store
            .transact(&student("s"), numbered(&format!("{round}"), 20_000))
            .await;
        assert!(matches!(outcome, Ok(Outcome::Applied(_))), "{outcome:?}");
        acknowledged.push(Bytes::from(format!("{round}")));
        assert_eq!(entries(&store, "s").await, acknowledged);
        drop(store);
        assert_eq!(entries(&open(folder), "s").await, acknowledged);
    }
    let outcome = open(folder)
        .transact(&student("other"), when([], [put("r", &[("a", "1")])]))
        .await;
    assert!(outcome.is_ok());
    println!("filled up three times");
}

fn assert_filled_up(mut command: Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("filled up three times"), "{text}");
}

#[test]
fn a_full_disk_is_told_and_the_store_goes_on_once_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    // A file that is too long ends a process, unless it ignores the signal.
    let shell = r#"trap "" XFSZ; exec "$0" "$@""#;
    assert_filled_up(process(shell, "limit", directory.path()));
}

#[test]
fn a_full_file_system_is_told_and_the_store_goes_on_once_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let mount = format!(
        "mount -t tmpfs -o size=16m none '{}'",
        directory.path().display()
    );
    let probe = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &mount])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user may not mount a file system");
        return;
    }
    let inner = format!(r#"{mount} && exec "$0" "$@""#);
    let shell = format!(
        r#"exec unshare --map-root-user --mount sh -c '{}' "$0" "$@""#,
        inner.replace('\'', r"'\''")
    );
    assert_filled_up(process(&shell, "disk", directory.path()));
}
