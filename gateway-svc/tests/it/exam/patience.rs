//! How long a platform's exam system is waited for, how often it is called again, and when it is left alone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, advance};
use tonic::Status;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse},
};

use super::platform::{Platform, STATUS, available};
use crate::evidence::fake::stall;

#[tokio::test]
async fn a_call_that_did_not_arrive_is_sent_once_more() {
    let platform = Platform::new();
    let first = Arc::new(AtomicUsize::new(0));
    platform.answers(move |request| match first.fetch_add(1, Ordering::SeqCst) {
        0 => Err(Status::unavailable("not yet")),
        _ => Ok(available(&request.question_ids)),
    });
    assert!(platform.ask(&["q"]).await.is_some());
    assert_eq!(platform.calls(), 2);

    platform.goes_away();
    assert_eq!(platform.ask(&["q"]).await, None);
    assert_eq!(platform.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_stalls_is_waited_for_two_seconds() {
    let platform = Platform::new();
    platform
        .fake
        .on(STATUS, |_: BatchGetQuestionStatusRequest| {
            stall::<BatchGetQuestionStatusResponse>()
        });
    let began = Instant::now();
    assert_eq!(platform.ask(&["q"]).await, None);
    let took = began.elapsed();
    assert!(took <= Duration::from_millis(2_010), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_breaker_opens_and_lets_one_probe_through() {
    let platform = Platform::new();
    platform.goes_away();
    for _ in 0..5 {
        assert_eq!(platform.ask(&["q"]).await, None);
    }
    assert_eq!(platform.calls(), 10, "five calls, each sent twice");
    assert_eq!(platform.ask(&["q"]).await, None);
    let fault = platform.submit().await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert!(fault.retry_delay().unwrap() <= Duration::from_secs(10));
    assert_eq!(platform.calls(), 0, "it is left alone");

    // One probe fails, and it is left alone again.
    advance(Duration::from_secs(10)).await;
    assert_eq!(platform.ask(&["q"]).await, None);
    assert_eq!(platform.calls(), 2);
    assert_eq!(platform.ask(&["q"]).await, None);
    assert_eq!(platform.calls(), 0);

    // One probe succeeds, and all is well.
    platform.is_well();
    advance(Duration::from_secs(10)).await;
    for _ in 0..3 {
        assert!(platform.ask(&["q"]).await.is_some());
    }
    assert_eq!(platform.calls(), 3);
}

/// A student who gives the call no time must not shut the exam system off for the others.
#[tokio::test(start_paused = true)]
async fn short_deadlines_do_not_open_the_breaker() {
    let platform = Platform::new();
    platform
        .fake
        .on(STATUS, |_: BatchGetQuestionStatusRequest| {
            stall::<BatchGetQuestionStatusResponse>()
        });
    for _ in 0..20 {
        let short = Duration::from_millis(1_000);
        assert_eq!(platform.ask_within(short, &["q"]).await, None);
    }
    platform.is_well();
    assert!(platform.ask(&["q"]).await.is_some());
}
