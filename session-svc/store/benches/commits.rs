//! How many turns the embedded store commits in a second, beside one synced append after another on the same disk, and
//! what a read costs whose rows are in memory:
//! `cargo bench -p turnwise-session-store --bench commits [-- --quick]`.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{runtime::Runtime, task::JoinSet, time::Instant};
use turnwise_kit::clock::SystemClock;
use turnwise_session_store::{
    Check, Key, Outcome, Partition, Read, Store, StudentKey, Transaction, Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
};
use turnwise_testing::figure::{Bound, figure};

/// What a turn writes, in bytes.
const MESSAGE: usize = 300;
const RECORD: usize = 600;
/// How long an answer is kept.
const KEEP: Duration = Duration::from_secs(24 * 3600);
/// How many students a caller works for, one after another.
const STUDENTS: usize = 16;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let measure = Duration::from_millis(if quick { 1000 } else { 5000 });
    // On the disk of the build, not on a file system in memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let runtime = Runtime::new()?;

    let before = appends_per_second(directory.path(), measure)?;
    let mut commits = Vec::new();
    for concurrency in [1, 16, 64] {
        let path = directory.path().join(format!("c{concurrency}.redb"));
        let (rate, mean) = runtime.block_on(commits_per_second(&path, concurrency, measure))?;
        println!("commits at concurrency {concurrency}: {rate:.0}/s, mean {mean:?}");
        commits.push(rate);
    }
    let path = directory.path().join("c1.redb");
    for concurrency in [1, 64] {
        let (rate, mean) = runtime.block_on(reads_per_second(&path, concurrency, measure))?;
        println!("reads at concurrency {concurrency}: {rate:.0}/s, mean {mean:?}");
        figure(
            &format!("embedded_reads_c{concurrency}"),
            rate,
            Bound::Report,
        );
    }
    // The disk is shared with others: what it does now may not be what it did then.
    let after = appends_per_second(directory.path(), measure)?;
    let appends = f64::midpoint(before, after);
    println!("synced appends one after another: {before:.0}/s before, {after:.0}/s after");
    for (rate, concurrency) in commits.iter().zip([1, 16, 64]) {
        figure(
            &format!("embedded_commits_c{concurrency}"),
            *rate,
            Bound::Report,
        );
    }
    figure("synced_appends", appends, Bound::Report);
    let ratio = commits.last().copied().unwrap_or_default() / appends;
    figure("embedded_commits_ratio_c64", ratio, Bound::AtLeast(20.0));
    Ok(())
}

/// The same bytes, appended to a file and synced, one after another.
fn appends_per_second(directory: &Path, measure: Duration) -> Result<f64, Failure> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(directory.join("appends"))?;
    let bytes = vec![b'x'; 2 * MESSAGE + 3 * RECORD];
    let mut count = 0_u32;
    let start = Instant::now();
    while start.elapsed() < measure {
        file.write_all(&bytes)?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

/// Commits by so many callers at once: how many in a second, and how long each takes.
async fn commits_per_second(
    path: &Path,
    concurrency: usize,
    measure: Duration,
) -> Result<(f64, Duration), Failure> {
    let options = EmbeddedOptions {
        path: path.to_owned(),
        fsync: true,
    };
    let store = Arc::new(EmbeddedStore::open(&options, Arc::new(SystemClock))?);
    let commits = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    let warm_up = measure / 4;
    let start = Instant::now();
    for caller in 0..concurrency {
        let store = Arc::clone(&store);
        let commits = Arc::clone(&commits);
        callers.spawn(async move {
            for turn in 0_usize.. {
                let elapsed = start.elapsed();
                if elapsed >= warm_up + measure {
                    break;
                }
                let student = format!("student-{caller}-{}", turn % STUDENTS);
                run_turn(store.as_ref(), &student, turn / STUDENTS).await?;
                if elapsed >= warm_up {
                    commits.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok::<(), Failure>(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done??;
    }
    let took = start.elapsed().saturating_sub(warm_up);
    let count = u32::try_from(commits.load(Ordering::Relaxed))?.max(1);
    let mean = took * u32::try_from(concurrency)? / count;
    Ok((f64::from(count) / took.as_secs_f64(), mean))
}

/// Reads by so many callers at once of what the first callers wrote: how many in a second, and how long each takes.
async fn reads_per_second(
    path: &Path,
    concurrency: usize,
    measure: Duration,
) -> Result<(f64, Duration), Failure> {
    let options = EmbeddedOptions {
        path: path.to_owned(),
        fsync: true,
    };
    let store = Arc::new(EmbeddedStore::open(&options, Arc::new(SystemClock))?);
    let mut callers = JoinSet::new();
    let start = Instant::now();
    for caller in 0..concurrency {
        let store = Arc::clone(&store);
        callers.spawn(async move {
            let mut count = 0_u32;
            while start.elapsed() < measure {
                let turn = usize::try_from(count)?;
                let student = format!("student-0-{}", (caller + turn) % STUDENTS);
                let read = Transaction {
                    reads: vec![
                        Read::Record {
                            key: Key::new("thread/1"),
                        },
                        Read::LogBefore {
                            key: Key::new("thread/1/messages"),
                            before: i64::MAX,
                            limit: 6,
                        },
                    ],
                    ..Transaction::default()
                };
                store.transact(&partition(&student), read).await?;
                count += 1;
                // A read that ends where it was called gives way to nobody.
                tokio::task::yield_now().await;
            }
            Ok::<u32, Failure>(count)
        });
    }
    let mut count = 0;
    while let Some(done) = callers.join_next().await {
        count += done??;
    }
    let took = start.elapsed();
    let mean = took * u32::try_from(concurrency)? / count.max(1);
    Ok((f64::from(count) / took.as_secs_f64(), mean))
}

fn partition(student: &str) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: student.to_owned(),
    })
}

/// Begins a turn, which writes nothing, and commits it.
async fn run_turn(store: &dyn Store, student: &str, turn: usize) -> Result<(), Failure> {
    let partition = partition(student);
    let lease = Key::new("lease/thread-1");
    let begin = Transaction {
        checks: vec![Check::LeaseFree {
            key: lease.clone(),
            or_of: Bytes::new(),
        }],
        writes: vec![Write::TakeLease {
            key: lease.clone(),
            ttl: Duration::from_secs(30),
            holder: Bytes::from_static(b"holder"),
        }],
        reads: Vec::new(),
    };
    let token = match store.transact(&partition, begin).await? {
        Outcome::Applied(applied) => applied.token.ok_or("a lease without a token")?,
        Outcome::Refused(refused) => return Err(format!("{refused:?}").into()),
    };
    let answer = Key::new(format!("answer/{turn}"));
    let put = |key: Key| Write::Put {
        key,
        fields: vec![
            ("v".into(), Bytes::from(vec![b'r'; RECORD])),
            ("n".into(), Bytes::from(turn.to_string())),
        ],
    };
    let commit = Transaction {
        checks: vec![
            Check::Absent {
                key: answer.clone(),
                tell: vec!["v"],
            },
            Check::LeaseHeld {
                key: lease.clone(),
                token,
            },
        ],
        writes: vec![
            Write::Append {
                key: Key::new("thread/1/messages"),
                entries: vec![Bytes::from(vec![b'm'; MESSAGE]); 2],
            },
            put(Key::new("thread/1")),
            put(Key::new("course/1")),
            put(answer.clone()),
            Write::Expire {
                key: answer,
                after: KEEP,
            },
            Write::Rank {
                key: Key::new("threads"),
                member: "thread-1".to_owned(),
                score: i64::try_from(turn)?,
            },
            Write::ReleaseLease { key: lease },
        ],
        reads: Vec::new(),
    };
    match store.transact(&partition, commit).await? {
        Outcome::Applied(_) => Ok(()),
        Outcome::Refused(refused) => Err(format!("{refused:?}").into()),
    }
}
