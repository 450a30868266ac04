//! What breakers do, wherever they are kept: on two handles that are replicas of each other, or the same.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use turnwise_breaker::{Breakers, Open, Permit, State};

use crate::RULES;

/// The breaker of the tests. A name may hold anything.
pub const KEY: &str = "ollama llama3.2:1b";
/// How long a test waits for what takes a few seconds.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// By how much clocks may be off.
const A_MOMENT: Duration = Duration::from_millis(20);

async fn admitted(breakers: &Breakers) -> Permit {
    breakers.admit(KEY).await.expect("a call may go on")
}

async fn refused(breakers: &Breakers) -> Open {
    match breakers.admit(KEY).await {
        Err(open) => open,
        Ok(permit) => panic!("a call went on, probe: {}", permit.is_probe()),
    }
}

/// Fails so often in a row.
async fn fail(breakers: &Breakers, times: u32) {
    for _ in 0..times {
        admitted(breakers).await.failed().await;
    }
}

/// Comes again whenever it is told to, and is the probe in the end.
pub async fn probe(breakers: &Breakers) -> Permit {
    let begin = Instant::now();
    loop {
        match breakers.admit(KEY).await {
            Ok(permit) => {
                assert!(permit.is_probe());
                return permit;
            }
            Err(open) => sleep(open.retry_after).await,
        }
        assert!(begin.elapsed() < PATIENCE);
    }
}

/// Waits until a replica has learnt so much.
pub async fn until(breakers: &Breakers, seen: impl Fn(State) -> bool) {
    let begin = Instant::now();
    while !seen(breakers.state(KEY)) {
        assert!(begin.elapsed() < PATIENCE, "{:?}", breakers.state(KEY));
        sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until a replica has learnt that the breaker is open.
pub async fn until_open(breakers: &Breakers) {
    until(breakers, |state| matches!(state, State::Open { .. })).await;
}

pub async fn failures_of_all_replicas_open_it(one: &Breakers, other: &Breakers) {
    fail(one, 2).await;
    admitted(one).await.succeeded().await;
    fail(one, 2).await;
    assert!(matches!(one.state(KEY), State::Closed { failures: 2 }));
    fail(other, 1).await;
    let open = refused(other).await;
    assert!(open.retry_after <= RULES.ttl && !open.retry_after.is_zero());
    assert!(matches!(other.state(KEY), State::Open { .. }));
    // Others are not concerned.
    assert!(other.admit("openai gpt-5.2").await.is_ok());
}

pub async fn one_probe_decides(one: &Breakers, other: &Breakers) {
    let begin = Instant::now();
    fail(one, RULES.failures).await;
    until_open(other).await;
    let call = probe(other).await;
    assert!(begin.elapsed() >= RULES.ttl - A_MOMENT);
    for breakers in [one, other, one] {
        let open = refused(breakers).await;
        assert!(open.retry_after <= RULES.probe_lease && !open.retry_after.is_zero());
    }
    assert!(matches!(
        other.state(KEY),
        State::HalfOpen { probing: Some(_) }
    ));
    let begin = Instant::now();
    call.failed().await;
    let open = refused(other).await;
    assert!(open.retry_after <= RULES.ttl);
    until_open(one).await;
    let call = probe(one).await;
    assert!(begin.elapsed() >= RULES.ttl - A_MOMENT);
    call.succeeded().await;
    let call = admitted(one).await;
    assert!(!call.is_probe());
    assert_eq!(one.state(KEY), State::Closed { failures: 0 });
}

pub async fn a_probe_that_is_dropped_is_left_to_the_next_call(one: &Breakers, other: &Breakers) {
    fail(one, RULES.failures).await;
    drop(probe(one).await);
    for breakers in [one, other, one] {
        let begin = Instant::now();
        // Dropping cannot wait; where it must be told, that is done in a moment.
        while breakers.admit(KEY).await.is_err() {
            assert!(begin.elapsed() < RULES.probe_lease / 2, "left to its lease");
            sleep(Duration::from_millis(1)).await;
        }
    }
}

pub async fn a_probe_may_take_its_time(one: &Breakers, other: &Breakers) {
    fail(one, RULES.failures).await;
    let call = probe(one).await;
    for _ in 0..6 {
        sleep(RULES.probe_lease / 3).await;
        refused(one).await;
        refused(other).await;
    }
    call.succeeded().await;
    assert!(!admitted(one).await.is_probe());
}

pub async fn calls_from_before_it_turned_change_nothing(one: &Breakers, other: &Breakers) {
    let mut old = Vec::new();
    for _ in 0..RULES.failures + 2 {
        old.push(admitted(other).await);
    }
    fail(one, RULES.failures).await;
    refused(one).await;
    old.remove(0).succeeded().await;
    old.remove(0).failed().await;
    refused(one).await;
    probe(one).await.succeeded().await;
    for call in old {
        call.failed().await;
    }
    // Both were just told what it is, the other one by its own calls.
    assert_eq!(one.state(KEY), State::Closed { failures: 0 });
    assert_eq!(other.state(KEY), State::Closed { failures: 0 });
}

/// Runs all of them; each gets fresh breakers.
macro_rules! conforms {
    ($fixture:ident, $test:meta) => {
        conforms! {
            $fixture, $test,
            failures_of_all_replicas_open_it
            one_probe_decides
            a_probe_that_is_dropped_is_left_to_the_next_call
            a_probe_may_take_its_time
            calls_from_before_it_turned_change_nothing
        }
    };
    ($fixture:ident, $test:meta, $($name:ident)*) => {
        $(
            #[$test]
            async fn $name() {
                let (one, other, _server) = $fixture().await;
                $crate::conformance::$name(&one, &other).await;
            }
        )*
    };
}
