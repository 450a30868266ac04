//! The embedded store in a process that is killed, or whose disk is full: the test runs itself again as that process.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use bytes::Bytes;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{runtime::Runtime, task::JoinSet};
use turnwise_kit::clock::SystemClock;
use turnwise_session_store::{
    Found, Outcome, Read, Store, StoreError, Transaction, Write,
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
