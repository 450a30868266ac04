//! The live view of the queues.

use tokio::time::Instant;
use turnwise_kit::Caller;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        BreakerState, CompleteRequest, GetQueuesRequest, Purpose, Queue, QueueKind, QueueScope,
        WatchQueuesRequest, WatchQueuesResponse,
    },
};

use crate::harness::{
    Gateway, LONG, call, embedding, fault, in_class, millis, mock, mock_taking, request,
    request_to, seconds, student, student_of, with_wait,
};

async fn queues_for(gateway: &Gateway, caller: Caller, max_waiting: i32) -> Vec<Queue> {
    let request = call(Some(caller), LONG, GetQueuesRequest { max_waiting });
    let answer = gateway.queues.clone().get_queues(request).await.unwrap();
    answer.into_inner().queues
}

async fn watch(
    gateway: &Gateway,
    interval: Option<prost_types::Duration>,
) -> Result<tonic::Streaming<WatchQueuesResponse>, tonic::Status> {
    let request = WatchQueuesRequest {
        max_waiting: 0,
        interval,
        class_id: String::new(),
    };
    let answer = gateway.queues.clone().watch_queues(request).await?;
    Ok(answer.into_inner())
}

fn patient(class: &str, purpose: Purpose) -> CompleteRequest {
    CompleteRequest {
        purpose: purpose.into(),
        ..with_wait(LONG, in_class(class))
    }
}

#[tokio::test(start_paused = true)]
async fn it_shows_who_runs_and_who_waits_and_tells_of_no_student() {
    let args = [
        "--queue-class-weights",
        "school/7b=3",
        "--queue-batch-aging-seconds",
        "3600",
    ];
    let gateway = mock_taking(10_000, 1, &args).await;
    let mut calls = vec![
        gateway.starts("ada", patient("7a", Purpose::Help)).await,
        gateway.starts("ben", patient("7b", Purpose::Grade)).await,
        gateway.starts("ben", patient("7b", Purpose::Chat)).await,
        gateway.starts("cid", patient("7b", Purpose::Turn)).await,
        gateway.starts("dan", patient("7a", Purpose::Batch)).await,
    ];
    // Its place is held.
    let refused = gateway
        .complete_as("eve", with_wait(seconds(1.0), in_class("7c")))
        .await;
    fault(&refused.unwrap_err(), ErrorReason::Busy);
    tokio::time::sleep(seconds(2.0)).await;

    let begun = Instant::now();
    let queue = gateway.queue().await;
    assert!(begun.elapsed() < seconds(0.05));
    assert_eq!(queue.kind(), QueueKind::Completions);
    assert_eq!(
        (queue.backend.as_str(), queue.model.as_str()),
        ("mock", "mock:delay:10000")
    );
    assert_eq!(queue.scope(), QueueScope::Process);
    assert_eq!(queue.breaker(), BreakerState::Closed);
    let running = queue.slots[0].call.as_ref().unwrap();
    assert_eq!(running.class_id, "school/7a");
    assert_eq!(running.purpose(), Purpose::Help);
    assert_eq!(running.replica, "0");
    assert_eq!(millis(running.running) / 100, 20);
    assert_eq!(queue.service_time, None);
    assert_eq!(queue.waiting_total, 5);
    let waiting: Vec<_> = queue
        .waiting
        .iter()
        .map(|entry| {
            (
                entry.position,
                entry.class_id.as_str(),
                entry.purpose(),
                entry.held,
            )
        })
        .collect();
    assert_eq!(
        waiting.last().unwrap(),
        &(5, "school/7a", Purpose::Batch, false)
    );
    let held: Vec<_> = waiting.iter().filter(|(.., held)| *held).collect();
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].1, held[0].2), ("school/7c", Purpose::Turn));
    assert!(
        queue
            .waiting
            .iter()
            .all(|entry| millis(entry.waited) / 100 == 20)
    );
    assert!(queue.waiting.is_sorted_by_key(|entry| millis(entry.wait)));
    let classes: Vec<_> = queue
        .classes
        .iter()
        .map(|class| {
            (
                class.class_id.as_str(),
                class.waiting,
                class.students,
                class.weight,
            )
        })
        .collect();
    assert_eq!(
        classes,
        [
            ("school/7a", 1, 1, 1),
            ("school/7b", 3, 2, 3),
            ("school/7c", 1, 1, 1)
        ]
    );
    for name in ["ada", "ben", "cid", "dan", "eve"] {
        assert!(!format!("{queue:?}").contains(name));
    }
    calls.remove(0).await.unwrap().unwrap();
    assert_eq!(millis(gateway.queue().await.service_time) / 100, 100);
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn classes_of_other_tenants_have_no_name() {
    let gateway = mock_taking(10_000, 1, &[]).await;
    let _running = gateway.starts("ada", patient("7a", Purpose::Turn)).await;
    let _waiting = gateway.starts("ben", patient("7b", Purpose::Turn)).await;
    for (caller, running, waiting) in [
        (student("teacher"), "7a", "7b"),
        (student_of("other", "ada"), "", ""),
        // Its name is the beginning of another's.
        (student_of("scho", "ada"), "", ""),
    ] {
        let queue = &queues_for(&gateway, caller, 0).await[0];
        assert_eq!(queue.slots[0].call.as_ref().unwrap().class_id, running);
        assert_eq!(queue.waiting[0].class_id, waiting);
        assert_eq!(queue.waiting[0].student_hash.is_empty(), waiting.is_empty());
        assert_eq!(queue.classes[0].class_id, waiting);
        assert_eq!(queue.classes[0].waiting, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn lists_are_bounded() {
    let gateway = mock_taking(10_000, 1, &[]).await;
    let mut calls = Vec::new();
    for number in 0..130 {
        let name = number.to_string();
        calls.push(gateway.starts(&name, patient("7a", Purpose::Turn)).await);
    }
    for (asked, listed) in [(0, 100), (1, 1), (1000, 129)] {
        let queue = &queues_for(&gateway, student("teacher"), asked).await[0];
        assert_eq!(queue.waiting.len(), listed);
        assert_eq!(queue.waiting_total, 129);
        assert_eq!(queue.classes[0].students, 129);
    }
    for bad in [-1, 1001] {
        let request = GetQueuesRequest { max_waiting: bad };
        let failure = gateway.queues.clone().get_queues(request).await;
        let refused = fault(&failure.unwrap_err(), ErrorReason::InvalidArgument);
        assert_eq!(refused.fields().collect::<Vec<_>>(), ["max_waiting"]);
        let request = WatchQueuesRequest {
            max_waiting: bad,
            interval: None,
            class_id: String::new(),
        };
        let failure = gateway.queues.clone().watch_queues(request).await;
        fault(&failure.unwrap_err(), ErrorReason::InvalidArgument);
    }
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn lines_are_ordered_by_kind_backend_and_model() {
    let args = [
        "--llm-failover",
        "ollama",
        "--ollama-base-url",
        "http://127.0.0.1:1",
    ];
    let gateway = mock(&[&args[..], &["--helper-backoff-seconds", "0"]].concat()).await;
    assert_eq!(gateway.all_queues().await, []);
    gateway.embed(embedding()).await.unwrap();
    let named = CompleteRequest {
        backend: "ollama".to_owned(),
        ..request()
    };
    gateway.complete(named).await.unwrap_err();
    gateway.complete(request_to("mock:echo")).await.unwrap();
    gateway.complete(request()).await.unwrap();
    let queues = gateway.all_queues().await;
    let names: Vec<_> = queues
        .iter()
        .map(|queue| (queue.kind(), queue.backend.as_str(), queue.model.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            (QueueKind::Completions, "mock", "mock"),
            (QueueKind::Completions, "mock", "mock:echo"),
            (QueueKind::Completions, "ollama", "llama3.2:1b"),
            (QueueKind::Embeddings, "mock", "mock"),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_live_view_comes_at_once_and_with_each_change() {
    let gateway = mock_taking(3_000, 1, &[]).await;
    let mut view = watch(&gateway, None).await.unwrap();
    let begun = Instant::now();
    let mut next = async || {
        let queues = view.message().await.unwrap().unwrap().queues;
        (begun.elapsed().as_millis() / 10, queues)
    };
    assert_eq!(next().await, (0, Vec::new()));
    // A queue that is made is a change, and no change is seen twice within the interval.
    let calls = [
        gateway.starts("ada", patient("7a", Purpose::Turn)).await,
        gateway.starts("ben", patient("7a", Purpose::Turn)).await,
    ];
    let (at, queues) = next().await;
    assert!((100..=101).contains(&at), "{at}");
    assert_eq!(queues[0].waiting_total, 1);
    // The next change is the end of the first call.
    let (at, queues) = next().await;
    assert!((300..=301).contains(&at), "{at}");
    assert_eq!(queues[0].waiting_total, 0);
    assert!(queues[0].service_time.is_some());
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let (at, queues) = next().await;
    assert!((600..=601).contains(&at), "{at}");
    assert_eq!(queues[0].slots[0].call, None);
}

#[tokio::test(start_paused = true)]
async fn a_live_view_tells_of_breakers() {
    let args = [
        "--mock-model",
        "mock:status:503",
        "--helper-circuit-breaker-failures",
        "1",
    ];
    let gateway = mock(&[&args[..], &["--helper-backoff-seconds", "0"]].concat()).await;
    let mut view = watch(&gateway, None).await.unwrap();
    assert_eq!(view.message().await.unwrap().unwrap().queues, []);
    gateway.complete(request()).await.unwrap_err();
    let seen = view.message().await.unwrap().unwrap().queues;
    assert_eq!(seen[0].breaker(), BreakerState::Open);
}

#[tokio::test(start_paused = true)]
async fn the_interval_is_bounded() {
    let gateway = mock(&[]).await;
    let interval = |seconds, nanos| Some(prost_types::Duration { seconds, nanos });
    for bad in [
        interval(0, 99_000_000),
        interval(60, 1),
        interval(-1, 0),
        interval(0, 0),
    ] {
        let failure = watch(&gateway, bad).await.unwrap_err();
        let refused = fault(&failure, ErrorReason::InvalidArgument);
        assert_eq!(refused.fields().collect::<Vec<_>>(), ["interval"]);
    }
    for (good, most) in [(interval(0, 100_000_000), 0.1), (interval(60, 0), 60.0)] {
        let mut view = watch(&gateway, good).await.unwrap();
        view.message().await.unwrap().unwrap();
        let begun = Instant::now();
        gateway
            .complete(request_to(&format!("mock:delay:{most}0").replace('.', "")))
            .await
            .unwrap();
        view.message().await.unwrap().unwrap();
        let waited = begun.elapsed().as_secs_f64();
        assert!((most - 0.01..most + 0.01).contains(&waited), "{waited}");
    }
}
