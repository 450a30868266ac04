//! Services that die while others go on: the student is answered as well as can be, at once, and is told what was
//! missing.

use std::time::Duration;

use tokio::time::Instant;
use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    session::v1::{
        GetSnapshotRequest, StudentSnapshot, session_service_client::SessionServiceClient,
    },
    tutor::v1::{ClientEventKind, DegradedReason},
};
use turnwise_tests::{
    answer::{check_answer, check_fallback, check_model_answer, check_shape, tutor},
    deployment::Deployment,
    eventually::eventually,
    evidence::as_service,
    options::{Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, new_thread, pressing, saying},
};

/// Longer than a refused connection takes on a slow machine, shorter than any deadline or connection timeout.
const AT_ONCE: Duration = Duration::from_millis(1500);
/// How long a connection may take to come back.
const BACK: Duration = Duration::from_secs(15);

/// A student's record in the demo course, as it is stored.
pub async fn snapshot(suite: &Deployment, student: &Student) -> StudentSnapshot {
    let request = as_service(GetSnapshotRequest {
        student_id: student.id.clone(),
        course_id: DEMO_COURSE.to_owned(),
    });
    SessionServiceClient::new(suite.internal(Service::Session))
        .get_snapshot(request)
        .await
        .unwrap()
        .into_inner()
        .snapshot
        .unwrap()
}

/// Takes turns until one is as good as ever.
async fn until_well(suite: &Deployment, student: &Student) {
    let thread = student.open(DEMO_COURSE).await;
    eventually("a turn that is not degraded", BACK, async || {
        let now = student.thread(&thread.thread_id).await.unwrap();
        let turn = pressing(&thread, ClientEventKind::DrillContinue, "ALG-01");
        let answer = student.turn(turn).await.ok()?;
        check_shape(&now, &answer);
        (answer.degraded_reasons().count() == 0)
            .then(|| check_model_answer(&now, &answer, &suite.decision(&answer.turn_id)))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_retrieval_the_tutor_goes_on() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    suite.kill(Service::Retrieval);
    let thread = ada.open(DEMO_COURSE).await;
    for turn in [
        saying(&thread, "how do I add negative numbers?"),
        pressing(&thread, ClientEventKind::RequestDrill, "ALG-01"),
    ] {
        let now = ada.thread(&thread.thread_id).await.unwrap();
        let answer = ada.turn(turn).await.unwrap();
        check_answer(&now, &answer);
        let degraded: Vec<_> = answer.degraded_reasons().collect();
        assert_eq!(degraded, [DegradedReason::RetrievalUnavailable]);
        assert_eq!(answer.model, "mock");
    }
    suite.restart(Service::Retrieval);
    until_well(&suite, &ada).await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_gateway_there_is_a_fallback() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    suite.kill(Service::Llm);
    let thread = ada.open(DEMO_COURSE).await;
    let begun = Instant::now();
    let answer = ada
        .press(&thread, ClientEventKind::DrillContinue, "ALG-01")
        .await;
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    let decision = suite.decision(&answer.turn_id);
    check_fallback(&thread, &answer, &decision, DegradedReason::LlmTransport);
    assert_eq!(answer.model, "");
    suite.restart(Service::Llm);
    until_well(&suite, &ada).await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_policy_nothing_is_decided() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    let thread = ada.open(DEMO_COURSE).await;
    ada.press(&thread, ClientEventKind::DrillContinue, "ALG-01")
        .await;
    let before = snapshot(&suite, &ada).await;
    suite.kill(Service::Policy);

    let mut texts = Vec::new();
    for turn in [
        saying(&thread, "I want to do fractions now"),
        pressing(&thread, ClientEventKind::RequestExam, "ALG-03"),
    ] {
        let now = ada.thread(&thread.thread_id).await.unwrap();
        let begun = Instant::now();
        let answer = ada.turn(turn.clone()).await.unwrap();
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
        check_shape(&now, &answer);
        let degraded: Vec<_> = answer.degraded_reasons().collect();
        assert_eq!(degraded, [DegradedReason::PolicyUnavailable]);
        assert!(tutor(&answer).card.is_none());
        assert!(tutor(&answer).buttons.is_empty());
        assert!(answer.snapshot_lite.is_none());
        assert_eq!(answer.model, "");
        texts.push(tutor(&answer).text.clone());
        // It is an answer like any other: stored, and given again for the same key.
        assert_eq!(ada.turn(turn).await.unwrap(), answer);
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(snapshot(&suite, &ada).await, before);
    assert_eq!(
        ada.thread(&thread.thread_id).await.unwrap().message_count,
        6
    );

    let begun = Instant::now();
    let status = ada
        .create_thread(new_thread(DEMO_COURSE))
        .await
        .unwrap_err();
    let fault = check_refusal(&status, Code::Unavailable, Why::DependencyUnavailable, "");
    assert!(fault.retry_delay().is_some());
    assert_eq!(fault.metadata("service"), Some("policy-svc"));
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());

    suite.restart(Service::Policy);
    eventually("a thread is made again", BACK, async || {
        ada.create_thread(new_thread(DEMO_COURSE)).await.ok()
    })
    .await;
    until_well(&suite, &ada).await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_store_nothing_is_acknowledged() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    let thread = ada.open(DEMO_COURSE).await;
    suite.kill(Service::Session);
    let turn = saying(&thread, "how do I add negative numbers?");
    for _ in 0..3 {
        let begun = Instant::now();
        for status in [
            ada.turn(turn.clone()).await.unwrap_err(),
            ada.create_thread(new_thread(DEMO_COURSE))
                .await
                .unwrap_err(),
            ada.thread(&thread.thread_id).await.unwrap_err(),
            ada.standing(DEMO_COURSE).await.unwrap_err(),
        ] {
            let fault = check_refusal(&status, Code::Unavailable, Why::DependencyUnavailable, "");
            assert!(fault.retry_delay().is_some());
        }
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    }
    suite.restart(Service::Session);
    // The same turn with the same key, as a client tries it again.
    let answer = eventually("the turn is taken", BACK, async || {
        ada.turn(turn.clone()).await.ok()
    })
    .await;
    check_answer(&thread, &answer);
    assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redis_nothing_is_acknowledged() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    let thread = ada.open(DEMO_COURSE).await;
    suite.redis_mut().kill();
    for _ in 0..3 {
        let begun = Instant::now();
        for status in [
            ada.turn(saying(&thread, "hello")).await.unwrap_err(),
            ada.create_thread(new_thread(DEMO_COURSE))
                .await
                .unwrap_err(),
            ada.thread(&thread.thread_id).await.unwrap_err(),
            ada.standing(DEMO_COURSE).await.unwrap_err(),
        ] {
            let fault = check_refusal(&status, Code::Unavailable, Why::StorageUnavailable, "");
            assert!(fault.retry_delay().is_some());
        }
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    }
    // It comes back empty, and the services find it by themselves.
    suite.redis_mut().start_again().unwrap();
    eventually("a thread is made again", BACK, async || {
        ada.create_thread(new_thread(DEMO_COURSE)).await.ok()
    })
    .await;
    until_well(&suite, &ada).await;
    let status = ada.thread(&thread.thread_id).await.unwrap_err();
    check_refusal(&status, Code::NotFound, Why::UnknownThread, "thread_id");
    suite.stop();
}
