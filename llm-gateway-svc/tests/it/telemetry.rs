//! What a request leaves behind: one span with names and numbers, and never a word of what was said.

use opentelemetry::{
    Array, Value,
    trace::{SpanKind, Status, TracerProvider},
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt};
use turnwise_proto::llm::v1::{ChatRole, CompleteRequest, EmbedRequest};

use crate::harness::{Gateway, embedding, message, mock, read, request_to};

const SECRET: &str = "my name is Zaphod";

/// The one span of what is done, whose name begins so.
async fn span_of(name: &str, act: impl AsyncFnOnce()) -> SpanData {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry()
        .with(EnvFilter::new("trace"))
        .with(layer);
    let guard = tracing::subscriber::set_default(subscriber);
    act().await;
    drop(guard);
    let spans = exporter.get_finished_spans().unwrap();
    assert!(!format!("{spans:?}").contains("Zaphod"), "{spans:?}");
    let mut found = spans.into_iter().filter(|s| s.name.starts_with(name));
    let span = found.next().expect("a span");
    assert!(found.next().is_none(), "one span");
    span
}

fn asking(model: &str) -> CompleteRequest {
    CompleteRequest {
        messages: vec![message(ChatRole::User, SECRET)],
        max_output_tokens: 100,
        ..request_to(model)
    }
}

/// Asks and lets the answer be.
async fn ask(gateway: &Gateway, model: &str) {
    if let Ok(answer) = gateway.complete(asking(model)).await
        && model == "mock:echo"
    {
        assert!(answer.text.contains(SECRET), "the model said it");
    }
}

fn attribute<'a>(span: &'a SpanData, key: &str) -> Option<&'a Value> {
    let found = span.attributes.iter().find(|kv| kv.key.as_str() == key);
    found.map(|kv| &kv.value)
}

#[track_caller]
fn has_texts(span: &SpanData, texts: &[(&str, &str)]) {
    for (key, value) in texts {
        let found = attribute(span, key).map(Value::as_str);
        assert_eq!(found.as_deref(), Some(*value), "{key}");
    }
}

#[track_caller]
fn has_numbers(span: &SpanData, numbers: &[(&str, i64)]) {
    for (key, value) in numbers {
        assert_eq!(attribute(span, key), Some(&Value::I64(*value)), "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_completion_has_one_span_with_names_and_numbers() {
    for streams in [false, true] {
        let gateway = mock(&[]).await;
        let span = span_of("chat", async || {
            if streams {
                let answer = read(gateway.stream(asking("mock:echo")).await.unwrap()).await;
                assert!(answer.text.contains(SECRET), "the model said it");
            } else {
                ask(&gateway, "mock:echo").await;
            }
        })
        .await;
        assert_eq!(span.name, "chat mock:echo");
        assert_eq!(span.span_kind, SpanKind::Client);
        has_texts(
            &span,
            &[
                ("gen_ai.operation.name", "chat"),
                ("gen_ai.provider.name", "mock"),
                ("gen_ai.request.model", "mock:echo"),
                ("gen_ai.response.model", "mock"),
                ("gen_ai.output.type", "text"),
            ],
        );
        has_numbers(
            &span,
            &[
                ("gen_ai.request.max_tokens", 100),
                ("gen_ai.usage.input_tokens", 5),
                ("gen_ai.usage.output_tokens", 7),
                ("turnwise.queue_wait_ms", 0),
                ("turnwise.attempts", 1),
            ],
        );
        let reasons = Value::Array(Array::String(vec!["stop".into()]));
        assert_eq!(
            attribute(&span, "gen_ai.response.finish_reasons"),
            Some(&reasons)
        );
        assert_eq!(attribute(&span, "error.type"), None);
        assert_eq!(span.status, Status::Unset);
    }
}

#[tokio::test(start_paused = true)]
async fn embeddings_have_one_too() {
    let gateway = mock(&[]).await;
    let span = span_of("embeddings", async || {
        let request = EmbedRequest {
            inputs: vec![SECRET.to_owned()],
            ..embedding()
        };
        gateway.embed(request).await.unwrap();
    })
    .await;
    assert_eq!(span.name, "embeddings mock");
    has_texts(
        &span,
        &[
            ("gen_ai.operation.name", "embeddings"),
            ("gen_ai.provider.name", "mock"),
        ],
    );
    has_numbers(&span, &[("gen_ai.usage.input_tokens", 5)]);
    assert_eq!(attribute(&span, "gen_ai.usage.output_tokens"), None);
    assert_eq!(attribute(&span, "gen_ai.response.finish_reasons"), None);
}

#[tokio::test(start_paused = true)]
async fn it_names_who_was_really_called() {
    let gateway = mock(&[
        "--mock-model",
        "mock:status:503",
        "--llm-failover",
        "mock/mock:echo",
    ])
    .await;
    let span = span_of("chat", async || ask(&gateway, "").await).await;
    assert_eq!(span.name, "chat mock:echo");
    has_texts(&span, &[("gen_ai.request.model", "mock:echo")]);
    has_numbers(&span, &[("turnwise.attempts", 3)]);
    assert_eq!(attribute(&span, "error.type"), None);
}

#[tokio::test(start_paused = true)]
async fn a_failure_says_why() {
    for (model, reason) in [
        ("mock:status:503", "BACKEND_ERROR"),
        ("mock:status:UNAVAILABLE", "BACKEND_UNAVAILABLE"),
        ("mock:status:404", "UNKNOWN_MODEL"),
        ("gpt-9", "UNKNOWN_MODEL"),
    ] {
        let gateway = mock(&[]).await;
        let span = span_of("chat", async || ask(&gateway, model).await).await;
        has_texts(&span, &[("error.type", reason)]);
        assert!(matches!(span.status, Status::Error { .. }));
        assert_eq!(attribute(&span, "gen_ai.response.model"), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_is_told_apart() {
    let gateway = mock(&[]).await;
    let span = span_of("chat", async || {
        let answer = gateway.complete(asking("mock:stall"));
        let left = tokio::time::timeout(std::time::Duration::from_secs(1), answer).await;
        assert!(left.is_err());
    })
    .await;
    has_texts(&span, &[("error.type", "CANCELLED")]);
}

#[tokio::test(start_paused = true)]
async fn those_who_share_a_completion_have_a_span_each() {
    let gateway = mock(&["--llm-coalesce", "1"]).await;
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
    let request = || CompleteRequest {
        class_id: "7a".to_owned(),
        ..asking("mock:delay:100")
    };
    let (one, other) = tokio::join!(gateway.complete(request()), gateway.complete(request()));
    assert_eq!(one.unwrap().text, other.unwrap().text);
    drop(guard);
    let spans = exporter.get_finished_spans().unwrap();
    let chats: Vec<_> = spans
        .iter()
        .filter(|s| s.name.starts_with("chat"))
        .collect();
    assert_eq!(chats.len(), 2);
    for (span, attempts) in chats.iter().zip([1, 0]) {
        has_texts(span, &[("gen_ai.response.model", "mock")]);
        let made = attribute(span, "turnwise.attempts");
        assert!(made == Some(&Value::I64(attempts)) || made == Some(&Value::I64(1 - attempts)));
    }
}
