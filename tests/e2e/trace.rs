//! One trace through all services, under the id that the client brought.

use std::collections::{BTreeSet, HashMap};

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use turnwise_proto::tutor::v1::{ClientEventKind, StudentInput, TakeTurnRequest, Thread};
use turnwise_testing::certificates::Certificates;
use turnwise_tests::{
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::{Kind, Options},
    student::{DEMO_COURSE, Student, pressing},
    traces::{Received, TraceReceiver},
};

use crate::settings::start;

const TRACE_ID: [u8; 16] = *b"0123456789abcdef";
const CALLERS_SPAN: [u8; 8] = *b"ABCDEFGH";

in_every_deployment!(
    a_turn_is_one_trace,
    an_unsampled_turn_is_recorded_nowhere,
    without_an_exporter_a_trace_is_passed_on,
);

#[tokio::test(flavor = "multi_thread")]
async fn traces_leave_over_tls() {
    let home = tempfile::tempdir().unwrap();
    let of_collector = Certificates::make(home.path());
    let [(_, authority), ..] = of_collector.files();
    let mut receiver = TraceReceiver::start_tls(&of_collector).await;
    let endpoint = format!("https://{}", receiver.address);
    let options = Options::new()
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
        .env(
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
            authority.display().to_string(),
        );
    let mut suite = Deployment::one_process(options).await;
    let nia = suite.student("nia");
    take(&nia, done(&nia.open(DEMO_COURSE).await), "01").await;
    suite.stop();
    assert!(!receiver.of_trace(&TRACE_ID).is_empty());

    let unknown = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let said = String::from_utf8(start("session-svc", &[], &unknown).stderr).unwrap();
    assert!(said.contains("OTEL_EXPORTER_OTLP_CERTIFICATE"), "{said}");
}

async fn a_turn_is_one_trace(kind: Kind) {
    let mut receiver = TraceReceiver::start().await;
    let options = Options::new()
        .env(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            format!("http://{}", receiver.address),
        )
        // Whatever is logged, the trace is whole.
        .env("LOG_FILTER", "error")
        // A turn that looks for exam questions, too.
        .evidence(Seed::units("nia", DEMO_COURSE, vec![drilled("ALG-01")]))
        .evidence(Seed::units("mia", DEMO_COURSE, vec![drilled("ALG-01")]));
    let mut suite = Deployment::start(kind, options).await;
    // The first of a schema is sent whole, after one call more.
    let mia = suite.student("mia");
    let turn = done(&mia.open(DEMO_COURSE).await);
    mia.turn(turn).await.unwrap();
    let nia = suite.student("nia");
    take(&nia, done(&nia.open(DEMO_COURSE).await), "01").await;
    // An orderly end sends what is left, so that after it everything is here.
    suite.stop();

    let spans = receiver.of_trace(&TRACE_ID);
    let services: BTreeSet<&str> = spans.values().map(|s| &*s.service).collect();
    assert!(services.iter().eq(processes(kind)), "{services:?}");

    let served = served(&spans);
    for (method, times) in [
        ("turnwise.tutor.v1.TutorService/TakeTurn", 1),
        ("turnwise.session.v1.SessionService/BeginTurn", 1),
        ("turnwise.retrieval.v1.RetrievalService/MapMessage", 1),
        ("turnwise.policy.v1.PolicyService/PlanAndDecide", 1),
        // Course text and exam candidates at once; what the built-in exam system knows came with the beginning.
        ("turnwise.retrieval.v1.RetrievalService/Retrieve", 1),
        ("turnwise.policy.v1.PolicyService/Decide", 1),
        ("turnwise.llm.v1.LlmGatewayService/Complete", 1),
        ("turnwise.policy.v1.PolicyService/ResolveReply", 1),
        ("turnwise.session.v1.SessionService/CommitTurn", 1),
    ] {
        assert_eq!(served.get(method), Some(&times), "{method} in {served:?}");
    }

    // Every span hangs below the client's own.
    for received in spans.values() {
        let mut span = &received.span;
        let mut steps = 0;
        while span.parent_span_id != CALLERS_SPAN {
            steps += 1;
            assert!(steps <= spans.len(), "a circle of spans");
            span = match spans.get(&span.parent_span_id) {
                Some(parent) => &parent.span,
                None => panic!("{} of {} has no parent", span.name, received.service),
            };
        }
    }
    // No span tells what was said.
    for received in spans.values() {
        assert!(!format!("{:?}", received.span).contains("\"done\""));
    }
}

async fn an_unsampled_turn_is_recorded_nowhere(kind: Kind) {
    let mut receiver = TraceReceiver::start().await;
    let endpoint = format!("http://{}", receiver.address);
    let options = Options::new()
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("LOG_FILTER", "turnwise_kit=debug");
    let mut suite = Deployment::start(kind, options).await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let turn = pressing(&thread, ClientEventKind::RequestDrill, "ALG-01");
    take(&nia, turn, "00").await;
    suite.stop();
    let spans = receiver.all();
    assert!(
        !spans.is_empty(),
        "a call without a trace of its own is recorded"
    );
    let trace_ids: BTreeSet<&[u8]> = spans.iter().map(|s| &*s.span.trace_id).collect();
    assert!(!trace_ids.contains(&TRACE_ID[..]), "{spans:?}");
    // What was done for the turn hangs nowhere else either: each trace has the one call that came from outside.
    for received in &spans {
        assert!(!received.span.name.ends_with("/BeginTurn"), "{received:?}");
        assert!(!received.span.name.starts_with("chat"), "{received:?}");
    }
    assert_eq!(who_logged_the_trace(&suite), processes(kind));
}

async fn without_an_exporter_a_trace_is_passed_on(kind: Kind) {
    let options = Options::new().env("LOG_FILTER", "turnwise_kit=debug");
    let mut suite = Deployment::start(kind, options).await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let turn = pressing(&thread, ClientEventKind::RequestDrill, "ALG-01");
    take(&nia, turn, "01").await;
    suite.stop();
    assert_eq!(who_logged_the_trace(&suite), processes(kind));
}

/// Of the calls that leave the gateway in a turn, only the first makes the caller's seal.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_is_sealed_once_a_turn() {
    let options = Options::new().env("LOG_FILTER", "info,turnwise_kit=trace");
    let mut suite = Deployment::five_processes(options).await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    for id in ["first-turn", "second-turn"] {
        let mut request = nia.request(done(&thread));
        let metadata = request.metadata_mut();
        metadata.insert("x-request-id", id.parse().unwrap());
        let answer = nia.client().take_turn(request).await.unwrap();
        // What came before the decision in the log is there, too.
        suite.decision(&answer.into_inner().turn_id);
    }
    let logs = suite.logs();
    let sealed = logs.iter().filter(|line| {
        line.contains("the caller is sealed") && line.contains(r#""request_id":"second-turn""#)
    });
    let sealed: Vec<_> = sealed.collect();
    assert_eq!(sealed.len(), 1, "{sealed:#?}");
    assert!(sealed[0].starts_with("gateway-svc: "), "{sealed:?}");
    suite.stop();
}

/// Takes a turn under the client's own span, with these flags.
async fn take(student: &Student, turn: TakeTurnRequest, flags: &str) {
    let mut request = student.request(turn);
    let parent = format!("00-{}-{}-{flags}", hex(&TRACE_ID), hex(&CALLERS_SPAN));
    request
        .metadata_mut()
        .insert("traceparent", parent.parse().unwrap());
    student.client().take_turn(request).await.unwrap();
}

/// The processes that a turn goes through.
fn processes(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::OneProcess => &["turnwise"],
        _ if kind == Kind::ALL => &["turnwise"],
        Kind::Grouped(_) => &["llm-gateway-svc", "session-svc", "turnwise"],
        Kind::FiveProcesses => &[
            "gateway-svc",
            "llm-gateway-svc",
            "policy-svc",
            "retrieval-svc",
            "session-svc",
        ],
    }
}

/// The processes that logged a call of the client's trace.
fn who_logged_the_trace(suite: &Deployment) -> Vec<String> {
    let id = hex(&TRACE_ID);
    let lines = suite.logs();
    let of_trace = lines.iter().filter(|line| line.contains(&id));
    let names = of_trace.filter_map(|line| line.split_once(": ").map(|(name, _)| name.to_owned()));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A drill was done.
fn done(thread: &Thread) -> TakeTurnRequest {
    let mut turn = pressing(thread, ClientEventKind::DrillContinue, "ALG-01");
    turn.input = Some(StudentInput {
        text: "done".to_owned(),
        ..Default::default()
    });
    turn
}

/// How often each method was served.
fn served(spans: &HashMap<Vec<u8>, Received>) -> HashMap<String, usize> {
    let mut served = HashMap::new();
    for received in spans.values() {
        if received.span.kind() == SpanKind::Server {
            let method = format!(
                "{}/{}",
                received.attribute("rpc.service"),
                received.attribute("rpc.method")
            );
            assert_eq!(received.span.name, method);
            *served.entry(method).or_default() += 1;
        }
    }
    served
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
