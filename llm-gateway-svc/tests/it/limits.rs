//! Limits on requests and tokens, and a class's budget for the day.

use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, stream_complete_response::Piece},
};
use turnwise_testing::model_server::Fault as ModelFault;

use crate::harness::{
    Gateway, LONG, always, call, embedding, fault, gateway_with, in_class, kit_at, mock, ollama_at,
    read, seconds, settle, student_of,
};

/// Whose request it is: tenant, student, class and address.
type Who = [&'static str; 4];

const ADA: Who = ["school", "ada", "7a", "192.0.2.7"];

async fn ask(gateway: &Gateway, who: Who) -> Result<(), Fault> {
    let [tenant, subject, class, address] = who;
    let request = CompleteRequest {
        client_address: address.to_owned(),
        ..in_class(class)
    };
    let request = call(Some(student_of(tenant, subject)), LONG, request);
    let answer = gateway.complete(request).await;
    // Tokens are charged by a task.
    settle().await;
    match answer {
        Ok(_) => Ok(()),
        Err(failure) => Err(Fault::from_status(&failure)),
    }
}

fn limited(answer: Result<(), Fault>, limit: &str, per_minute: &str) -> Fault {
    let refused = answer.expect_err(limit);
    assert_eq!(refused.reason(), ErrorReason::RateLimited, "{refused}");
    assert_eq!(refused.metadata("limit"), Some(limit));
    assert_eq!(refused.metadata("per_minute"), Some(per_minute));
    refused
}

#[tokio::test(start_paused = true)]
async fn requests_are_limited_for_each_student_class_and_address() {
    let with = |index: usize, value: &'static str| {
        let mut who = ADA;
        who[index] = value;
        who
    };
    for (setting, limit, same, others) in [
        (
            "--llm-actor-requests-per-minute",
            "actor_requests",
            vec![with(2, "7b"), with(3, "192.0.2.8")],
            vec![with(0, "other"), with(1, "ben")],
        ),
        (
            "--llm-class-requests-per-minute",
            "class_requests",
            vec![with(1, "ben"), with(3, "192.0.2.8")],
            vec![with(0, "other"), with(2, "7b"), with(2, "")],
        ),
        (
            "--llm-address-requests-per-minute",
            "address_requests",
            vec![
                with(1, "ben"),
                with(0, "other"),
                with(2, "7b"),
                with(3, "::ffff:192.0.2.7"),
            ],
            vec![with(3, "192.0.2.8"), with(3, "")],
        ),
    ] {
        let gateway = mock(&[setting, "6"]).await;
        for _ in 0..6 {
            ask(&gateway, ADA).await.unwrap();
        }
        for who in same {
            let refused = limited(ask(&gateway, who).await, limit, "6");
            let again = refused.retry_delay().unwrap();
            assert!((seconds(9.8)..=seconds(10.0)).contains(&again), "{again:?}");
        }
        for who in others {
            ask(&gateway, who).await.unwrap();
        }
        tokio::time::sleep(seconds(10.0)).await;
        ask(&gateway, ADA).await.unwrap();
        limited(ask(&gateway, ADA).await, limit, "6");
        assert!(gateway.metric("llm_refused_total", "RATE_LIMITED") > 2.0);
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_limited_once_they_are_used() {
    for (setting, limit) in [
        ("--llm-actor-tokens-per-minute", "actor_tokens"),
        ("--llm-class-tokens-per-minute", "class_tokens"),
        ("--llm-address-tokens-per-minute", "address_tokens"),
    ] {
        let gateway = mock(&[setting, "6"]).await;
        // One completion takes 11 tokens of prompt and 16 of text: far more than the limit, so it leaves a debt.
        ask(&gateway, ADA).await.unwrap();
        let refused = limited(ask(&gateway, ADA).await, limit, "6");
        let again = refused.retry_delay().unwrap();
        assert!(
            (seconds(200.0)..seconds(260.0)).contains(&again),
            "{again:?}"
        );
        tokio::time::sleep(again - seconds(1.0)).await;
        limited(ask(&gateway, ADA).await, limit, "6");
        tokio::time::sleep(seconds(1.1)).await;
        ask(&gateway, ADA).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_budget_lasts_until_the_next_day() {
    let (kit, clock) = kit_at("2026-03-01T22:30:00Z");
    let args = [
        "--helper-llm-backend",
        "mock",
        "--llm-class-tokens-per-day",
        "40",
    ];
    let gateway = gateway_with(kit, &args).await;
    ask(&gateway, ADA).await.unwrap();
    ask(&gateway, ADA).await.unwrap();
    let spent = ask(&gateway, ["school", "ben", "7a", ""])
        .await
        .unwrap_err();
    assert_eq!(spent.reason(), ErrorReason::BudgetExhausted);
    assert_eq!(spent.metadata("class_id"), Some("7a"));
    assert_eq!(spent.metadata("tokens_per_day"), Some("40"));
    assert_eq!(spent.retry_delay(), Some(seconds(5400.0)));
    for other in [
        ["other", "ada", "7a", ""],
        ["school", "ada", "7b", ""],
        ["school", "ada", "", ""],
    ] {
        ask(&gateway, other).await.unwrap();
    }
    clock.advance(5_399_000_000);
    ask(&gateway, ADA).await.unwrap_err();
    clock.advance(1_000_000);
    ask(&gateway, ADA).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn embeddings_count_too() {
    let gateway = mock(&["--llm-actor-tokens-per-minute", "2"]).await;
    let ask = || call(Some(student_of("school", "ada")), LONG, embedding());
    gateway.embed(ask()).await.unwrap();
    settle().await;
    let refused = gateway.embed(ask()).await.unwrap_err();
    fault(&refused, ErrorReason::RateLimited);
}

#[tokio::test(start_paused = true)]
async fn who_leaves_has_used_what_was_worked_on() {
    for streams in [true, false] {
        let args = [
            "--llm-class-tokens-per-minute",
            "6",
            "--mock-model",
            "mock:slow:1000",
        ];
        let gateway = mock(&args).await;
        if streams {
            let ada = Some(student_of("school", "ada"));
            let stream = gateway.stream_as(ada, LONG, in_class("7a"));
            let mut stream = stream.await.unwrap();
            let piece = stream.message().await.unwrap().unwrap().piece;
            assert!(matches!(piece, Some(Piece::Delta(_))));
        } else {
            let gone = gateway.starts("ada", in_class("7a")).await;
            gone.abort();
            assert!(gone.await.unwrap_err().is_cancelled());
        }
        settle().await;
        let refused = gateway
            .complete_as("ben", in_class("7a"))
            .await
            .unwrap_err();
        let limited = fault(&refused, ErrorReason::RateLimited);
        // The prompt alone has 11 tokens.
        assert!(limited.retry_delay().unwrap() > seconds(50.0));
    }
}

#[tokio::test]
async fn a_broken_completion_costs_what_it_was() {
    for streams in [true, false] {
        let server = always(ModelFault::EarlyClose).await;
        let gateway = ollama_at(&server.url(), &["--llm-class-tokens-per-minute", "6"]).await;
        let failure = if streams {
            read(gateway.stream(in_class("7a")).await.unwrap())
                .await
                .failure
        } else {
            gateway.complete(in_class("7a")).await.err()
        };
        fault(&failure.unwrap(), ErrorReason::BackendError);
        settle().await;
        let refused = gateway.complete(in_class("7a")).await.unwrap_err();
        fault(&refused, ErrorReason::RateLimited);
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_model_has_worked_on_costs_nothing() {
    let gateway = mock(&[
        "--llm-class-tokens-per-minute",
        "6",
        "--mock-model",
        "mock:status:503",
    ])
    .await;
    for _ in 0..8 {
        let failure = gateway.complete(in_class("7a")).await.unwrap_err();
        let reason = Fault::from_status(&failure).reason();
        assert_ne!(reason, ErrorReason::RateLimited);
        settle().await;
    }
}
