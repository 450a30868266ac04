//! A model behind the gateway: what it is asked, and which answers are refused.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tonic::Status;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{common::v1::ErrorReason, llm::v1::Purpose as WirePurpose};
use turnwise_retrieval_embeddings::{EmbedError, Embedder, Purpose, Remote, remote::Name};

use crate::{
    fake_gateway::{FakeGateway, answer},
    local::call,
};

fn named(gateway: &FakeGateway, backend: &str, model: &str) -> Remote {
    let name = Name {
        backend: backend.to_owned(),
        model: model.to_owned(),
    };
    Remote::new(gateway.client(), Some(name))
}

async fn embed(remote: &Remote, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts = texts.iter().map(|text| (*text).into()).collect();
    remote.embed(texts, Purpose::Query, &call()).await
}

#[tokio::test]
async fn every_request_names_the_model() {
    let gateway = FakeGateway::of("ollama", "nomic", 4);
    let remote = named(&gateway, "ollama", "nomic");
    let model = remote.describe(&call()).await.unwrap().unwrap();
    assert_eq!(
        (&*model.name, &*model.digest, model.dimension),
        ("nomic", "ollama/nomic", 4)
    );
    embed(&remote, &["a"]).await.unwrap();
    let indexing = call();
    let documents = remote.embed(vec!["b".into()], Purpose::Document, &indexing);
    documents.await.unwrap();
    let requests = gateway.requests();
    assert!(
        requests
            .iter()
            .all(|r| r.backend == "ollama" && r.model == "nomic")
    );
    let purposes: Vec<_> = requests.iter().map(|r| r.purpose()).collect();
    assert_eq!(
        purposes,
        [WirePurpose::Index, WirePurpose::Search, WirePurpose::Index]
    );
    assert!(requests.iter().all(|r| r.max_wait.is_some()));
    // It is described once.
    remote.describe(&call()).await.unwrap();
    assert_eq!(gateway.requests().len(), 3);
}

#[tokio::test]
async fn the_gateways_choice_is_kept_to() {
    let gateway = FakeGateway::of("openai", "small", 4);
    let remote = Remote::new(gateway.client(), None);
    let model = remote.describe(&call()).await.unwrap().unwrap();
    assert_eq!(&*model.digest, "openai/small");
    embed(&remote, &["a"]).await.unwrap();
    let named: Vec<_> = gateway
        .requests()
        .into_iter()
        .map(|request| (request.backend, request.model))
        .collect();
    let unnamed = (String::new(), String::new());
    assert_eq!(named, [unnamed, ("openai".to_owned(), "small".to_owned())]);
}

#[tokio::test]
async fn vectors_come_back_in_order_and_with_length_one() {
    let gateway = FakeGateway::of("mock", "m", 2);
    let remote = named(&gateway, "mock", "m");
    let vectors = embed(&remote, &["a", "aaa"]).await.unwrap();
    let root = |x: f32| 1.0 / (x * x + 1.0).sqrt();
    assert!((vectors[0][0] - root(1.0)).abs() < 1e-6);
    assert!((vectors[1][0] - 3.0 * root(3.0)).abs() < 1e-6);
}

#[tokio::test]
async fn many_texts_go_in_several_requests() {
    let gateway = FakeGateway::of("mock", "m", 2);
    let remote = named(&gateway, "mock", "m");
    let texts: Vec<Box<str>> = (0..600).map(|at| "é".repeat(1 + at * 3).into()).collect();
    let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    let vectors = remote
        .embed(texts, Purpose::Document, &call())
        .await
        .unwrap();
    for (vector, length) in vectors.iter().zip(lengths) {
        let tangent = vector[0] / vector[1];
        assert!(
            (tangent / length as f32 - 1.0).abs() < 1e-3,
            "{tangent} {length}"
        );
    }
    let requests = gateway.requests();
    assert!(requests.len() >= 3);
    for request in requests {
        let characters: usize = request.inputs.iter().map(|text| text.chars().count()).sum();
        assert!((1..=256).contains(&request.inputs.len()) && characters <= 400_000);
    }
    let huge = "a".repeat(400_001);
    assert!(matches!(
        embed(&remote, &[&huge]).await,
        Err(EmbedError::Refused(_))
    ));
}

#[tokio::test]
async fn an_empty_text_is_refused_before_it_is_sent() {
    let gateway = FakeGateway::of("mock", "m", 2);
    let remote = named(&gateway, "mock", "m");
    assert!(matches!(
        embed(&remote, &[""]).await,
        Err(EmbedError::Refused(_))
    ));
    assert!(gateway.requests().is_empty());
}

#[tokio::test]
async fn another_model_is_refused() {
    for (backend, model) in [
        ("ollama", "other"),
        ("openai", "nomic"),
        ("ollama", "nomics"),
    ] {
        let gateway = FakeGateway::of(backend, model, 4);
        let result = named(&gateway, "ollama", "nomic").describe(&call()).await;
        assert!(
            matches!(result, Err(EmbedError::WrongModel { .. })),
            "{backend}/{model}"
        );
    }
    // Backends complete names.
    let gateway = FakeGateway::of("ollama", "nomic:latest", 4);
    let model = named(&gateway, "ollama", "nomic").describe(&call()).await;
    assert_eq!(&*model.unwrap().unwrap().digest, "ollama/nomic:latest");
}

#[tokio::test]
async fn a_model_that_changes_later_is_refused() {
    let calls = AtomicUsize::new(0);
    let gateway = FakeGateway::new(move |request| {
        let model = ["m:1", "m:2"][calls.fetch_add(1, Ordering::Relaxed).min(1)];
        Some(Ok(answer(request, "mock", model, 2)))
    });
    let remote = named(&gateway, "mock", "m");
    embed(&remote, &["a"]).await.unwrap();
    let wrong = EmbedError::WrongModel {
        wanted: "mock/m:1".to_owned(),
        given: "mock/m:2".to_owned(),
    };
    assert_eq!(embed(&remote, &["a"]).await, Err(wrong));
}

#[tokio::test]
async fn another_length_is_refused() {
    let calls = AtomicUsize::new(0);
    let gateway = FakeGateway::new(move |request| {
        let dimension = 2 + calls.fetch_add(1, Ordering::Relaxed);
        Some(Ok(answer(request, "mock", "m", dimension)))
    });
    let remote = named(&gateway, "mock", "m");
    embed(&remote, &["a"]).await.unwrap();
    let wrong = EmbedError::WrongLength {
        wanted: 2,
        given: 3,
    };
    assert_eq!(embed(&remote, &["a"]).await, Err(wrong));
}

#[tokio::test]
async fn senseless_answers_are_refused() {
    let spoilt: [fn(&mut turnwise_proto::llm::v1::EmbedResponse); 7] = [
        |answer| answer.embeddings.clear(),
        |answer| answer.embeddings.push(answer.embeddings[0].clone()),
        |answer| answer.embeddings[0].values.clear(),
        |answer| answer.embeddings[0].values[0] = f32::NAN,
        |answer| answer.embeddings[0].values[1] = f32::INFINITY,
        |answer| answer.embeddings[0].values.fill(0.0),
        |answer| {
            answer.model.clear();
            answer.backend.clear();
        },
    ];
    for (at, spoil) in spoilt.into_iter().enumerate() {
        let gateway = FakeGateway::new(move |request| {
            let mut answer = answer(request, "mock", "m", 2);
            spoil(&mut answer);
            Some(Ok(answer))
        });
        let remote = Remote::new(gateway.client(), None);
        let result = embed(&remote, &["a"]).await;
        assert!(
            matches!(result, Err(EmbedError::Unusable(_))),
            "{at}: {result:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_is_silent_is_given_up_at_the_deadline() {
    let gateway = FakeGateway::new(|_| None);
    let remote = named(&gateway, "mock", "m");
    let call = CallContext::background(None, Duration::from_millis(150));
    let begun = tokio::time::Instant::now();
    let result = remote.embed(vec!["a".into()], Purpose::Query, &call).await;
    assert_eq!(result, Err(EmbedError::Timeout));
    assert!(begun.elapsed() < Duration::from_millis(200));
}

#[tokio::test]
async fn failures_say_whether_trying_again_helps() {
    let passing = [
        ErrorReason::Busy,
        ErrorReason::CircuitOpen,
        ErrorReason::BackendUnavailable,
        ErrorReason::BackendError,
        ErrorReason::RateLimited,
        ErrorReason::DependencyUnavailable,
    ];
    let lasting = [
        ErrorReason::UnknownModel,
        ErrorReason::UnknownBackend,
        ErrorReason::InvalidArgument,
        ErrorReason::RemoteBackendNotAcknowledged,
        ErrorReason::LlmOff,
        ErrorReason::Unauthenticated,
    ];
    for reason in passing.into_iter().chain(lasting) {
        let gateway = FakeGateway::new(move |_| {
            let fault = Fault::new(reason, "no").retry_after(Duration::from_secs(7));
            Some(Err(Status::from(fault)))
        });
        let error = embed(&named(&gateway, "mock", "m"), &["a"])
            .await
            .unwrap_err();
        assert_eq!(error.is_passing(), passing.contains(&reason), "{error}");
        if let EmbedError::Unavailable { retry_after, .. } = error {
            assert_eq!(retry_after, Some(Duration::from_secs(7)));
        }
    }
}
