//! A class without its processes: session-svc on an embedded store, policy-svc and the gateway's public face in this process,
//! with a clock that the test moves. What students do goes straight into session-svc, so that a term takes seconds.

use std::{sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use clap::Parser;
use tempfile::TempDir;
use tonic::{Request, service::Routes};
use turnwise_kit::{
    CallContext, Caller, Clock, Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, local},
    clock::ManualClock,
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_proto::{
    school::v1::{
        class_service_client::ClassServiceClient,
        student_records_service_client::StudentRecordsServiceClient,
    },
    session::v1::{
        BeginTurnRequest, CommitEvidenceRequest, CommitTurnRequest, CreateThreadRequest,
        DrillActivity, Evidence, GetSnapshotRequest, TurnActivity, TurnStart,
        begin_turn_response::Outcome, session_admin_service_client::SessionAdminServiceClient,
        session_service_client::SessionServiceClient,
    },
    tutor::v1::{Role, TutorMessage},
};
use uuid::Uuid;

use crate::{
    process::repository,
    student::{DEMO_COURSE, Student},
};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    session: turnwise_session_svc::Settings,
    #[command(flatten)]
    policy: turnwise_policy_svc::Settings,
    #[command(flatten)]
    gateway: turnwise_gateway_svc::Settings,
}

/// The three services.
pub struct Classroom {
    /// Their clock.
    pub clock: Arc<ManualClock>,
    /// What students do.
    pub session: SessionServiceClient<GrpcClient>,
    /// What is kept of classes.
    pub admin: SessionAdminServiceClient<GrpcClient>,
    /// What is kept of students.
    pub records: StudentRecordsServiceClient<GrpcClient>,
    /// The public face of classes.
    pub classes: ClassServiceClient<Routes>,
    kit: Kit,
    _home: TempDir,
}

/// Somebody of the tenant.
fn caller(role: &str, subject: &str) -> Caller {
    Caller {
        tenant: "default".to_owned(),
        subject: subject.to_owned(),
        role: role.to_owned(),
        groups: vec![Student::CLASS.to_owned()],
    }
}

/// A request of somebody of the tenant.
pub fn request_as<T>(role: &str, subject: &str, message: T) -> Request<T> {
    CallContext::background(Some(caller(role, subject)), Duration::from_secs(60)).request(message)
}

fn hash() -> Bytes {
    Bytes::from_static(&[7; 32])
}

fn key() -> String {
    Uuid::new_v4().to_string()
}

impl Classroom {
    /// A class in which nothing has happened, at this time.
    pub async fn start(now: &str) -> Self {
        let home = TempDir::new().unwrap();
        let keys = home.path().join("keys");
        turnwise_testing::write_secret(&keys, format!("k1 {}\n", STANDARD.encode([7; 32])))
            .unwrap();
        let at = |name: &str| home.path().join(name).display().to_string();
        let cli = Cli::parse_from([
            "classroom",
            "--session-store",
            &format!("embedded:{}", at("session.redb")),
            "--helper-class-reset-archive-dir",
            &at("archives"),
            "--courses-dir",
            &repository().join("courses").display().to_string(),
            "--drill-token-keys-file",
            &keys.display().to_string(),
            "--scope-token-keys-file",
            &keys.display().to_string(),
            "--helper-rate-limit-per-minute",
            "1000000",
            "--helper-read-limit-per-minute",
            "1000000",
            "--helper-internal-reset-timeout-seconds",
            "60",
        ]);
        let clock = Arc::new(ManualClock::new(now.parse().unwrap()));
        let kit = Kit::new(Arc::clone(&clock) as Arc<dyn Clock>);
        let token = InternalToken::new(&"t".repeat(32)).unwrap();
        let stack = Stack {
            metrics: kit.metrics.clone(),
            auth: Arc::new(InternalAuth::token(token.clone())),
            deadline: DeadlineRule::default(),
            max_in_flight: 1024,
            drain: kit.drain.clone(),
        };
        let inside = |peer: &'static str, routes: Routes| {
            let options = ClientOptions {
                peer,
                token: Some(token.clone()),
            };
            local(stack.around(routes), options)
        };
        let session = turnwise_session_svc::routes(&cli.session, &kit).await;
        let session = inside("session-svc", session.unwrap());
        let policy = turnwise_policy_svc::routes(&cli.policy, &kit).await;
        let policy = inside("policy-svc", policy.unwrap());
        let nobody = || inside("nobody", Routes::default());
        let upstreams =
            turnwise_gateway_svc::Upstreams::new(policy, nobody(), nobody(), session.clone(), None);
        let routes = turnwise_gateway_svc::routes(&cli.gateway, upstreams, &kit).await;
        Self {
            clock,
            session: SessionServiceClient::new(session.clone()),
            admin: SessionAdminServiceClient::new(session.clone()),
            records: StudentRecordsServiceClient::new(session),
            classes: ClassServiceClient::new(routes.unwrap().prepare()),
            kit,
            _home: home,
        }
    }

    /// Opens a thread of a student in the class.
    pub async fn open(&self, student: &str) -> String {
        let request = CreateThreadRequest {
            student_id: student.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            class_id: Student::CLASS.to_owned(),
            title: String::new(),
            idempotency_key: key(),
            body_hash: hash(),
            procedure: None,
            kind: 0,
        };
        let request = request_as("student", student, request);
        let created = self.session.clone().create_thread(request).await.unwrap();
        created.into_inner().thread.unwrap().thread_id
    }

    async fn begin(&self, student: &str, thread_id: &str, key: &str) -> TurnStart {
        let request = BeginTurnRequest {
            student_id: student.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            thread_id: thread_id.to_owned(),
            idempotency_key: key.to_owned(),
            body_hash: hash(),
            history_limit: 1,
            memory_scope: Bytes::new(),
            kind: 0,
            in_background: false,
        };
        let request = request_as("student", student, request);
        let begun = self.session.clone().begin_turn(request).await.unwrap();
        match begun.into_inner().outcome {
            Some(Outcome::Start(start)) => start,
            other => panic!("{other:?}"),
        }
    }

    /// A turn that counts for this.
    pub async fn turn(&self, student: &str, thread_id: &str, activity: TurnActivity) {
        let key = key();
        let start = self.begin(student, thread_id, &key).await;
        let message = TutorMessage {
            id: start.thread.unwrap().message_count + 1,
            thread_id: thread_id.to_owned(),
            role: Role::User.into(),
            text: "hello".to_owned(),
            ..TutorMessage::default()
        };
        let request = CommitTurnRequest {
            student_id: student.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            thread_id: thread_id.to_owned(),
            fencing_token: start.fencing_token,
            idempotency_key: key,
            body_hash: hash(),
            messages: vec![message],
            answer: Bytes::from_static(b"answer"),
            carry: start.carry,
            activity: Some(activity),
            ..CommitTurnRequest::default()
        };
        let request = request_as("student", student, request);
        self.session.clone().commit_turn(request).await.unwrap();
    }

    /// A graded drill, and the evidence after it.
    pub async fn drill(&self, student: &str, drill: DrillActivity, evidence: Evidence) {
        let request = GetSnapshotRequest {
            student_id: student.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
        };
        let request = request_as("student", student, request);
        let now = self.session.clone().get_snapshot(request).await.unwrap();
        let version = now.into_inner().snapshot.unwrap().evidence_version;
        let request = CommitEvidenceRequest {
            student_id: student.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            expected_version: version,
            evidence: Some(evidence),
            idempotency_key: key(),
            body_hash: hash(),
            drill_nonce: key(),
            drill_verdict: Bytes::from_static(b"verdict"),
            drill: Some(drill),
            ..CommitEvidenceRequest::default()
        };
        let request = request_as("student", student, request);
        self.session.clone().commit_evidence(request).await.unwrap();
    }
}

impl Drop for Classroom {
    fn drop(&mut self) {
        self.kit.shutdown.cancel();
    }
}
