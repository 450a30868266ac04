//! What is made for nobody: spans that nobody records, and a caller that is sealed again.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, extract::Request};
use tokio::time::Instant;
use tonic::{Status, body::Body, service::Routes};
use tower::ServiceExt;
use tracing::{
    Event, Level, Subscriber,
    span::{Attributes, Id},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
};
use turnwise_kit::{
    CallContext, Caller, Kit,
    client::GrpcClient,
    telemetry::{LogFormat, Telemetry, TelemetrySettings},
};
use turnwise_proto::exam::v1::exam_service_client::ExamServiceClient;

use crate::probe::{TOKEN, ask, over_tcp, serve, stack, student};

/// The target of spans that are for logs alone; the layer that makes OpenTelemetry's leaves it out.
const FOR_LOGS: &str = "turnwise_kit::unrecorded";
/// Where callers are sealed.
const SEALS: &str = "turnwise_kit::context";

const SOON: Duration = Duration::from_secs(30);

/// A layer that notes which spans were made, and how often a caller was sealed.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<(Vec<&'static str>, usize)>>);

impl<S: Subscriber> Layer<S> for Seen {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let target = attributes.metadata().target();
        if target.starts_with("turnwise") {
            self.0.lock().unwrap().0.push(target);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if metadata.target() == SEALS && *metadata.level() == Level::TRACE {
            self.0.lock().unwrap().1 += 1;
        }
    }
}

impl Seen {
    /// How many spans were made since the last look: to be recorded, and for logs alone.
    fn spans(&self) -> (usize, usize) {
        let made = std::mem::take(&mut self.0.lock().unwrap().0);
        let for_logs = made.iter().filter(|target| **target == FOR_LOGS).count();
        (made.len() - for_logs, for_logs)
    }

    fn sealed(&self) -> usize {
        self.0.lock().unwrap().1
    }
}

/// A service that asks another one for each call, as the gateway does.
fn relay(kit: &Kit, client: ExamServiceClient<GrpcClient>) -> Routes {
    let relay = Router::new().fallback(move |request: Request| {
        let mut client = client.clone();
        async move {
            let context = CallContext::from_extensions(request.extensions());
            let asked = context.request(ask("ok"));
            client.batch_get_question_status(asked).await.unwrap();
            Status::ok("").into_http::<axum::body::Body>()
        }
    });
    stack(kit, 10).around(Routes::from(relay))
}

/// A call of the relay, with this `traceparent`.
async fn call(relay: &Routes, traceparent: Option<&str>) {
    let mut request = http::Request::post("/turnwise.exam.v1.ExamService/BatchGetQuestionStatus")
        .header("content-type", "application/grpc")
        .header("authorization", format!("Bearer {TOKEN}"));
    if let Some(parent) = traceparent {
        request = request.header("traceparent", parent);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = relay.clone().oneshot(request).await.unwrap();
    assert_eq!(response.headers()["grpc-status"], "0");
}

/// The relay's span, its client's, and that of the service that it asks; or two for logs and none to be recorded.
#[tokio::test]
async fn spans_are_made_only_where_they_are_recorded() {
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(seen.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let relay = relay(&kit, over_tcp(&kit, server.address));
    let parent = |flags: &str| format!("00-{}-{}-{flags}", "a".repeat(32), "b".repeat(16));
    call(&relay, None).await;
    assert_eq!(seen.spans(), (3, 0));
    call(&relay, Some(&parent("01"))).await;
    // Nothing here gives trace ids to spans, so the service that is asked begins a trace of its own.
    assert_eq!(seen.spans(), (3, 0));
    call(&relay, Some(&parent("00"))).await;
    assert_eq!(seen.spans(), (0, 2));

    // Without an exporter nobody records anything, whatever a caller says.
    let _telemetry = Telemetry::start(&TelemetrySettings {
        service: "probe",
        format: LogFormat::Json,
        filter: "off".to_owned(),
        otlp_endpoint: None,
        otlp_channel: None,
    })
    .unwrap();
    for traceparent in [None, Some(parent("01")), Some(parent("00"))] {
        call(&relay, traceparent.as_deref()).await;
        assert_eq!(seen.spans(), (0, 2), "{traceparent:?}");
    }
    server.drain().await;
}

#[tokio::test]
async fn a_caller_is_sealed_once_for_all_calls_of_one() {
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(seen.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let client = over_tcp(&kit, server.address);
    let says = async |context: &CallContext| {
        let asked = context.request(ask("ok"));
        let saw = client.clone().batch_get_question_status(asked).await;
        saw.unwrap().into_inner().statuses.remove(0).question_id
    };
    let context = CallContext::background(Some(student()), SOON);
    let earlier = context.until(Instant::now() + SOON / 2);
    for part in [
        &context,
        &earlier,
        &context.keeping_back(SOON / 2),
        &context,
    ] {
        assert_eq!(says(part).await, "north/ada");
    }
    assert_eq!(seen.sealed(), 1);
    // Who is spoken for is another caller, and the first stays who they are.
    let other = context.on_behalf_of(Caller {
        subject: "ben".to_owned(),
        ..student()
    });
    for _ in 0..2 {
        assert_eq!(says(&other).await, "north/ben");
    }
    assert_eq!(says(&earlier).await, "north/ada");
    assert_eq!(seen.sealed(), 2);
    server.drain().await;
}
