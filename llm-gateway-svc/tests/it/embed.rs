//! Embeddings: through the same door, with slots of their own.

use tokio::time::Instant;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{EmbedRequest, Purpose, QueueKind},
};
use turnwise_testing::model_server::{Fault, Settings as Model};

use crate::harness::{
    LONG, always, call, embedding, failing, fault, millis, mock, ollama_at, request, seconds,
    student,
};

fn of_model(model: &str) -> EmbedRequest {
    EmbedRequest {
        model: model.to_owned(),
        ..embedding()
    }
}

#[tokio::test(start_paused = true)]
async fn each_text_has_its_vector() {
    let gateway = mock(&["--mock-embed-model", "mock:length:8"]).await;
    let texts = ["one", "two", "one"].map(str::to_owned).to_vec();
    let request = EmbedRequest {
        inputs: texts,
        purpose: Purpose::Index.into(),
        ..EmbedRequest::default()
    };
    let answer = gateway.embed(request).await.unwrap();
    let vectors: Vec<_> = answer.embeddings.iter().map(|e| &e.values).collect();
    assert_eq!(vectors.len(), 3);
    assert!(vectors.iter().all(|vector| vector.len() == 8));
    assert!(vectors[0] == vectors[2] && vectors[0] != vectors[1]);
    assert_eq!(
        (answer.model.as_str(), answer.backend.as_str()),
        ("mock", "mock")
    );
    assert_eq!((answer.attempts, answer.input_tokens), (1, 3));
    assert_eq!(millis(answer.queue_wait), 0);
    assert!(answer.total.is_some());
}

#[tokio::test(start_paused = true)]
async fn each_bad_field_is_named() {
    let gateway = mock(&[]).await;
    let bad = |change: fn(&mut EmbedRequest)| {
        let mut request = embedding();
        change(&mut request);
        request
    };
    for (request, field) in [
        (bad(|r| r.inputs.clear()), "inputs"),
        (bad(|r| r.inputs = vec!["x".to_owned(); 257]), "inputs"),
        (bad(|r| r.inputs[1].clear()), "inputs[1]"),
        (bad(|r| r.inputs[0] = "ä".repeat(400_001)), "inputs"),
        (bad(|r| r.purpose = 0), "purpose"),
        (bad(|r| r.purpose = Purpose::Turn.into()), "purpose"),
        (bad(|r| r.purpose = Purpose::Batch.into()), "purpose"),
        (bad(|r| r.purpose = 99), "purpose"),
        (bad(|r| r.model = "m".repeat(257)), "model"),
        (bad(|r| r.backend = "a\nb".to_owned()), "backend"),
        (bad(|r| r.class_id = "c".repeat(129)), "class_id"),
        (
            bad(|r| r.client_address = "here".to_owned()),
            "client_address",
        ),
        (
            bad(|r| {
                r.max_wait = Some(prost_types::Duration {
                    seconds: 0,
                    nanos: -1,
                });
            }),
            "max_wait",
        ),
    ] {
        let failure = gateway.embed(request).await.unwrap_err();
        let refused = fault(&failure, ErrorReason::InvalidArgument);
        assert_eq!(refused.fields().collect::<Vec<_>>(), [field]);
    }
    let most = bad(|r| r.inputs = vec!["x".to_owned(); 256]);
    assert_eq!(gateway.embed(most).await.unwrap().embeddings.len(), 256);
    let failure = gateway.embed(of_model("ada-002")).await.unwrap_err();
    fault(&failure, ErrorReason::UnknownModel);
    let elsewhere = bad(|r| r.backend = "ollama".to_owned());
    let failure = gateway.embed(elsewhere).await.unwrap_err();
    fault(&failure, ErrorReason::UnknownBackend);
}

#[tokio::test]
async fn wrong_vectors_are_refused_and_not_asked_for_again() {
    for wrong in [
        Fault::EmbeddingsMissing,
        Fault::EmbeddingsUneven,
        Fault::EmbeddingsNull,
        Fault::Malformed,
        Fault::EarlyClose,
    ] {
        let server = always(wrong).await;
        let gateway = ollama_at(&server.url(), &[]).await;
        let failure = gateway.embed(embedding()).await.unwrap_err();
        fault(&failure, ErrorReason::BackendError);
        let seen = server.statistics();
        assert_eq!(seen.embeddings.begun, 1, "{wrong}");
        assert_eq!(seen.completions.begun, 0);
    }
    let gateway = mock(&[]).await;
    for wrong in [
        "wrong_count",
        "unequal_lengths",
        "empty_vectors",
        "not_finite",
    ] {
        let failure = gateway
            .embed(of_model(&format!("mock:break:{wrong}")))
            .await;
        fault(&failure.unwrap_err(), ErrorReason::BackendError);
    }
}

#[tokio::test]
async fn what_the_transport_lost_is_tried_again() {
    let server = failing(&[Fault::Reset]).await;
    let gateway = ollama_at(&server.url(), &[]).await;
    let answer = gateway.embed(embedding()).await.unwrap();
    assert_eq!((answer.attempts, answer.embeddings.len()), (2, 2));
    assert_eq!(
        answer.embeddings[0].values.len(),
        Model::default().dimensions
    );
    assert_eq!(answer.model, "nomic-embed-text");
}

#[tokio::test(start_paused = true)]
async fn they_have_slots_of_their_own() {
    let gateway = mock(&[
        "--mock-model",
        "mock:delay:5000",
        "--mock-embed-model",
        "mock:delay:1000",
        "--helper-max-concurrency",
        "1",
        "--embed-max-concurrency",
        "2",
        // Bounds completions only.
        "--llm-model-concurrency",
        "mock:delay:1000=9",
    ])
    .await;
    let completion = gateway.starts("ada", request()).await;
    let begun = Instant::now();
    let mut searches = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let gateway = gateway.clone();
        // Several searches of a student are each wanted.
        let request = call(Some(student("ada")), LONG, embedding());
        searches.spawn(async move { gateway.embed(request).await.unwrap() });
    }
    crate::harness::settle().await;
    let queues = gateway.all_queues().await;
    let slots = |kind: QueueKind| {
        let queue = queues.iter().find(|queue| queue.kind() == kind).unwrap();
        (queue.slots.len(), queue.waiting_total)
    };
    assert_eq!(slots(QueueKind::Completions), (1, 0));
    assert_eq!(slots(QueueKind::Embeddings), (2, 2));
    searches.join_all().await;
    assert_eq!(begun.elapsed().as_secs(), 2);
    completion.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn documents_wait_behind_searches() {
    let slots = [
        "--mock-embed-model",
        "mock:delay:1000",
        "--embed-max-concurrency",
        "1",
    ];
    let gateway = mock(&slots).await;
    let mut calls = tokio::task::JoinSet::new();
    let begun = Instant::now();
    for purpose in [
        Purpose::Index,
        Purpose::Index,
        Purpose::Index,
        Purpose::Search,
    ] {
        let gateway = gateway.clone();
        let request = EmbedRequest {
            purpose: purpose.into(),
            max_wait: Some(LONG.try_into().unwrap()),
            ..embedding()
        };
        calls.spawn(async move {
            gateway.embed(request).await.unwrap();
            (begun.elapsed().as_secs(), purpose)
        });
        crate::harness::settle().await;
    }
    let mut ends = calls.join_all().await;
    ends.sort_by_key(|(end, _)| *end);
    let order: Vec<_> = ends.into_iter().map(|(_, purpose)| purpose).collect();
    assert_eq!(
        order,
        [
            Purpose::Index,
            Purpose::Search,
            Purpose::Index,
            Purpose::Index
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn they_are_refused_and_end_in_time_as_completions_do() {
    let stall = [
        "--mock-embed-model",
        "mock:stall",
        "--embed-max-concurrency",
        "1",
    ];
    let gateway = mock(&stall).await;
    let held = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.embed(call(None, seconds(30.0), embedding())).await }
    });
    crate::harness::settle().await;
    let impatient = EmbedRequest {
        max_wait: Some(prost_types::Duration::default()),
        ..embedding()
    };
    let busy = gateway
        .embed(call(Some(student("ada")), LONG, impatient))
        .await;
    let busy = fault(&busy.unwrap_err(), ErrorReason::Busy);
    assert!(busy.retry_delay().is_some());
    // They could not bring one along.
    assert_eq!(busy.metadata("place_ticket"), None);
    let begun = Instant::now();
    fault(
        &held.await.unwrap().unwrap_err(),
        ErrorReason::DeadlineExceeded,
    );
    assert!(begun.elapsed() <= seconds(29.75));
}
