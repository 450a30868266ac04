//! One turn of a thread at a time, however long it takes and whoever goes away.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use tonic::Code;
use turnwise_proto::{common::v1::ErrorReason, tutor::v1::DegradedReason};
use turnwise_tests::{
    admin,
    answer::{check_fallback, check_model_answer},
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, saying},
};

/// Longer than any of these cases takes on a slow machine.
const BOUND: Duration = Duration::from_secs(60);

in_both_deployments!(
    one_turn_of_a_thread_at_a_time,
    a_long_turn_keeps_its_thread,
    a_student_who_goes_away_blocks_nothing,
);

async fn one_turn_of_a_thread_at_a_time(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new().model("mock:delay:30")).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let turns: Vec<_> = (0..12)
        .map(|i| saying(&thread, &format!("message {i}")))
        .collect();
    let answers = join_all(turns.iter().map(|turn| ada.turn(turn.clone()))).await;
    let mut taken = Vec::new();
    for (turn, answer) in turns.iter().zip(answers) {
        match answer {
            Ok(answer) => taken.push((turn, answer)),
            Err(status) => {
                let fault = check_refusal(&status, Code::Aborted, ErrorReason::TurnInProgress, "");
                assert!(fault.retry_delay().is_some());
            }
        }
    }
    assert!(!taken.is_empty());
    let messages = ada.messages(&thread.thread_id, 200).await;
    assert_eq!(messages.len(), 2 * taken.len());
    for (turn, answer) in taken {
        let at = usize::try_from(answer.messages[0].id).unwrap() - 1;
        assert_eq!(messages[at..at + 2], answer.messages);
        assert_eq!(messages[at].text, turn.input.as_ref().unwrap().text);
    }
    suite.stop();
}

/// Waits until the first turn is with the model: the gateway has its lease then.
async fn with_the_model(suite: &Deployment) {
    let policy = suite.at(Service::Policy).admin.unwrap();
    let decide = "/turnwise.policy.v1.PolicyService/PlanAndDecide";
    eventually("the turn is with the model", BOUND, async || {
        (admin::handled(policy, decide, "OK").await >= 1).then_some(())
    })
    .await;
}

async fn a_long_turn_keeps_its_thread(kind: Kind) {
    // The turn takes three times as long as a lease lasts.
    let options = Options::new()
        .model("mock:delay:12000")
        .env("TURN_LEASE_TTL_SECONDS", "4")
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let first = {
        let (ada, turn) = (ada.clone(), saying(&thread, "the first"));
        tokio::spawn(async move { ada.turn(turn).await })
    };
    with_the_model(&suite).await;
    // Another one is refused until the first is done, and is taken then.
    let turn = saying(&thread, "the second");
    let refused = AtomicUsize::new(0);
    let second = eventually("the thread is free again", BOUND, async || {
        match ada.turn(turn.clone()).await {
            Ok(answer) => Some(answer),
            Err(status) => {
                check_refusal(&status, Code::Aborted, ErrorReason::TurnInProgress, "");
                refused.fetch_add(1, Ordering::SeqCst);
                None
            }
        }
    })
    .await;
    assert!(refused.into_inner() > 0);
    let first = first.await.unwrap().unwrap();
    check_model_answer(&thread, &first, &suite.decision(&first.turn_id));
    let stored = ada.messages(&thread.thread_id, 50).await;
    assert_eq!(stored, [first.messages, second.messages].concat());
    suite.stop();
}

async fn a_student_who_goes_away_blocks_nothing(kind: Kind) {
    // A lease that nobody gives back would outlast the test. A debug build on a busy machine commits slowly: more is kept
    // back than usual.
    let options = Options::new()
        .model("mock:stall")
        .env("TURN_LEASE_TTL_SECONDS", "600")
        .env("TURN_REPLY_RESERVE_MS", "1500")
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let gone = {
        let (ada, turn) = (ada.clone(), saying(&thread, "never mind"));
        tokio::spawn(async move { ada.turn(turn).await })
    };
    with_the_model(&suite).await;
    gone.abort();

    let turn = saying(&thread, "how do I add negative numbers?");
    let answer = eventually("the thread is free again", BOUND, async || {
        let within = Duration::from_secs(8);
        match ada.turn_within(turn.clone(), within).await {
            Ok(answer) => Some(answer),
            Err(status) => {
                check_refusal(&status, Code::Aborted, ErrorReason::TurnInProgress, "");
                None
            }
        }
    })
    .await;
    let decision = suite.decision(&answer.turn_id);
    check_fallback(&thread, &answer, &decision, DegradedReason::LlmTimeout);
    // What was given up is not there.
    assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
    suite.stop();
}
