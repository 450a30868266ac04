//! Breakers of one process.

use std::sync::Arc;

use turnwise_breaker::{Breakers, Change, Rules, State};

use crate::RULES;

async fn same() -> (Breakers, Breakers, ()) {
    let breakers = Breakers::local(RULES);
    (breakers.clone(), breakers, ())
}

conforms!(same, tokio::test(start_paused = true));

#[tokio::test(start_paused = true)]
async fn changes_are_announced() {
    let breakers = Breakers::local(RULES);
    let mut changes = breakers.changes();
    let mut next = || {
        changes.try_recv().map(|Change { key, state }| {
            assert_eq!(&*key, "model");
            state
        })
    };
    for _ in 0..RULES.failures {
        assert!(next().is_err());
        breakers.admit("model").await.unwrap().failed().await;
    }
    let retry_after = RULES.ttl;
    assert_eq!(next(), Ok(State::Open { retry_after }));
    tokio::time::advance(RULES.ttl).await;
    let probe = breakers.admit("model").await.unwrap();
    let probing = Some(RULES.probe_lease);
    assert_eq!(next(), Ok(State::HalfOpen { probing }));
    probe.succeeded().await;
    assert_eq!(next(), Ok(State::Closed { failures: 0 }));
    assert!(next().is_err());
    let states = breakers.states();
    assert_eq!(
        states,
        [(Arc::from("model"), State::Closed { failures: 0 })]
    );
}

#[tokio::test(start_paused = true)]
async fn made_up_keys_fill_no_memory_and_push_out_no_open_breaker() {
    let breakers = Breakers::local(RULES);
    for _ in 0..RULES.failures {
        breakers.admit("open").await.unwrap().failed().await;
    }
    for number in 0..5000 {
        breakers
            .admit(&format!("made up {number}"))
            .await
            .unwrap()
            .succeeded()
            .await;
    }
    assert!(breakers.states().len() <= 1024);
    assert!(breakers.admit("open").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn zero_failures_are_one() {
    let breakers = Breakers::local(Rules {
        failures: 0,
        ..RULES
    });
    assert!(breakers.admit("model").await.is_ok());
    breakers.admit("model").await.unwrap().failed().await;
    assert!(breakers.admit("model").await.is_err());
}
