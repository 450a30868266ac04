//! The few words that tests say to the service.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use bytes::Bytes;
use prost::Message;
use prost_types::Timestamp;
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{
        DrillCounters, Evidence, EvidenceStart, MemoryTurn, NewEvent, QuestionRecord,
        StudentSnapshot, ThreadKind, TurnLog, TurnStart, TurnState, UnitProgress,
    },
    tutor::v1::{Role, Thread, TutorMessage},
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Idempotency, Sessions,
        evidence::{BeginEvidence, CommitEvidence, Drill, EvidenceBegun},
        threads::NewThread,
        turns::{BeginTurn, Begun, Carry, CommitTurn},
    },
};

pub const COURSE: &str = "algebra";
pub const CLASS: &str = "7b";
/// How long tests wait for the end of a reset.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// An idempotency key for a body.
pub fn idempotency(key: &str, body: u8) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        body_hash: Bytes::from(vec![body; 32]),
    }
}

/// A key that no other operation of the run has.
pub fn fresh() -> Idempotency {
    static USED: AtomicU64 = AtomicU64::new(0);
    let number = USED.fetch_add(1, Ordering::Relaxed);
    idempotency(&format!("fresh-{number}"), 1)
}

pub fn at(seconds: i64) -> Timestamp {
    Timestamp { seconds, nanos: 0 }
}

pub fn new_thread(id: &str) -> NewThread {
    NewThread {
        thread: Thread {
            thread_id: id.to_owned(),
            course_id: COURSE.to_owned(),
            class_id: CLASS.to_owned(),
            title: format!("about {id}"),
            create_time: Some(at(100)),
            update_time: Some(at(100)),
            message_count: 0,
        },
        kind: kind_of(id),
        procedure: None,
        idempotency: idempotency(&format!("make-{id}"), 1),
    }
}

pub const TUTOR: ThreadKind = ThreadKind::Tutor;
pub const HELPER: ThreadKind = ThreadKind::Helper;

/// What a thread is for: the ids of a helper's conversations begin with `h`.
pub fn kind_of(thread_id: &str) -> ThreadKind {
    match thread_id.starts_with('h') {
        true => HELPER,
        false => TUTOR,
    }
}

pub async fn make_thread(sessions: &Sessions, student: &StudentKey, id: &str) -> Thread {
    let made = sessions.create_thread(student, new_thread(id)).await;
    made.unwrap()
}

pub fn begin(thread_id: &str, key: &str) -> BeginTurn {
    BeginTurn {
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        kind: kind_of(thread_id),
        idempotency: idempotency(key, 7),
        history_limit: 50,
        memory_scope: Bytes::new(),

        in_background: false,
    }
}

/// The memory of a scope that a test numbers.
pub fn scope(number: u8) -> Bytes {
    Bytes::from(vec![number; 32])
}

/// A turn that uses the memory of a scope.
pub fn begin_in(thread_id: &str, key: &str, number: u8) -> BeginTurn {
    BeginTurn {
        memory_scope: scope(number),
        ..begin(thread_id, key)
    }
}

/// Begins a turn that must start.
pub async fn started(sessions: &Sessions, student: &StudentKey, begin: BeginTurn) -> TurnStart {
    match sessions.begin_turn(student, begin).await.unwrap() {
        Begun::Started(start) => *start,
        Begun::Answered(answer) => panic!("the turn was answered before: {answer:?}"),
    }
}

/// A turn's commit with one question and one answer, as it follows from its start.
pub fn commit(start: &TurnStart, key: &str, text: &str) -> CommitTurn {
    let thread = start.thread.clone().unwrap();
    let first = thread.message_count + 1;
    CommitTurn {
        course_id: thread.course_id,
        fencing_token: start.fencing_token,
        idempotency: idempotency(key, 7),
        carry: Carry::decode(start.carry.clone()).unwrap(),
        turn_state: Some(TurnState {
            focus_unit_id: text.to_owned(),
            target_unit_id: text.to_owned(),
            last_turn_analysis: None,
            last_turn_at: Some(at(200)),
        }),
        target_locked: false,
        messages: vec![
            message(&thread.thread_id, first, Role::User, text),
            message(&thread.thread_id, first + 1, Role::Assistant, text),
        ],
        thread_id: thread.thread_id,
        answer: Bytes::from(format!("answer to {text}")),
        memory_turns: Vec::new(),
        pending_change: None,
        escalation: None,
        events: Vec::new(),
        turn_log: None,
        alert: None,
        activity: None,
        overlay: None,
    }
}

/// The same with all that a turn may leave: memory, an event, a log.
pub fn full_commit(start: &TurnStart, key: &str, text: &str) -> CommitTurn {
    CommitTurn {
        memory_turns: vec![remembered(Role::User, text)],
        events: vec![event("turn", text)],
        turn_log: Some(turn_log(&format!("turn-{key}"), text)),
        ..commit(start, key, text)
    }
}

pub fn remembered(role: Role, text: &str) -> MemoryTurn {
    MemoryTurn {
        role: role.into(),
        text: text.to_owned(),
    }
}

pub fn event(kind: &str, text: &str) -> NewEvent {
    NewEvent {
        kind: kind.to_owned(),
        related_id: "r".to_owned(),
        in_reply_to: "p".to_owned(),
        facts: [("fact".to_owned(), "value".to_owned())].into(),
        text: text.to_owned(),
    }
}

pub fn turn_log(turn_id: &str, text: &str) -> TurnLog {
    TurnLog {
        turn_id: turn_id.to_owned(),
        facts: Bytes::from_static(b"facts"),
        text: Bytes::from(text.to_owned()),
        ..TurnLog::default()
    }
}

pub fn message(thread_id: &str, id: i64, role: Role, text: &str) -> TutorMessage {
    TutorMessage {
        id,
        thread_id: thread_id.to_owned(),
        role: role.into(),
        text: text.to_owned(),
        create_time: Some(at(200)),
        ..TutorMessage::default()
    }
}

/// Begins and commits a turn.
pub async fn take_turn(sessions: &Sessions, student: &StudentKey, thread: &str, key: &str) {
    let start = started(sessions, student, begin(thread, key)).await;
    let turn = commit(&start, key, key);
    sessions.commit_turn(student, turn).await.unwrap();
}

/// Begins and commits a turn with all that one may leave.
pub async fn take_full_turn(sessions: &Sessions, student: &StudentKey, thread: &str, key: &str) {
    let start = started(sessions, student, begin_in(thread, key, 1)).await;
    let turn = full_commit(&start, key, key);
    sessions.commit_turn(student, turn).await.unwrap();
}

/// The texts of a thread's messages.
pub async fn texts(sessions: &Sessions, student: &StudentKey, thread: &str) -> Vec<String> {
    let page = sessions.get_thread(student, kind_of(thread), thread, 0, 1000);
    let page = page.await.unwrap();
    page.messages.into_iter().map(|m| m.text).collect()
}

/// Evidence in which one drill of one unit was tried so often.
pub fn attempts(count: i32) -> Evidence {
    Evidence {
        unit_progress: vec![UnitProgress {
            unit_id: "ALG-01".to_owned(),
            drill: Some(DrillCounters {
                attempts: count,
                ..DrillCounters::default()
            }),
            ..UnitProgress::default()
        }],
        ..Evidence::default()
    }
}

/// How often the drill was tried.
pub fn count_attempts(snapshot: &StudentSnapshot) -> i32 {
    let units = snapshot.evidence.iter().flat_map(|e| &e.unit_progress);
    units.filter_map(|u| u.drill).map(|d| d.attempts).sum()
}

/// The commit of one more attempt, on top of what was read.
pub fn one_more(snapshot: &StudentSnapshot, key: &str) -> CommitEvidence {
    CommitEvidence {
        course_id: COURSE.to_owned(),
        expected_version: snapshot.evidence_version,
        evidence: attempts(count_attempts(snapshot) + 1),
        question_records: Vec::new(),
        idempotency: idempotency(key, 9),
        drill: None,
        answer: Bytes::from(format!("answer to {key}")),
        graded: None,
        counted: None,
    }
}

/// The same for a graded drill.
pub fn graded(snapshot: &StudentSnapshot, key: &str, nonce: &str, verdict: &str) -> CommitEvidence {
    CommitEvidence {
        drill: Some(Drill {
            nonce: nonce.to_owned(),
            verdict: Bytes::from(verdict.to_owned()),
        }),
        ..one_more(snapshot, key)
    }
}

/// Evidence of this thread with this key; [`one_more`] commits it.
pub fn begin_evidence(thread_id: &str, key: &str) -> BeginEvidence {
    BeginEvidence {
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        kind: kind_of(thread_id),
        idempotency: idempotency(key, 9),
        drill_nonce: None,
    }
}

/// Begins evidence that must not be answered yet.
pub async fn evidence_start(
    sessions: &Sessions,
    student: &StudentKey,
    begin: BeginEvidence,
) -> EvidenceStart {
    match sessions.begin_evidence(student, begin).await.unwrap() {
        EvidenceBegun::Started(start) => *start,
        EvidenceBegun::Answered(answer) => panic!("it was answered before: {answer:?}"),
    }
}

/// What the built-in exam system knows; a thread is made to look at it.
pub async fn questions(sessions: &Sessions, student: &StudentKey) -> Vec<QuestionRecord> {
    make_thread(sessions, student, "look").await;
    let start = evidence_start(sessions, student, begin_evidence("look", "look"));
    start.await.question_records
}

/// A question that was passed.
pub fn passed(id: &str) -> QuestionRecord {
    QuestionRecord {
        question_id: id.to_owned(),
        state: QuestionState::Passed.into(),
        locked_until: None,
        support_viewed: false,
    }
}

/// The error of a call that must fail.
pub fn refused<T: std::fmt::Debug>(result: Result<T, SessionError>) -> SessionError {
    result.unwrap_err()
}

pub fn unknown_thread(id: &str) -> SessionError {
    SessionError::UnknownThread {
        thread_id: id.to_owned(),
    }
}
