//! What a student costs in Redis' memory: one who rests, with twelve units touched and all threads past their time; and
//! each turn of history.
//!
//! `cargo bench -p turnwise-session-svc --bench memory`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use bytes::Bytes;
use clap::Parser;
use prost::Message;
use prost_types::Timestamp;
use turnwise_kit::Kit;
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{
        ConfusionTag, DrillCounters, Evidence, MappedUnit, MemoryTurn, NewEvent, PassedByTier,
        QuestionRecord, ThreadKind, TurnAnalysis, TurnLog, TurnState, UnitProgress,
    },
    tutor::v1::{Role, Thread, TutorMessage},
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    Settings,
    sessions::{
        Idempotency, Sessions,
        evidence::CommitEvidence,
        threads::NewThread,
        turns::{BeginTurn, Begun, Carry, CommitTurn},
    },
};
use turnwise_testing::{
    figure::{Bound, figure},
    redis::{RedisServer, Value},
};

const STUDENTS: i64 = 1000;
const TURNS: i64 = 200;
const UNITS: i64 = 12;
const NOW: Timestamp = Timestamp {
    seconds: 1_767_225_600,
    nanos: 123_456_000,
};
/// What compression leaves of a turn's log, as docs/figures.md has it.
const FACTS: usize = 430;
const TEXT: usize = 960;
const SAID: &str =
    "I think that 3(6n + 7) is 18n + 7, because the three only goes with the first one, right?";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() {
    let server = RedisServer::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let archives = folder.path().join("archives").display().to_string();
    let cli = Cli::try_parse_from([
        "session-svc",
        "--session-store",
        &server.url(),
        "--helper-class-reset-archive-dir",
        &archives,
    ])
    .unwrap();
    let kit = Kit::for_tests();
    let sessions = cli.settings.open(&kit).await.unwrap();
    // Scripts and connections are there before the first measurement.
    learn(&sessions, &student(-1)).await;
    forget(&server);

    let before = used(&server);
    for number in 0..STUDENTS {
        learn(&sessions, &student(number)).await;
    }
    forget(&server);
    let each = (used(&server) - before) / STUDENTS;
    figure(
        "redis_bytes_per_idle_student",
        each as f64,
        Bound::AtMost(4096.0),
    );

    let ada = student(-1);
    make_thread(&sessions, &ada).await;
    take_turn(&sessions, &ada, "first").await;
    let before = used(&server);
    for number in 0..TURNS {
        take_turn(&sessions, &ada, &format!("turn-{number:0>31}")).await;
    }
    let each = (used(&server) - before) / TURNS;
    figure("redis_bytes_per_turn", each as f64, Bound::Report);
}

fn student(number: i64) -> StudentKey {
    StudentKey {
        tenant: "school".to_owned(),
        student: format!("student-{number:0>8}"),
    }
}

/// Bytes that nothing makes fewer.
fn noise(length: usize) -> Bytes {
    let random = std::iter::repeat_with(uuid::Uuid::new_v4).flat_map(uuid::Uuid::into_bytes);
    random.take(length).collect()
}

/// What the server holds, in bytes.
fn used(server: &RedisServer) -> i64 {
    let memory = server.command(&["INFO", "memory"]).unwrap().text();
    let used = memory
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    used.unwrap().parse().unwrap()
}

/// Lets everything end that ends by itself some time.
fn forget(server: &RedisServer) {
    let keys = server.command(&["KEYS", "turnwise:*"]).unwrap();
    for key in keys.items().iter().map(Value::text) {
        if server.command(&["PTTL", &key]).unwrap().int() > Some(0) {
            server.command(&["DEL", &key]).unwrap();
        }
    }
}

/// A turn, and evidence in twelve units.
async fn learn(sessions: &Sessions, student: &StudentKey) {
    make_thread(sessions, student).await;
    take_turn(sessions, student, "turn").await;
    let questions = (0..UNITS).map(|unit| QuestionRecord {
        question_id: format!("ALG-{unit:0>2}-B-01"),
        state: QuestionState::Passed.into(),
        locked_until: None,
        support_viewed: false,
    });
    let evidence = Evidence {
        unit_progress: (0..UNITS).map(progress).collect(),
        units_in_progress: (0..6).map(unit_id).collect(),
        exam_touched: questions.clone().map(|q| q.question_id).collect(),
        ..Evidence::default()
    };
    let commit = CommitEvidence {
        course_id: "algebra".to_owned(),
        expected_version: 0,
        evidence,
        question_records: questions.collect(),
        idempotency: idempotency("evidence"),
        drill: None,
        answer: Bytes::from(vec![b'x'; 600]),
        graded: None,
        counted: None,
    };
    sessions.commit_evidence(student, commit).await.unwrap();
}

fn unit_id(number: i64) -> String {
    format!("ALG-{number:0>2}")
}

fn progress(number: i64) -> UnitProgress {
    let tag = |tag: &str| ConfusionTag {
        tag: tag.to_owned(),
        count: 3,
    };
    UnitProgress {
        unit_id: unit_id(number),
        mastery_tier: 2,
        last_touched_at: Some(NOW),
        drill: Some(DrillCounters {
            attempts: 12,
            correct: 9,
            streak_correct: 3,
            streak_wrong: 0,
        }),
        passed_by_tier: Some(PassedByTier {
            bronze: 5,
            silver: 2,
            gold: 1,
        }),
        confusion_tags: vec![tag("sign-error"), tag("distributes-once")],
        counted_exercises: (1..=12).collect(),
    }
}

fn idempotency(key: &str) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        body_hash: Bytes::from_static(&[7; 32]),
    }
}

async fn make_thread(sessions: &Sessions, student: &StudentKey) {
    let thread = Thread {
        thread_id: format!("{:0>36}", student.student),
        course_id: "algebra".to_owned(),
        class_id: "7b".to_owned(),
        title: "Terms and brackets".to_owned(),
        create_time: Some(NOW),
        update_time: Some(NOW),
        message_count: 0,
    };
    let new = NewThread {
        thread,
        kind: ThreadKind::Tutor,
        procedure: None,
        idempotency: idempotency(&uuid::Uuid::new_v4().to_string()),
    };
    sessions.create_thread(student, new).await.unwrap();
}

async fn take_turn(sessions: &Sessions, student: &StudentKey, key: &str) {
    let thread_id = format!("{:0>36}", student.student);
    let begin = BeginTurn {
        course_id: "algebra".to_owned(),
        thread_id: thread_id.clone(),
        kind: ThreadKind::Tutor,
        idempotency: idempotency(key),
        history_limit: 8,
        memory_scope: Bytes::from_static(&[1; 32]),

        in_background: false,
    };
    let Begun::Started(start) = sessions.begin_turn(student, begin).await.unwrap() else {
        panic!("a key came twice");
    };
    let first = start.thread.unwrap().message_count + 1;
    let message = |id: i64, role: Role| TutorMessage {
        id,
        thread_id: thread_id.clone(),
        role: role.into(),
        text: SAID.to_owned(),
        create_time: Some(NOW),
        ..TutorMessage::default()
    };
    let remembered = |role: Role| MemoryTurn {
        role: role.into(),
        text: SAID.to_owned(),
    };
    let commit = CommitTurn {
        course_id: "algebra".to_owned(),
        thread_id: thread_id.clone(),
        fencing_token: start.fencing_token,
        idempotency: idempotency(key),
        carry: Carry::decode(start.carry).unwrap(),
        turn_state: Some(TurnState {
            focus_unit_id: unit_id(3),
            target_unit_id: unit_id(3),
            last_turn_analysis: Some(TurnAnalysis {
                mapped_units: (0..3)
                    .map(|number| MappedUnit {
                        unit_id: unit_id(number),
                        confidence: 0.75,
                    })
                    .collect(),
                student_intent: 1,
                understanding_signal: 1,
                suggested_prereq_units: vec![unit_id(1)],
            }),
            last_turn_at: Some(NOW),
        }),
        target_locked: true,
        messages: vec![
            message(first, Role::User),
            message(first + 1, Role::Assistant),
        ],
        answer: SAID.repeat(4).into(),
        memory_turns: vec![remembered(Role::User), remembered(Role::Assistant)],
        overlay: None,
        pending_change: None,
        escalation: None,
        events: vec![NewEvent {
            kind: "turn".to_owned(),
            related_id: key.to_owned(),
            ..NewEvent::default()
        }],
        turn_log: Some(TurnLog {
            turn_id: key.to_owned(),
            facts: noise(FACTS),
            text: noise(TEXT),
            ..TurnLog::default()
        }),
        alert: None,
        activity: None,
    };
    sessions.commit_turn(student, commit).await.unwrap();
}
