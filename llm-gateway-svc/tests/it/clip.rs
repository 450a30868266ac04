//! The cap on a completion's characters.

use std::time::Duration;

use turnwise_proto::llm::v1::{CompleteRequest, FinishReason};
use turnwise_testing::model_server::{Fault, ModelServer, ServiceTime, Settings as Model};

use crate::harness::{mock, ollama_at, read, request, request_to, until};

fn capped(chars: i32, request: CompleteRequest) -> CompleteRequest {
    CompleteRequest {
        max_response_chars: chars,
        ..request
    }
}

#[tokio::test(start_paused = true)]
async fn a_completion_is_clipped_between_two_characters() {
    // Characters of one, two, three and four bytes.
    let text = "aß∑😀".repeat(100);
    let gateway = mock(&["--helper-mock-response-text", &text]).await;
    for (cap, chars) in [
        (1, Some(200)),
        (200, Some(200)),
        (201, Some(201)),
        (399, Some(399)),
        (400, None),
        (i32::MAX, None),
        (0, None),
    ] {
        let clipped: String = text.chars().take(chars.unwrap_or(400)).collect();
        let answer = gateway.complete(capped(cap, request())).await.unwrap();
        let streamed = read(gateway.stream(capped(cap, request())).await.unwrap()).await;
        let end = answer.end.unwrap();
        for (text, end) in [(answer.text, &end), (streamed.text, &streamed.end.unwrap())] {
            assert_eq!(text, clipped, "{cap}");
            assert_eq!(end.truncated, chars.is_some(), "{cap}");
            let length = end.finish_reason() == FinishReason::Length;
            assert_eq!(length, chars.is_some(), "{cap}");
        }
        // An answer that was whole already keeps what its server said of it.
        assert_eq!(end.model, "mock");
        assert_eq!(end.output_tokens, 250);
    }
}

#[tokio::test(start_paused = true)]
async fn pieces_are_clipped_together() {
    let text = "abcdefghij".repeat(30);
    let gateway = mock(&["--helper-mock-response-text", &text]).await;
    let schema = CompleteRequest {
        json_schema: String::new(),
        ..request_to("mock:slow:10")
    };
    let whole = read(gateway.stream(schema.clone()).await.unwrap()).await;
    let clipped = read(gateway.stream(capped(200, schema)).await.unwrap()).await;
    let expected: String = whole.text.chars().take(200).collect();
    assert_eq!(clipped.text, expected);
    assert_eq!(
        clipped.end.unwrap().truncated,
        whole.text.chars().count() > 200
    );
}

#[tokio::test]
async fn what_is_clipped_is_cancelled_at_the_model() {
    let server = ModelServer::start(Model {
        service_time: ServiceTime::constant(Duration::from_secs(60)),
        pieces: 600,
        text: "abcdefghij".repeat(600),
        script: vec![Fault::None],
        ..Model::default()
    })
    .await
    .unwrap();
    let gateway = ollama_at(&server.url(), &["--helper-max-concurrency", "1"]).await;
    let streamed = read(gateway.stream(capped(200, request())).await.unwrap()).await;
    assert_eq!(streamed.text, "abcdefghij".repeat(20));
    let end = streamed.end.unwrap();
    assert!(end.truncated);
    assert_eq!(end.finish_reason(), FinishReason::Length);
    assert_eq!(end.model, "llama3.2:1b");
    assert_eq!(gateway.running().await, 0);
    until(async || server.statistics().completions.cancelled == 1).await;
}
