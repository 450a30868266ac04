//! What is counted, and under which names.

use turnwise_proto::common::v1::ErrorReason;
use turnwise_testing::model_server::Fault;

use crate::harness::{
    embedding, failing, fault, gateway_with, in_class, mock, mock_taking, ollama_at, read, request,
    request_to, seconds, with_wait,
};

const TOOK: &str = "gen_ai_client_operation_duration_seconds";

#[tokio::test(start_paused = true)]
async fn calls_and_tokens_have_the_conventions_names() {
    let gateway = mock(&["--mock-model", "mock:delay:2000"]).await;
    for _ in 0..3 {
        gateway.complete(request()).await.unwrap();
    }
    let chat = "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"mock\",gen_ai_request_model=\"mock:delay:2000\"";
    assert_eq!(gateway.metric(&format!("{TOOK}_count"), chat), 3.0);
    let sum = gateway.metric(&format!("{TOOK}_sum"), chat);
    assert!((6.0..6.1).contains(&sum), "{sum}");
    for (kind, each) in [("input", 11.0), ("output", 16.0)] {
        let of = format!("{chat},gen_ai_token_type=\"{kind}\"");
        assert_eq!(gateway.metric("gen_ai_client_token_usage_count", &of), 3.0);
        let sum = gateway.metric("gen_ai_client_token_usage_sum", &of);
        assert_eq!(sum, 3.0 * each, "{kind}");
    }
    gateway.embed(embedding()).await.unwrap();
    let embeddings = "gen_ai_operation_name=\"embeddings\"";
    assert_eq!(gateway.metric(&format!("{TOOK}_count"), embeddings), 1.0);
    assert_eq!(
        gateway.metric("gen_ai_client_token_usage_count", embeddings),
        1.0
    );
}

#[tokio::test]
async fn failures_are_counted_by_their_kind() {
    let script = [Fault::Reset, Fault::InternalError, Fault::EarlyClose];
    let server = failing(&script).await;
    let gateway = ollama_at(&server.url(), &["--helper-backend-max-attempts", "3"]).await;
    let streamed = read(gateway.stream(request()).await.unwrap()).await;
    fault(&streamed.failure.unwrap(), ErrorReason::BackendError);
    gateway.complete(request()).await.unwrap();
    for (kind, count) in [
        ("unreachable", 1.0),
        ("server_error", 1.0),
        ("broke_off", 1.0),
        ("", 1.0),
    ] {
        let of = format!("error_type=\"{kind}\"");
        assert_eq!(
            gateway.metric(&format!("{TOOK}_count"), &of),
            count,
            "{kind}"
        );
    }
    let model = "backend=\"ollama\",model=\"llama3.2:1b\"";
    assert_eq!(gateway.metric("llm_retries_total", model), 2.0);
    assert_eq!(
        gateway.metric("llm_calls_total", "outcome=\"BACKEND_ERROR\""),
        1.0
    );
    assert_eq!(
        gateway.metric("llm_calls_total", "backend=\"ollama\",outcome=\"OK\""),
        1.0
    );
    // A model was called, so nothing was refused.
    assert_eq!(gateway.metric("llm_refused_total", ""), 0.0);
}

#[tokio::test(start_paused = true)]
async fn waits_and_our_own_time_are_told_apart() {
    let gateway = mock_taking(2000, 1, &[]).await;
    let first = gateway.starts("ada", request()).await;
    let second = gateway.starts("ben", request()).await;
    // Its wait begins as the first call is in its second half, and is over before its slot is free.
    tokio::time::sleep(seconds(1.0)).await;
    let refused = gateway
        .complete_as("cid", with_wait(seconds(0.0), request()))
        .await;
    fault(&refused.unwrap_err(), ErrorReason::Busy);
    for call in [first, second] {
        call.await.unwrap().unwrap();
    }
    assert_eq!(gateway.metric("llm_queue_wait_seconds_count", ""), 2.0);
    let waited = gateway.metric("llm_queue_wait_seconds_sum", "");
    assert!((1.9..2.1).contains(&waited), "{waited}");
    assert_eq!(gateway.metric("llm_overhead_seconds_count", ""), 2.0);
    let ours = gateway.metric("llm_overhead_seconds_sum", "");
    assert!(ours < 0.01, "{ours}");
    assert_eq!(gateway.metric("llm_refused_total", "reason=\"BUSY\""), 1.0);
}

#[tokio::test(start_paused = true)]
async fn gauges_follow_lines_and_breakers() {
    let gateway = mock_taking(60_000, 1, &["--helper-circuit-breaker-failures", "1"]).await;
    let look = async || tokio::time::sleep(seconds(5.1)).await;
    let calls = [
        gateway.starts("ada", in_class("7a")).await,
        gateway
            .starts("ben", with_wait(seconds(600.0), in_class("7b")))
            .await,
        gateway
            .starts("cid", with_wait(seconds(600.0), in_class("7b")))
            .await,
    ];
    gateway
        .complete(request_to("mock:status:503"))
        .await
        .unwrap_err();
    gateway.embed(embedding()).await.unwrap();
    look().await;
    let labels = "kind=\"completions\",backend=\"mock\",model=\"mock:delay:60000\"";
    assert_eq!(gateway.metric("llm_slots", labels), 1.0);
    assert_eq!(gateway.metric("llm_slots_in_use", labels), 1.0);
    assert_eq!(gateway.metric("llm_queue_length", labels), 2.0);
    // There may be thousands of classes, and whose they are is nobody's business here.
    let metrics = gateway.kit.metrics.encode();
    assert!(
        !metrics.contains("school") && !metrics.contains("7b"),
        "{metrics}"
    );
    assert_eq!(gateway.metric("llm_slots", "kind=\"embeddings\""), 2.0);
    assert_eq!(gateway.metric("llm_breaker_state", labels), 0.0);
    let failed = "kind=\"completions\",backend=\"mock\",model=\"mock:status:503\"";
    assert_eq!(gateway.metric("llm_breaker_state", failed), 2.0);

    calls.iter().for_each(tokio::task::JoinHandle::abort);
    tokio::time::sleep(seconds(30.0)).await;
    assert_eq!(gateway.metric("llm_slots_in_use", labels), 0.0);
    assert_eq!(gateway.metric("llm_queue_length", labels), 0.0);
    assert_eq!(gateway.metric("llm_breaker_state", failed), 1.0);
}

#[tokio::test(start_paused = true)]
async fn gauges_of_lines_that_are_gone_are_gone() {
    let gateway = mock(&[]).await;
    for number in 0..200 {
        gateway
            .complete(request_to(&format!("mock:delay:{number}")))
            .await
            .unwrap();
    }
    tokio::time::sleep(seconds(5.1)).await;
    let metrics = gateway.kit.metrics.encode();
    let slots = metrics
        .lines()
        .filter(|line| line.starts_with("llm_slots{"));
    assert!(slots.count() <= 128);
}

#[tokio::test(start_paused = true)]
async fn gauges_end_with_the_process() {
    let kit = turnwise_kit::Kit::for_tests();
    let gateway = gateway_with(kit, &["--helper-llm-backend", "mock"]).await;
    gateway.complete(request()).await.unwrap();
    gateway.kit.shutdown.cancel();
    gateway.kit.tasks.close();
    gateway.kit.tasks.wait().await;
}
