//! What is promised when something fails: each row of the table of failures, with the dependency killed (SIGKILL),
//! stalled (SIGSTOP) and answering garbage in the middle of turns, of grades and of exam answers. The promised answer
//! leaves 250 ms before the caller's deadline, no evidence is lost or counted twice, and service comes back by itself.
//!
//! | module | fails |
//! | --- | --- |
//! | [`model`], [`model_gateway`] | the model, and llm-gateway-svc |
//! | [`retrieval`] | retrieval-svc |
//! | [`exam`] | a platform's exam system |
//! | [`policy`] | policy-svc |
//! | [`session`], [`store`] | session-svc, and its Redis |
//! | [`gateway`] | gateway-svc itself, beside another one |
//! | [`replicas`] | one of two replicas of a service |
//!
//! That a primary of Redis is lost is in `exactly_once`.

mod calls;
mod exam;
mod gateway;
mod model;
mod model_gateway;
mod policy;
mod replicas;
mod retrieval;
mod session;
mod store;

use std::{sync::Arc, time::Duration};

use prost::Message;
use rustix::process::Signal;
use tonic::{Code, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{GetSnapshotRequest, session_service_client::SessionServiceClient},
    tutor::v1::{DegradedReason, TakeTurnResponse},
};
use turnwise_tests::{
    answer::{check_shape, tutor},
    deployment::Deployment,
    eventually::eventually,
    evidence::as_service,
    fault_proxy::FaultProxy,
    options::{Options, Service},
    student::{DEMO_COURSE, Student, saying},
};

use calls::turn;

/// A unit without a missing prerequisite.
const OPEN: &str = "ALG-01";
/// What a student asks.
const QUESTION: &str = "how do I add negative numbers?";
/// The deadline of calls whose deadline is of no interest.
const PATIENT: Duration = Duration::from_secs(20);
/// How long a service that is back may take to be found again.
const BACK: Duration = Duration::from_secs(20);

/// How a process fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    Killed,
    Stalled,
}

impl Blow {
    const BOTH: [Self; 2] = [Self::Killed, Self::Stalled];

    fn signal(self) -> Signal {
        match self {
            Self::Killed => Signal::KILL,
            Self::Stalled => Signal::STOP,
        }
    }

    /// What strikes a service, from anywhere.
    fn at(self, suite: &mut Deployment, service: Service) -> impl FnOnce() + Send + 'static {
        suite.process(service).striker(self.signal())
    }

    /// The service is there again.
    fn over(self, suite: &mut Deployment, service: Service) {
        match self {
            Self::Killed => suite.restart(service),
            Self::Stalled => suite.process(service).go_on(),
        }
    }
}

/// Every call is logged with its time, and a turn that is cut off holds its thread for no longer than three seconds.
fn options() -> Options {
    Options::new()
        .env("LOG_FILTER", "info,turnwise_kit=debug")
        .env("TURN_LEASE_TTL_SECONDS", "3")
        // A debug build on a busy machine falls back and commits slowly: more is kept back than usual.
        .env("TURN_REPLY_RESERVE_MS", "1000")
}

/// Five processes with these services behind proxies, and a student whom they serve well.
async fn proxied<const N: usize>(
    mut options: Options,
    services: [Service; N],
) -> ([Arc<FaultProxy>; N], Deployment, Student) {
    let mut proxies = Vec::new();
    for service in services {
        let proxy = Arc::new(FaultProxy::start().await);
        options = options.proxy(service, &proxy);
        proxies.push(proxy);
    }
    let suite = Deployment::five_processes(options).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    let Ok(proxies) = proxies.try_into() else {
        panic!("one for each service");
    };
    (proxies, suite, ada)
}

/// A student's evidence and its version, as bytes.
async fn record(suite: &Deployment, student: &Student) -> Vec<u8> {
    let request = as_service(GetSnapshotRequest {
        student_id: student.id.clone(),
        course_id: DEMO_COURSE.to_owned(),
    });
    let mut session = SessionServiceClient::new(suite.internal(Service::Session));
    let read = session.get_snapshot(request).await.unwrap().into_inner();
    let snapshot = read.snapshot.unwrap_or_default();
    let evidence = snapshot.evidence.unwrap_or_default();
    let mut bytes = snapshot.evidence_version.to_be_bytes().to_vec();
    bytes.extend(evidence.encode_to_vec());
    for record in read.question_records {
        bytes.extend(record.encode_to_vec());
    }
    bytes
}

/// How many drills of a unit were counted, and the version of the record.
async fn counted(suite: &Deployment, student: &Student, unit: &str) -> (i32, i64) {
    let request = as_service(GetSnapshotRequest {
        student_id: student.id.clone(),
        course_id: DEMO_COURSE.to_owned(),
    });
    let mut session = SessionServiceClient::new(suite.internal(Service::Session));
    let read = session.get_snapshot(request).await.unwrap().into_inner();
    let snapshot = read.snapshot.unwrap_or_default();
    let evidence = snapshot.evidence.unwrap_or_default();
    let mut units = evidence.unit_progress.iter();
    let drill = units.find(|progress| progress.unit_id == unit);
    let attempts = drill.and_then(|progress| progress.drill);
    (
        attempts.map_or(0, |drill| drill.attempts),
        snapshot.evidence_version,
    )
}

/// Takes turns until one is as good as ever; gives its answer.
async fn until_well(suite: &Deployment, student: &Student) -> TakeTurnResponse {
    let thread = student.open(DEMO_COURSE).await;
    eventually("a turn that is not degraded", BACK, async || {
        let answer = turn(suite, student, &saying(&thread, QUESTION), PATIENT).await;
        answer.ok().filter(|answer| reasons(answer).is_empty())
    })
    .await
}

fn reasons(answer: &TakeTurnResponse) -> Vec<DegradedReason> {
    answer.degraded_reasons().collect()
}

/// Insists on the fixed safe text: no card, no button, no standing.
fn check_safe(student_thread: &turnwise_proto::tutor::v1::Thread, answer: &TakeTurnResponse) {
    check_shape(student_thread, answer);
    assert_eq!(reasons(answer), [DegradedReason::PolicyUnavailable]);
    assert!(tutor(answer).card.is_none(), "{answer:?}");
    assert!(tutor(answer).buttons.is_empty(), "{answer:?}");
    assert!(answer.snapshot_lite.is_none(), "{answer:?}");
}

/// Insists on UNAVAILABLE with a time to try again.
fn check_unavailable(status: &Status) {
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    let fault = Fault::from_status(status);
    let known = [
        ErrorReason::DependencyUnavailable,
        ErrorReason::StorageUnavailable,
    ];
    assert!(known.contains(&fault.reason()), "{status:?}");
    assert!(fault.retry_delay().is_some(), "{status:?}");
}
