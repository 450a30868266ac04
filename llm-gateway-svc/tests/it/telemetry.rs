//! What a call leaves behind: one span with names and numbers, and never a word of what was said.

use opentelemetry::{Array, Value, trace::TracerProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use tracing_subscriber::layer::SubscriberExt;
use turnwise_proto::llm::v1::{ChatRole, CompleteRequest};

use crate::harness::{message, mock, request_to};

const SECRET: &str = "my name is Zaphod";

/// The one span called `chat …` of a call to this model.
async fn span_of(model: &str) -> SpanData {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer);
    let guard = tracing::subscriber::set_default(subscriber);
    let request = CompleteRequest {
        messages: vec![message(ChatRole::User, SECRET)],
        max_output_tokens: 100,
        ..request_to(model)
    };
    let answer = mock(&[]).await.complete(request).await;
    drop(guard);
    if let Ok(answer) = answer {
        assert!(answer.text.contains(SECRET), "the model said it");
    }
    let spans = exporter.get_finished_spans().unwrap();
    assert!(!format!("{spans:?}").contains("Zaphod"), "{spans:?}");
    let mut chats = spans.into_iter().filter(|s| s.name.starts_with("chat"));
    let chat = chats.next().expect("a span");
    assert!(chats.next().is_none(), "one span");
    chat
}

fn attribute<'a>(span: &'a SpanData, key: &str) -> Option<&'a Value> {
    let found = span.attributes.iter().find(|kv| kv.key.as_str() == key);
    found.map(|kv| &kv.value)
}

#[tokio::test]
async fn a_call_has_one_span_with_names_and_numbers() {
    let span = span_of("mock:echo").await;
    assert_eq!(span.name, "chat mock:echo");
    assert_eq!(span.span_kind, opentelemetry::trace::SpanKind::Client);
    for (key, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "mock"),
        ("gen_ai.request.model", "mock:echo"),
        ("gen_ai.response.model", "mock"),
    ] {
        let found = attribute(&span, key);
        assert_eq!(found.map(Value::as_str).as_deref(), Some(value), "{key}");
    }
    for (key, value) in [
        ("gen_ai.request.max_tokens", 100),
        ("gen_ai.usage.input_tokens", 5),
        ("gen_ai.usage.output_tokens", 7),
    ] {
        assert_eq!(attribute(&span, key), Some(&Value::I64(value)), "{key}");
    }
    let reasons = Value::Array(Array::String(vec!["stop".into()]));
    assert_eq!(
        attribute(&span, "gen_ai.response.finish_reasons"),
        Some(&reasons)
    );
    assert_eq!(attribute(&span, "error.type"), None);
}

#[tokio::test]
async fn a_failure_says_why() {
    let span = span_of("mock:status:503").await;
    let reason = attribute(&span, "error.type").map(Value::as_str);
    assert_eq!(reason.as_deref(), Some("BACKEND_ERROR"));
    assert!(matches!(
        span.status,
        opentelemetry::trace::Status::Error { .. }
    ));
    assert_eq!(attribute(&span, "gen_ai.response.model"), None);
}
