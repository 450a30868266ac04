//! How much a caller may ask for.

use tonic::Code;
use turnwise_proto::common::v1::ErrorReason as Why;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, saying},
};

in_both_deployments!(
    a_callers_calls_are_limited,
    an_address_is_limited_that_proves_nobody,
);

async fn a_callers_calls_are_limited(kind: Kind) {
    // Two calls at once, and then one every half minute.
    let options = Options::new()
        .env("HELPER_RATE_LIMIT_PER_MINUTE", "2")
        .env("HELPER_READ_LIMIT_PER_MINUTE", "3");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "hello").await;
    let status = ada.turn(saying(&thread, "hello")).await.unwrap_err();
    let fault = check_refusal(&status, Code::ResourceExhausted, Why::RateLimited, "");
    assert_eq!(fault.metadata("per_minute"), Some("2"));
    let wait = fault.retry_delay().expect("when to come back");
    assert!(wait.as_secs() < 30, "{wait:?}");
    // What is there can still be read, and that has a limit, too.
    for _ in 0..3 {
        ada.thread(&thread.thread_id).await.unwrap();
    }
    let status = ada.thread(&thread.thread_id).await.unwrap_err();
    let fault = check_refusal(&status, Code::ResourceExhausted, Why::RateLimited, "");
    assert_eq!(fault.metadata("per_minute"), Some("3"));
    // Somebody else still has all of theirs.
    let ben = suite.student("ben");
    let thread = ben.open(DEMO_COURSE).await;
    ben.say(&thread, "hello").await;
    suite.stop();
}

async fn an_address_is_limited_that_proves_nobody(kind: Kind) {
    let options = Options::new().env("HELPER_RATE_LIMIT_PER_IP_PER_MINUTE", "5");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let eve = Student::new("eve", "no token", suite.channel());
    for _ in 0..5 {
        let status = eve.standing(DEMO_COURSE).await.unwrap_err();
        check_refusal(&status, Code::Unauthenticated, Why::Unauthenticated, "");
    }
    let status = eve.standing(DEMO_COURSE).await.unwrap_err();
    let fault = check_refusal(&status, Code::ResourceExhausted, Why::RateLimited, "");
    assert_eq!(fault.metadata("per_minute"), Some("5"));
    // Who is known there goes on; who comes now waits, and no longer than until the next call may fail.
    ada.say(&thread, "hello").await;
    let ben = suite.student("ben");
    let status = ben.standing(DEMO_COURSE).await.unwrap_err();
    let fault = check_refusal(&status, Code::ResourceExhausted, Why::RateLimited, "");
    let wait = fault.retry_delay().expect("when to come back");
    assert!(wait.as_secs() <= 12, "{wait:?}");
    suite.stop();
}
