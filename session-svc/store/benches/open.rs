//! What the look at every page costs at a start with 100,000 students, beside a plain opening of the same file by redb:
//! `cargo bench -p turnwise-session-store --bench open [-- --quick]`.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use redb::Database;
use tokio::{runtime::Runtime, task::JoinSet, time::Instant};
use turnwise_kit::clock::SystemClock;
use turnwise_session_store::{
    Key, Outcome, Partition, Store, StudentKey, Transaction, Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};
use turnwise_testing::figure::{Bound, figure};

/// Callers that fill the store, side by side.
const CALLERS: usize = 64;
/// What is kept of a student: a thread with some turns, its events and logs, and a snapshot, in bytes each.
const TURNS: usize = 3;
const MESSAGE: usize = 300;
const RECORD: usize = 600;
const KEEP: Duration = Duration::from_secs(24 * 3600);

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let students = if quick { 5_000 } else { 100_000 };
    // On the disk of the build, not on a file system in memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let path = directory.path().join("students.redb");
    let runtime = Runtime::new()?;
    let inside = runtime.enter();
    runtime.block_on(fill(&path, students))?;
    let length = std::fs::metadata(&path)?.len();
    figure("open_file_megabytes", length as f64 / 1e6, Bound::Report);

    let (mut checked, mut plain) = (f64::MAX, f64::MAX);
    for _ in 0..3 {
        let began = Instant::now();
        let store = open(&path)?;
        checked = checked.min(began.elapsed().as_secs_f64());
        drop(store);
        let began = Instant::now();
        let database = Database::open(&path)?;
        plain = plain.min(began.elapsed().as_secs_f64());
        drop(database);
    }
    drop(inside);
    figure("open_100k_students_s", checked, Bound::Report);
    figure("open_100k_students_plain_redb_s", plain, Bound::Report);
    Ok(())
}

fn open(path: &Path) -> Result<EmbeddedStore, Failure> {
    let options = EmbeddedOptions {
        path: path.to_owned(),
        fsync: false,
    };
    Ok(EmbeddedStore::open(&options, Arc::new(SystemClock))?)
}

async fn fill(path: &Path, students: usize) -> Result<(), Failure> {
    let store = Arc::new(open(path)?);
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let store = Arc::clone(&store);
        callers.spawn(async move {
            for student in (caller..students).step_by(CALLERS) {
                let partition = Partition::student(&StudentKey {
                    tenant: "school".to_owned(),
                    student: format!("student-{student}"),
                });
                match store.transact(&partition, kept()).await? {
                    Outcome::Applied(_) => {}
                    Outcome::Refused(refused) => return Err(format!("{refused:?}").into()),
                }
            }
            Ok::<(), Failure>(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done??;
    }
    Ok(())
}

/// All that is kept of one student.
fn kept() -> Transaction {
    let put = |key: &str, fields: &[&'static str]| Write::Put {
        key: Key::new(key),
        fields: fields
            .iter()
            .map(|field| {
                (
                    (*field).into(),
                    Bytes::from(vec![b'r'; RECORD / fields.len()]),
                )
            })
            .collect(),
    };
    let append = |key: &str| Write::Append {
        key: Key::new(key),
        entries: vec![Bytes::from(vec![b'm'; MESSAGE]); 2 * TURNS],
    };
    let mut writes = vec![
        put(
            "thread:1",
            &["record", "count", "updated", "kept", "kind", "class"],
        ),
        put("snapshot:maths", &["turn", "evidence", "version"]),
        append("timeline:1"),
        append("events:1"),
        Write::Rank {
            key: Key::new("threads"),
            member: "1".to_owned(),
            score: 1,
        },
    ];
    for turn in 0..TURNS {
        for key in [format!("answer:tutor:{turn}"), format!("turn:{turn}")] {
            writes.push(put(&key, &["outcome"]));
            writes.push(Write::Expire {
                key: Key::new(key),
                after: KEEP,
            });
        }
    }
    Transaction {
        writes,
        ..Transaction::default()
    }
}
