//! What a class reset costs: 2,000 students with ten conversations each are archived and deleted in batches, while pupils
//! of another class go on taking turns. On the embedded store and on a real Redis.
//!
//! `cargo bench -p turnwise-session-svc --bench reset`; `-- --students 200` for a smaller class.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use clap::Parser;
use futures_util::{StreamExt, stream};
use hdrhistogram::Histogram;
use prost::Message;
use tokio::time::Instant;
use turnwise_kit::{Kit, time};
use turnwise_proto::{
    session::v1::{MemoryTurn, ThreadKind},
    tutor::v1::{Role, Thread, TutorMessage},
};
use turnwise_session_archive::verify_dir;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    Settings,
    sessions::{
        Idempotency, Sessions,
        audit::Actor,
        threads::NewThread,
        turns::{BeginTurn, Begun, Carry, CommitTurn},
    },
};
use turnwise_testing::{
    figure::{Bound, figure},
    redis::{RedisServer, ServerOptions},
};

const COURSE: &str = "algebra";
const CONVERSATIONS: usize = 10;
const NEIGHBOURS: usize = 8;
const AT_ONCE: usize = 64;
const SAID: &str =
    "I think that 3(6n + 7) is 18n + 7, because the three only goes with the first one, right?";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let students = arguments
        .iter()
        .position(|argument| argument == "--students")
        .and_then(|at| arguments.get(at + 1)?.parse().ok())
        .unwrap_or(2000);

    let folder = tempfile::tempdir().unwrap();
    let location = format!("embedded:{}", folder.path().join("session.redb").display());
    run("embedded", &location, folder.path(), students).await;

    let folder = tempfile::tempdir().unwrap();
    let server = RedisServer::start_with(&ServerOptions::default().persistent()).unwrap();
    run("redis", &server.url(), folder.path(), students).await;
}

async fn run(name: &str, location: &str, folder: &Path, students: usize) {
    let archives = folder.join("archives");
    let archive_dir = archives.display().to_string();
    let cli = Cli::try_parse_from([
        "session-svc",
        "--session-store",
        location,
        "--helper-class-reset-archive-dir",
        &archive_dir,
    ])
    .unwrap();
    let kit = Kit::for_tests();
    let sessions = cli.settings.open(&kit).await.unwrap();

    let began = Instant::now();
    let names = (0..students).flat_map(|s| (0..CONVERSATIONS).map(move |c| (s, c)));
    stream::iter(names)
        .for_each_concurrent(AT_ONCE, |(s, c)| {
            let sessions = &sessions;
            async move {
                let student = student(&format!("student-{s}"));
                let thread = format!("student-{s}-{c}");
                open(sessions, &student, "7b", &thread).await;
                turn(sessions, &student, &thread, 0).await;
            }
        })
        .await;
    println!(
        "{name}: {} conversations of {students} students made in {:.1} s",
        students * CONVERSATIONS,
        began.elapsed().as_secs_f64()
    );

    let stop = Arc::new(AtomicBool::new(false));
    let quiet = neighbours(&sessions, "quiet", Arc::clone(&stop));
    tokio::time::sleep(Duration::from_secs(3)).await;
    stop.store(true, Ordering::Relaxed);
    show(name, "turns of another class before", &quiet.await.unwrap());

    let stop = Arc::new(AtomicBool::new(false));
    let busy = neighbours(&sessions, "busy", Arc::clone(&stop));
    fs::write("/proc/self/clear_refs", "5").ok();
    let before = memory("VmRSS");
    let began = Instant::now();
    let actor = Actor {
        tenant: "default".to_owned(),
        id: "ms-hopper".to_owned(),
    };
    let report = sessions
        .reset_class(
            &actor,
            "7b",
            "a new term",
            &idempotency("reset".to_owned()),
            Duration::from_secs(600),
        )
        .await
        .unwrap();
    let took = began.elapsed();
    let peak = memory("VmHWM");
    stop.store(true, Ordering::Relaxed);
    show(
        name,
        "turns of another class meanwhile",
        &busy.await.unwrap(),
    );

    assert_eq!(report.conversations, (students * CONVERSATIONS) as i64);
    let size: u64 = fs::read_dir(&archives)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    let verifying = Instant::now();
    let verified = verify_dir(&archives).unwrap();
    assert!(
        verified
            .archives
            .iter()
            .all(|(_, found)| found.as_ref().unwrap().is_intact())
    );
    println!(
        "{name}: reset of {} conversations in {} batches: {:.2} s, archive of {:.1} MB verified in {:.2} s, memory {:.0} MB before and {:.0} MB at most",
        report.conversations,
        report.batches,
        took.as_secs_f64(),
        size as f64 / 1e6,
        verifying.elapsed().as_secs_f64(),
        before,
        peak,
    );
    let seconds = took.as_secs_f64();
    figure(
        &format!("class_reset_seconds_{name}"),
        seconds,
        Bound::Report,
    );
    figure(
        &format!("class_reset_extra_mb_{name}"),
        peak - before,
        Bound::Report,
    );
    kit.shutdown.cancel();
}

fn show(name: &str, what: &str, turns: &Histogram<u64>) {
    println!(
        "{name}: {what}: {} turns, p50 {:.2} ms, p99 {:.2} ms",
        turns.len(),
        turns.value_at_quantile(0.5) as f64 / 1e3,
        turns.value_at_quantile(0.99) as f64 / 1e3,
    );
}

/// Pupils of another class who take one turn after another; answers how long each took, in microseconds.
fn neighbours(
    sessions: &Sessions,
    name: &'static str,
    stop: Arc<AtomicBool>,
) -> tokio::task::JoinHandle<Histogram<u64>> {
    let sessions = sessions.clone();
    tokio::spawn(async move {
        let mut all = Histogram::new(3).unwrap();
        let parts = stream::iter(0..NEIGHBOURS)
            .map(|n| neighbour(&sessions, format!("{name}-{n}"), &stop))
            .buffer_unordered(NEIGHBOURS)
            .collect::<Vec<_>>()
            .await;
        for part in parts {
            all.add(part).unwrap();
        }
        all
    })
}

async fn neighbour(sessions: &Sessions, name: String, stop: &AtomicBool) -> Histogram<u64> {
    let student = student(&name);
    open(sessions, &student, "8a", &name).await;
    let mut took = Histogram::new(3).unwrap();
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        turn(sessions, &student, &name, count).await;
        took.record(began.elapsed().as_micros() as u64).unwrap();
        count += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    took
}

fn student(name: &str) -> StudentKey {
    StudentKey {
        tenant: "default".to_owned(),
        student: name.to_owned(),
    }
}

fn idempotency(key: String) -> Idempotency {
    Idempotency {
        key,
        body_hash: Bytes::from_static(&[7; 32]),
    }
}

async fn open(sessions: &Sessions, student: &StudentKey, class_id: &str, thread_id: &str) {
    let now = Some(time::to_proto(jiff::Timestamp::now()));
    let thread = Thread {
        thread_id: thread_id.to_owned(),
        course_id: COURSE.to_owned(),
        class_id: class_id.to_owned(),
        title: "Homework".to_owned(),
        create_time: now,
        update_time: now,
        message_count: 0,
    };
    let new = NewThread {
        thread,
        kind: ThreadKind::Helper,
        procedure: None,
        idempotency: idempotency(format!("make-{thread_id}")),
    };
    sessions.create_thread(student, new).await.unwrap();
}

async fn turn(sessions: &Sessions, student: &StudentKey, thread_id: &str, count: usize) {
    let begin = BeginTurn {
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        kind: ThreadKind::Helper,
        idempotency: idempotency(format!("{thread_id}-{count}")),
        history_limit: 6,
        memory_scope: Bytes::from_static(&[1; 32]),

        in_background: false,
    };
    let Begun::Started(start) = sessions.begin_turn(student, begin).await.unwrap() else {
        panic!("every turn has a key of its own");
    };
    let first = start.thread.unwrap().message_count + 1;
    let message = |id: i64, role: Role| TutorMessage {
        id,
        thread_id: thread_id.to_owned(),
        role: role.into(),
        text: SAID.to_owned(),
        ..TutorMessage::default()
    };
    let remembered = |role: Role| MemoryTurn {
        role: role.into(),
        text: SAID.to_owned(),
    };
    let commit = CommitTurn {
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        fencing_token: start.fencing_token,
        idempotency: idempotency(format!("{thread_id}-{count}")),
        carry: Carry::decode(start.carry).unwrap(),
        turn_state: None,
        target_locked: false,
        messages: vec![
            message(first, Role::User),
            message(first + 1, Role::Assistant),
        ],
        answer: Bytes::from(SAID.repeat(4)),
        memory_turns: vec![remembered(Role::User), remembered(Role::Assistant)],
        pending_change: None,
        escalation: None,
        events: Vec::new(),
        turn_log: None,
        alert: None,
        activity: None,
        overlay: None,
    };
    sessions.commit_turn(student, commit).await.unwrap();
}

/// A line of this process's status, in megabytes.
fn memory(line: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let found = status.lines().find(|l| l.starts_with(line)).unwrap();
    let kilobytes: f64 = found.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes / 1024.0
}
