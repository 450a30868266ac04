//! The next backend: in order, named in the answer, and only where the server is to blame.

use tokio::time::Instant;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{BreakerState, CompleteRequest},
};
use turnwise_testing::model_server::{Fault, ModelServer};

use crate::harness::{
    Gateway, always, embedding, failing, fault, gateway, mock, read, request, request_to, seconds,
    with_wait,
};

/// A gateway with an Ollama, then an OpenAI-compatible server, then the mock.
async fn three(first: &ModelServer, second: &ModelServer) -> Gateway {
    gateway(&[
        "--ollama-base-url",
        &first.url(),
        "--openai-base-url",
        &second.url(),
        "--llm-failover",
        "openai_compatible/qwen,mock/mock:echo",
        "--helper-backoff-seconds",
        "0.01",
        "--helper-circuit-breaker-failures",
        "2",
    ])
    .await
}

#[tokio::test]
async fn backends_are_called_in_order_and_named() {
    let (first, second) = (failing(&[]).await, failing(&[]).await);
    let gateway = three(&first, &second).await;
    let end = gateway.complete(request()).await.unwrap().end.unwrap();
    assert_eq!((end.backend.as_str(), end.attempts), ("ollama", 1));
    assert_eq!(end.model, "llama3.2:1b");

    let first = always(Fault::InternalError).await;
    let gateway = three(&first, &second).await;
    let end = gateway.complete(request()).await.unwrap().end.unwrap();
    assert_eq!(
        (end.backend.as_str(), end.attempts),
        ("openai_compatible", 3)
    );
    assert_eq!(end.model, "qwen");

    let second = always(Fault::Reset).await;
    let gateway = three(&first, &second).await;
    let streamed = read(gateway.stream(request()).await.unwrap()).await;
    let end = streamed.end.unwrap();
    assert_eq!((end.backend.as_str(), end.attempts), ("mock", 5));
    assert!(streamed.text.contains("x + 7 = 12"), "{}", streamed.text);
}

#[tokio::test]
async fn the_last_failure_is_told_where_none_is_left() {
    let (first, second) = (
        always(Fault::InternalError).await,
        always(Fault::Reset).await,
    );
    let gateway = gateway(&[
        "--ollama-base-url",
        &first.url(),
        "--openai-base-url",
        &second.url(),
        "--llm-failover",
        "openai_compatible",
        "--helper-backend-max-attempts",
        "1",
    ])
    .await;
    let failure = gateway.complete(request()).await.unwrap_err();
    let away = fault(&failure, ErrorReason::BackendUnavailable);
    assert_eq!(away.metadata("backend"), Some("openai_compatible"));
}

#[tokio::test]
async fn who_is_left_alone_is_passed_over() {
    let (first, second) = (always(Fault::InternalError).await, failing(&[]).await);
    let gateway = three(&first, &second).await;
    for _ in 0..2 {
        gateway.complete(request()).await.unwrap();
    }
    first.reset_statistics();
    let end = gateway.complete(request()).await.unwrap().end.unwrap();
    assert_eq!(
        (end.backend.as_str(), end.attempts),
        ("openai_compatible", 1)
    );
    assert_eq!(first.statistics().completions.begun, 0);
    let queues = gateway.all_queues().await;
    let open = queues.iter().find(|q| q.backend == "ollama").unwrap();
    assert_eq!(open.breaker(), BreakerState::Open);
}

#[tokio::test]
async fn a_request_at_fault_fails_everywhere_so_nobody_else_is_asked() {
    let second = failing(&[]).await;
    for (status, reason, asked) in [
        ("400", Some(ErrorReason::BackendError), 0),
        ("401", Some(ErrorReason::BackendError), 0),
        ("404", Some(ErrorReason::UnknownModel), 0),
        ("503", None, 1),
        ("429", None, 1),
        ("UNAVAILABLE", None, 1),
    ] {
        second.reset_statistics();
        let model = format!("mock:status:{status}");
        let gateway = mock(&[
            "--mock-model",
            &model,
            "--llm-failover",
            "ollama",
            "--ollama-base-url",
            &second.url(),
            "--helper-backoff-seconds",
            "0",
        ])
        .await;
        match gateway.complete(request()).await {
            Ok(answer) => {
                assert_eq!(reason, None, "{status}");
                assert_eq!(answer.end.unwrap().backend, "ollama");
            }
            Err(failure) => {
                fault(&failure, reason.expect(status));
            }
        }
        assert_eq!(second.statistics().completions.begun, asked, "{status}");
    }
}

#[tokio::test]
async fn once_an_answer_has_begun_it_is_the_answer() {
    for broken in [Fault::EarlyClose, Fault::Malformed] {
        let (first, second) = (always(broken).await, failing(&[]).await);
        let gateway = three(&first, &second).await;
        let streamed = read(gateway.stream(request()).await.unwrap()).await;
        assert!(!streamed.text.is_empty());
        fault(&streamed.failure.unwrap(), ErrorReason::BackendError);
        let failure = gateway.complete(request()).await.unwrap_err();
        let failed = fault(&failure, ErrorReason::BackendError);
        assert_eq!(failed.metadata("backend"), Some("ollama"));
        assert_eq!(second.statistics().completions.begun, 0);
    }
}

#[tokio::test]
async fn who_names_a_backend_or_a_model_gets_no_other() {
    let (first, second) = (always(Fault::InternalError).await, failing(&[]).await);
    let gateway = three(&first, &second).await;
    let to_backend = |backend: &str| CompleteRequest {
        backend: backend.to_owned(),
        ..request()
    };
    let failure = gateway.complete(request_to("llama3.2:3b")).await;
    fault(&failure.unwrap_err(), ErrorReason::BackendError);
    let failure = gateway.complete(to_backend("ollama")).await;
    fault(&failure.unwrap_err(), ErrorReason::BackendError);
    assert_eq!(second.statistics().completions.begun, 0);

    // Its own model, not the one of LLM_FAILOVER.
    let end = gateway.complete(to_backend("openai_compatible")).await;
    let end = end.unwrap().end.unwrap();
    assert_eq!(
        (end.backend.as_str(), end.model.as_str()),
        ("openai_compatible", "gpt-5.2")
    );
    let both = CompleteRequest {
        model: "phi".to_owned(),
        ..to_backend("openai_compatible")
    };
    assert_eq!(
        gateway.complete(both).await.unwrap().end.unwrap().model,
        "phi"
    );
    let failure = gateway.complete(to_backend("openai")).await.unwrap_err();
    let unknown = fault(&failure, ErrorReason::UnknownBackend);
    assert_eq!(unknown.fields().collect::<Vec<_>>(), ["backend"]);
}

#[tokio::test(start_paused = true)]
async fn a_remote_server_that_nobody_agreed_to_is_not_called() {
    // Nothing answers at this address, so a call there would take its time.
    let remote = ["--openai-base-url", "http://192.0.2.1"];
    let second = [
        "--mock-model",
        "mock:status:503",
        "--llm-failover",
        "openai_compatible",
    ];
    let gateway = mock(&[&remote[..], &second].concat()).await;
    let begun = Instant::now();
    // What went wrong first says more than that there was nobody else.
    let failure = gateway.complete(request()).await.unwrap_err();
    let failed = fault(&failure, ErrorReason::BackendError);
    assert_eq!(failed.metadata("backend"), Some("mock"));
    let named = CompleteRequest {
        backend: "openai_compatible".to_owned(),
        ..request()
    };
    let failure = gateway.complete(named).await.unwrap_err();
    let remote_refused = fault(&failure, ErrorReason::RemoteBackendNotAcknowledged);
    assert_eq!(remote_refused.metadata("host"), Some("192.0.2.1"));
    assert!(begun.elapsed().as_secs() < 1);

    // The first of all is no silent step to the second either.
    let first = [
        "--helper-llm-backend",
        "openai_compatible",
        "--llm-failover",
        "mock",
    ];
    let gateway = crate::harness::gateway(&[&remote[..], &first].concat()).await;
    let failure = gateway.complete(request()).await.unwrap_err();
    fault(&failure, ErrorReason::RemoteBackendNotAcknowledged);
    let failure = gateway.embed(embedding()).await.unwrap_err();
    fault(&failure, ErrorReason::RemoteBackendNotAcknowledged);
    assert_eq!(gateway.calls(), 0.0);
    assert_eq!(gateway.metric("llm_refused_total", "REMOTE"), 2.0);
}

#[tokio::test]
async fn where_no_model_is_called_every_call_says_so_at_once() {
    // However often it is asked: where no model is called, no limit is reached.
    let limit = ["--llm-actor-requests-per-minute", "1"];
    let none = ["--helper-llm-backend", "none"];
    let gateway = crate::harness::gateway(&[none, limit].concat()).await;
    for _ in 0..3 {
        let failure = gateway.complete(request()).await.unwrap_err();
        let off = fault(&failure, ErrorReason::LlmOff);
        assert_eq!(off.metadata("backend"), Some("none"));
    }
    let failure = gateway.embed(embedding()).await.unwrap_err();
    fault(&failure, ErrorReason::LlmOff);
    assert_eq!(gateway.calls(), 0.0);
    assert_eq!(gateway.metric("llm_refused_total", "LLM_OFF"), 4.0);
}

#[tokio::test(start_paused = true)]
async fn all_lines_together_are_waited_in_for_as_long_as_was_asked() {
    // The first model holds its slot for two seconds and then fails, and the second one is slower than foreseen.
    let gateway = mock(&[
        "--mock-model",
        "mock:status:503:2",
        "--llm-failover",
        "mock/mock:delay:10000",
        "--helper-max-concurrency",
        "1",
        "--queue-expected-call-seconds",
        "1",
    ])
    .await;
    let first = gateway.starts("ada", request()).await;
    let begun = Instant::now();
    let second = with_wait(seconds(3.0), request());
    let busy = gateway.complete_as("ben", second).await.unwrap_err();
    fault(&busy, ErrorReason::Busy);
    // Two seconds in the first queue, two for its attempts, and one in the second queue.
    assert_eq!(begun.elapsed().as_millis() / 100, 50);
    let end = first.await.unwrap().unwrap().end.unwrap();
    assert_eq!((end.model.as_str(), end.attempts), ("mock", 3));
}
