//! Every request ends, and its answer leaves at least 250 ms before its deadline.

use std::time::Duration;

use proptest::{prelude::*, test_runner::TestCaseError};
use tokio::{task::JoinSet, time::Instant};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, EmbedRequest, Purpose},
};

use crate::harness::{
    Gateway, call, embedding, fault, mock, read, request, request_to, seconds, student, with_wait,
};

/// How long before its deadline an answer leaves.
const RESERVE: Duration = Duration::from_millis(250);
/// Tokio's clock counts milliseconds.
const TICK: Duration = Duration::from_millis(2);

/// What is asked, and of whom.
#[derive(Debug, Clone)]
struct Asked {
    after: Duration,
    deadline: Duration,
    max_wait: Option<Duration>,
    model: &'static str,
    form: Form,
    student: u8,
    /// It leaves after so long, if it has no answer before.
    patience: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Whole,
    Stream,
    Embedding,
}

fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn asked() -> impl Strategy<Value = Asked> {
    let form = prop_oneof![
        4 => Just(Form::Whole),
        4 => Just(Form::Stream),
        1 => Just(Form::Embedding),
    ];
    // Few models, so that many requests meet in one queue.
    let model = prop_oneof![
        4 => Just("mock:delay:700"),
        2 => Just("mock:delay:30000"),
        2 => Just("mock:stall"),
        2 => Just("mock:status:503:1"),
        1 => Just("mock:status:UNAVAILABLE"),
        1 => Just("mock:status:429:4"),
        1 => Just("mock"),
    ];
    (
        millis(0..4_000),
        millis(0..12_000),
        proptest::option::of(millis(0..20_000)),
        model,
        form,
        0..4_u8,
        proptest::option::weighted(0.15, millis(0..3_000)),
    )
        .prop_map(
            |(after, deadline, max_wait, model, form, student, patience)| Asked {
                after,
                deadline,
                max_wait,
                model,
                form,
                student,
                patience,
            },
        )
}

async fn answer(gateway: &Gateway, asked: &Asked) -> Result<(), tonic::Status> {
    let caller = (asked.student > 0).then(|| student(&asked.student.to_string()));
    let max_wait = asked.max_wait.map(|wait| wait.try_into().unwrap());
    let completion = CompleteRequest {
        max_wait,
        class_id: "7a".to_owned(),
        ..request_to(asked.model)
    };
    match asked.form {
        Form::Whole => {
            let request = call(caller, asked.deadline, completion);
            gateway.complete(request).await.map(drop)
        }
        Form::Stream => {
            let stream = gateway
                .stream_as(caller, asked.deadline, completion)
                .await?;
            read(stream).await.failure.map_or(Ok(()), Err)
        }
        Form::Embedding => {
            let request = EmbedRequest {
                max_wait,
                model: asked.model.to_owned(),
                purpose: Purpose::Index.into(),
                ..embedding()
            };
            gateway
                .embed(call(caller, asked.deadline, request))
                .await
                .map(drop)
        }
    }
}

async fn all_end_in_time(requests: Vec<Asked>, coalesce: bool) -> Result<(), TestCaseError> {
    let slots = [
        "--helper-max-concurrency",
        "2",
        "--embed-max-concurrency",
        "1",
    ];
    let sharing = ["--llm-coalesce", if coalesce { "1" } else { "0" }];
    let failover = [
        "--llm-failover",
        "mock/mock:delay:700",
        "--mock-model",
        "mock:status:503:1",
    ];
    let gateway = mock(&[&slots[..], &sharing, &failover].concat()).await;
    let mut calls = JoinSet::new();
    for asked in requests {
        let gateway = gateway.clone();
        calls.spawn(async move {
            tokio::time::sleep(asked.after).await;
            let begun = Instant::now();
            let answer = answer(&gateway, &asked);
            let answer = match asked.patience {
                None => Some(answer.await),
                Some(patience) => tokio::time::timeout(patience, answer).await.ok(),
            };
            (begun.elapsed(), answer, asked)
        });
    }
    while let Some(ended) = calls.join_next().await {
        let (took, answer, asked) = ended.unwrap();
        let allowed = asked.deadline.saturating_sub(RESERVE) + TICK;
        prop_assert!(took <= allowed, "{took:?} of {asked:?}: {answer:?}");
        if let Some(Err(failure)) = answer {
            let reason = Fault::from_status(&failure).reason();
            prop_assert!(
                matches!(
                    reason,
                    ErrorReason::Busy
                        | ErrorReason::Superseded
                        | ErrorReason::CircuitOpen
                        | ErrorReason::BackendError
                        | ErrorReason::BackendUnavailable
                        | ErrorReason::UnknownModel
                        | ErrorReason::DeadlineExceeded
                ),
                "{failure:?}"
            );
        }
    }
    // Nobody is left.
    crate::harness::settle().await;
    for queue in gateway.all_queues().await {
        prop_assert!(
            queue.slots.iter().all(|slot| slot.call.is_none()),
            "{queue:?}"
        );
        let held = queue.waiting.iter().filter(|entry| entry.held).count();
        prop_assert_eq!(queue.waiting.len(), held);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_answer_leaves_before_its_deadline(
        requests in proptest::collection::vec(asked(), 1..25),
        coalesce: bool,
    ) {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap()
            .block_on(all_end_in_time(requests, coalesce))?;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_leave_in_time_is_not_begun() {
    let gateway = mock(&[]).await;
    for deadline in [0.0, 0.1, 0.25] {
        let late = gateway.complete_within(request(), seconds(deadline)).await;
        fault(&late.unwrap_err(), ErrorReason::DeadlineExceeded);
    }
    assert_eq!(gateway.calls(), 0.0);
    let just = gateway.complete_within(request_to("mock:delay:100"), seconds(0.4));
    just.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stall_ends_at_the_deadline_less_the_reserve() {
    let gateway = mock(&[
        "--mock-model",
        "mock:stall",
        "--helper-max-concurrency",
        "1",
    ])
    .await;
    let begun = Instant::now();
    let late = gateway.complete_within(request(), seconds(4.0)).await;
    fault(&late.unwrap_err(), ErrorReason::DeadlineExceeded);
    assert_eq!(begun.elapsed().as_millis() / 10, 375);
    let stream = gateway
        .stream_as(None, seconds(4.0), request())
        .await
        .unwrap();
    let late = read(stream).await.failure.unwrap();
    fault(&late, ErrorReason::DeadlineExceeded);
    assert_eq!(begun.elapsed().as_millis() / 10, 750);
    assert_eq!(gateway.running().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_in_the_queue_ends_there_too() {
    let stall = [
        "--mock-model",
        "mock:stall",
        "--helper-max-concurrency",
        "1",
        "--queue-expected-call-seconds",
        "0.2",
    ];
    let gateway = mock(&stall).await;
    let _held = gateway.starts("ada", request()).await;
    let begun = Instant::now();
    let waits = with_wait(seconds(100.0), request());
    let late = gateway
        .complete(call(Some(student("ben")), seconds(4.0), waits))
        .await;
    // The queue still says when to come back, and holds the place.
    let busy = fault(&late.unwrap_err(), ErrorReason::Busy);
    assert!(busy.metadata("place_ticket").is_some());
    assert_eq!(begun.elapsed().as_millis() / 10, 375);
}

#[tokio::test(start_paused = true)]
async fn who_reads_slowly_gets_nothing_after_the_deadline() {
    let gateway = mock(&["--mock-model", "mock:slow:100"]).await;
    let mut stream = gateway
        .stream_as(None, seconds(2.0), request())
        .await
        .unwrap();
    stream.message().await.unwrap().unwrap();
    tokio::time::sleep(seconds(1.9)).await;
    let late = stream.message().await.unwrap_err();
    fault(&late, ErrorReason::DeadlineExceeded);
}
