//! The queue: who is refused at once, who gives way to whom, and what bounds it.

use tokio::{task::JoinHandle, time::Instant};
use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{ChatRole, CompleteRequest, CompleteResponse, Purpose},
};

use crate::harness::{
    Gateway, LONG, call, fault, message, millis, mock_taking, request, seconds, student, with_wait,
};

type Call = JoinHandle<Result<CompleteResponse, Status>>;

/// A call that runs and so many that wait, each of another student.
async fn queue_of(gateway: &Gateway, waiting: usize) -> Vec<Call> {
    let mut calls = Vec::new();
    for number in 0..=waiting {
        let name = format!("student {number}");
        calls.push(gateway.starts(&name, with_wait(LONG, request())).await);
    }
    calls
}

fn for_purpose(purpose: Purpose, thread: &str) -> CompleteRequest {
    CompleteRequest {
        purpose: purpose.into(),
        thread_id: thread.to_owned(),
        ..with_wait(LONG, request())
    }
}

async fn busy(gateway: &Gateway, caller: &str, request: CompleteRequest) -> Fault {
    let refused = gateway.complete_as(caller, request).await.unwrap_err();
    fault(&refused, ErrorReason::Busy)
}

#[tokio::test(start_paused = true)]
async fn who_cannot_start_in_time_is_told_so_at_once() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let queue = queue_of(&gateway, 5).await;
    let begun = Instant::now();
    let refused = busy(&gateway, "zoe", with_wait(seconds(2.0), request())).await;
    assert!(begun.elapsed() < seconds(0.01));
    assert_eq!(refused.metadata("slots"), Some("1"));
    assert_eq!(refused.metadata("position"), Some("6"));
    let wait: u64 = refused.metadata("wait_ms").unwrap().parse().unwrap();
    assert!((5_900..12_000).contains(&wait), "{wait}");
    let again = refused.retry_delay().unwrap();
    assert!((seconds(3.0)..seconds(6.0)).contains(&again), "{again:?}");
    assert!(refused.metadata("place_ticket").is_some());
    // Nobody in particular has no place to hold.
    let nobody = gateway.complete(with_wait(seconds(0.5), request())).await;
    let nobody = fault(&nobody.unwrap_err(), ErrorReason::Busy);
    assert!(nobody.retry_delay().is_some());
    assert_eq!(nobody.metadata("place_ticket"), None);
    assert_eq!(gateway.metric("llm_refused_total", "BUSY"), 2.0);
    for call in queue {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_ticket_holds_the_place() {
    for with_ticket in [true, false] {
        let gateway = mock_taking(1000, 1, &[]).await;
        let queue = queue_of(&gateway, 3).await;
        let refused = busy(&gateway, "zoe", with_wait(seconds(2.0), request())).await;
        let mut later = Vec::new();
        for number in 0..4 {
            let name = format!("later {number}");
            later.push(gateway.starts(&name, with_wait(LONG, request())).await);
        }
        tokio::time::sleep(refused.retry_delay().unwrap()).await;
        let ticket = refused.metadata("place_ticket").unwrap().to_owned();
        let back = CompleteRequest {
            place_ticket: if with_ticket {
                ticket.clone()
            } else {
                String::new()
            },
            // Another thread is another place, and no ticket's.
            thread_id: if with_ticket { "" } else { "other" }.to_owned(),
            ..with_wait(seconds(2.0), request())
        };
        let answer = gateway.complete_as("zoe", back.clone()).await;
        if with_ticket {
            let waited = millis(answer.unwrap().end.unwrap().queue_wait);
            assert!(waited <= 2_000, "{waited}");
            assert!(later.iter().all(|call| !call.is_finished()));
        } else {
            fault(&answer.unwrap_err(), ErrorReason::Busy);
        }
        // It is nobody else's.
        let thief = CompleteRequest {
            place_ticket: ticket,
            ..with_wait(seconds(0.0), request())
        };
        busy(&gateway, "mallory", thief).await;
        for call in queue.into_iter().chain(later) {
            call.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_newer_request_takes_over_the_place() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let begun = Instant::now();
    let running = gateway.starts("ada", for_purpose(Purpose::Help, "t")).await;
    let older = gateway.starts("ada", for_purpose(Purpose::Help, "t")).await;
    let behind = gateway.starts("ben", for_purpose(Purpose::Help, "t")).await;
    let newer = gateway.starts("ada", for_purpose(Purpose::Help, "t")).await;
    fault(&older.await.unwrap().unwrap_err(), ErrorReason::Superseded);
    assert_eq!(begun.elapsed().as_secs(), 0);
    // A call that runs is never replaced.
    running.await.unwrap().unwrap();
    newer.await.unwrap().unwrap();
    assert_eq!(begun.elapsed().as_secs(), 2);
    behind.await.unwrap().unwrap();
    assert_eq!(begun.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn only_the_same_student_thread_and_purpose_is_replaced() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let held = gateway.starts("eve", for_purpose(Purpose::Turn, "")).await;
    let mut calls = Vec::new();
    for (name, purpose, thread) in [
        ("ada", Purpose::Turn, "one"),
        ("ada", Purpose::Turn, "two"),
        ("ada", Purpose::Grade, "one"),
        ("ada", Purpose::Chat, "one"),
        ("ada", Purpose::Help, "one"),
        ("ben", Purpose::Turn, "one"),
        // Each item of a batch is wanted.
        ("ada", Purpose::Batch, "one"),
        ("ada", Purpose::Batch, "one"),
    ] {
        calls.push(gateway.starts(name, for_purpose(purpose, thread)).await);
    }
    // Nobody in particular is nobody twice.
    for _ in 0..2 {
        let (gateway, request) = (gateway.clone(), for_purpose(Purpose::Turn, "one"));
        calls.push(tokio::spawn(async move {
            gateway.complete(call(None, LONG, request)).await
        }));
    }
    crate::harness::settle().await;
    assert_eq!(gateway.queue().await.waiting_total, 10);
    for call in std::iter::once(held).chain(calls) {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_takes_nobody_in() {
    let gateway = mock_taking(1000, 1, &["--queue-max-entries", "2"]).await;
    let queue = queue_of(&gateway, 2).await;
    let refused = gateway.complete_as("zoe", with_wait(LONG, request())).await;
    let full = fault(&refused.unwrap_err(), ErrorReason::QueueFull);
    assert_eq!(full.metadata("max_entries"), Some("2"));
    assert!(full.retry_delay().is_some());
    // The place of one's own has room for one.
    let own = gateway
        .starts("student 2", with_wait(LONG, request()))
        .await;
    for (number, call) in queue.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().is_ok(), number < 2);
    }
    own.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_bytes_in_the_queue_are_bounded() {
    let gateway = mock_taking(1000, 1, &["--queue-max-bytes", "1024"]).await;
    let of = |bytes: usize| CompleteRequest {
        messages: vec![message(ChatRole::User, &"x".repeat(bytes))],
        ..with_wait(LONG, request())
    };
    // What runs does not wait, and a slot that is free needs no room in the queue.
    let running = gateway.starts("ada", of(100_000)).await;
    let first = gateway.starts("ben", of(600)).await;
    let refused = gateway.complete_as("cid", of(425)).await.unwrap_err();
    fault(&refused, ErrorReason::QueueFull);
    let second = gateway.starts("dan", of(424)).await;
    for call in [running, first, second] {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_waits_behind_everybody_but_not_for_ever() {
    let gateway = mock_taking(1000, 1, &["--queue-batch-aging-seconds", "5"]).await;
    let mut queue = queue_of(&gateway, 0).await;
    let batch = gateway.starts("ada", for_purpose(Purpose::Batch, "")).await;
    for number in 0..20 {
        let name = format!("later {number}");
        queue.push(gateway.starts(&name, with_wait(LONG, request())).await);
    }
    let begun = Instant::now();
    batch.await.unwrap().unwrap();
    let waited = begun.elapsed();
    assert!((seconds(5.0)..seconds(7.5)).contains(&waited), "{waited:?}");
    assert!(queue.iter().filter(|call| !call.is_finished()).count() > 12);
    for call in queue {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_longer_than_the_ceiling() {
    let gateway = mock_taking(1000, 1, &["--queue-max-wait-ceiling-seconds", "10"]).await;
    let queue = queue_of(&gateway, 12).await;
    let begun = Instant::now();
    busy(&gateway, "zoe", with_wait(seconds(100_000.0), request())).await;
    assert!(begun.elapsed() < seconds(0.01));
    for (number, call) in queue.into_iter().enumerate() {
        let answer = call.await.unwrap();
        assert!(answer.is_ok() || number > 6, "{number} {answer:?}");
        assert!(answer.is_err() || number < 11, "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_nothing_waits_as_configured() {
    let gateway = mock_taking(1000, 1, &["--helper-queue-max-wait-seconds", "4"]).await;
    let queue = queue_of(&gateway, 1).await;
    let begun = Instant::now();
    gateway.complete_as("ben", request()).await.unwrap();
    assert_eq!(begun.elapsed().as_millis() / 100, 29);
    drop(queue);
    let queue = queue_of(&gateway, 6).await;
    busy(&gateway, "cid", request()).await;
    drop(queue);
}

#[tokio::test(start_paused = true)]
async fn who_waits_in_vain_is_refused_when_the_wait_is_over() {
    // The model is slower than anybody thinks.
    let gateway = crate::harness::mock(&[
        "--mock-model",
        "mock:delay:60000",
        "--helper-max-concurrency",
        "1",
        "--queue-expected-call-seconds",
        "1",
    ])
    .await;
    let queue = queue_of(&gateway, 0).await;
    let begun = Instant::now();
    let refused = busy(&gateway, "zoe", with_wait(seconds(3.0), request())).await;
    assert_eq!(begun.elapsed().as_millis() / 10, 300);
    assert!(refused.metadata("place_ticket").is_some());
    drop(queue);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_bounds_the_wait_too() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let queue = queue_of(&gateway, 5).await;
    let begun = Instant::now();
    let request = call(
        Some(student("zoe")),
        seconds(3.0),
        with_wait(LONG, request()),
    );
    let refused = gateway.complete(request).await.unwrap_err();
    let refused = fault(&refused, ErrorReason::Busy);
    assert!(refused.metadata("place_ticket").is_some());
    assert!(begun.elapsed() < seconds(0.01));
    drop(queue);
}
