//! The services as a caller sees them, and requests that are in form.

mod access;
mod admin;
mod artifacts;
mod calls;
mod form;
mod form_admin;
mod form_delivery;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use clap::Parser;
use tempfile::TempDir;
use tonic::{Code, Status, service::Routes};
use turnwise_kit::{CallContext, Caller, Fault, Kit, clock::ManualClock};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::QuestionState,
    school::v1::student_records_service_client::StudentRecordsServiceClient,
    session::v1::{
        AppendEventsRequest, BeginEvidenceRequest, BeginTurnRequest, CommitEvidenceRequest,
        CommitTurnRequest, CreateThreadRequest, DeferWorkRequest, DueWork, Evidence,
        QuestionRecord, TurnStart, WorkKind, begin_turn_response,
        delivery_service_client::DeliveryServiceClient,
        session_admin_service_client::SessionAdminServiceClient,
        session_service_client::SessionServiceClient,
    },
    tutor::v1::{Role, Thread},
};
use turnwise_session_svc::{SERVICE_NAMES, Settings, routes};

use crate::bench::{COURSE, event, message};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

pub struct Service {
    routes: Routes,
    clock: Arc<ManualClock>,
    pub directory: TempDir,
}

pub async fn service() -> Service {
    service_with("on").await
}

/// A service that brings its writes to disk at once, or some time.
pub async fn service_with(fsync: &str) -> Service {
    let directory = tempfile::tempdir().unwrap();
    let location = format!("embedded:{}/s.redb", directory.path().display());
    let cli = Cli::try_parse_from([
        "session-svc",
        "--session-store",
        &location,
        "--session-embedded-fsync",
        fsync,
    ])
    .unwrap();
    let clock = Arc::new(ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap()));
    let kit = Kit::new(Arc::clone(&clock) as _);
    Service {
        routes: routes(&cli.settings, &kit).await.unwrap(),
        clock,
        directory,
    }
}

impl Service {
    pub fn session(&self) -> SessionServiceClient<Routes> {
        SessionServiceClient::new(self.routes.clone())
    }

    pub fn records(&self) -> StudentRecordsServiceClient<Routes> {
        StudentRecordsServiceClient::new(self.routes.clone())
    }

    pub fn delivery(&self) -> DeliveryServiceClient<Routes> {
        DeliveryServiceClient::new(self.routes.clone())
    }

    pub fn admin(&self) -> SessionAdminServiceClient<Routes> {
        SessionAdminServiceClient::new(self.routes.clone())
    }

    async fn thread(&self, student: &str) -> Thread {
        let request = request_as(&caller("student", student), create(student));
        let response = self.session().create_thread(request).await.unwrap();
        response.into_inner().thread.unwrap()
    }

    async fn start(&self, student: &str, thread_id: &str) -> TurnStart {
        let request = request_as(&caller("student", student), begin(student, thread_id));
        let response = self.session().begin_turn(request).await.unwrap();
        match response.into_inner().outcome.unwrap() {
            begin_turn_response::Outcome::Start(start) => start,
            begin_turn_response::Outcome::StoredAnswer(answer) => panic!("{answer:?}"),
        }
    }
}

pub fn caller(role: &str, subject: &str) -> Caller {
    Caller {
        tenant: "default".to_owned(),
        subject: subject.to_owned(),
        role: role.to_owned(),
        groups: vec!["7b".to_owned()],
    }
}

pub fn request_as<T>(caller: &Caller, message: T) -> tonic::Request<T> {
    CallContext::background(Some(caller.clone()), Duration::from_secs(30)).request(message)
}

pub fn hash() -> Bytes {
    Bytes::from_static(&[3; 32])
}

fn create(student: &str) -> CreateThreadRequest {
    CreateThreadRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        class_id: "7b".to_owned(),
        title: "Fractions".to_owned(),
        idempotency_key: "make".to_owned(),
        body_hash: hash(),
        procedure: None,
        kind: 0,
    }
}

fn begin(student: &str, thread_id: &str) -> BeginTurnRequest {
    BeginTurnRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        idempotency_key: "turn".to_owned(),
        body_hash: hash(),
        history_limit: 8,
        memory_scope: Bytes::new(),
        kind: 0,
        in_background: false,
    }
}

fn commit(student: &str, thread_id: &str, fencing_token: i64) -> CommitTurnRequest {
    CommitTurnRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        fencing_token,
        idempotency_key: "turn".to_owned(),
        body_hash: hash(),
        target_locked: true,
        messages: vec![message(thread_id, 1, Role::User, "hello")],
        answer: Bytes::from_static(b"hello back"),
        ..CommitTurnRequest::default()
    }
}

fn begin_evidence(student: &str, thread_id: &str) -> BeginEvidenceRequest {
    BeginEvidenceRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        idempotency_key: "grade".to_owned(),
        body_hash: hash(),
        drill_nonce: "nonce".to_owned(),
        kind: 0,
    }
}

fn evidence(student: &str, question_records: Vec<QuestionRecord>) -> CommitEvidenceRequest {
    CommitEvidenceRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        expected_version: 0,
        evidence: Some(Evidence::default()),
        question_records,
        idempotency_key: "grade".to_owned(),
        body_hash: hash(),
        ..CommitEvidenceRequest::default()
    }
}

fn append(student: &str, thread_id: &str) -> AppendEventsRequest {
    AppendEventsRequest {
        student_id: student.to_owned(),
        thread_id: thread_id.to_owned(),
        events: vec![event("note", "text")],
        idempotency_key: "events".to_owned(),
        body_hash: hash(),
        ..AppendEventsRequest::default()
    }
}

fn defer(student: &str, thread_id: &str) -> DeferWorkRequest {
    let work = DueWork {
        work_id: "work:1".to_owned(),
        kind: WorkKind::DeferredTurn.into(),
        student_id: student.to_owned(),
        thread_id: thread_id.to_owned(),
        subject_id: "key".to_owned(),
        due_time: Some(prost_types::Timestamp::default()),
        ..DueWork::default()
    };
    DeferWorkRequest { work: Some(work) }
}

fn question(id: &str, state: QuestionState, locked_until: Option<i64>) -> QuestionRecord {
    QuestionRecord {
        question_id: id.to_owned(),
        state: state.into(),
        locked_until: locked_until.map(|seconds| prost_types::Timestamp { seconds, nanos: 0 }),
        support_viewed: false,
    }
}

fn reason(status: &Status) -> ErrorReason {
    Fault::from_status(status).reason()
}

#[test]
fn the_services_have_names() {
    use turnwise_proto::session;
    let expected = [
        session::v1::session_service_server::SERVICE_NAME,
        session::v1::session_admin_service_server::SERVICE_NAME,
        session::v1::delivery_service_server::SERVICE_NAME,
        turnwise_proto::school::v1::student_records_service_server::SERVICE_NAME,
    ];
    assert_eq!(SERVICE_NAMES, expected);
}
