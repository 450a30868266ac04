//! The end of a process: SIGTERM in the middle of a turn.

use std::time::Duration;

use tonic::Code;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use turnwise_tests::{
    admin,
    answer::check_model_answer,
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    student::{DEMO_COURSE, saying},
};

in_both_deployments!(a_running_turn_is_finished);

async fn a_running_turn_is_finished(kind: Kind) {
    let options = Options::new()
        .model("mock:delay:8000")
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;

    let mut health = HealthClient::new(suite.channel())
        .watch(HealthCheckRequest {
            service: "turnwise.tutor.v1.TutorService".to_owned(),
        })
        .await
        .unwrap()
        .into_inner();
    let status = health.message().await.unwrap().unwrap().status();
    assert_eq!(status, ServingStatus::Serving);

    let turn = {
        let (ada, turn) = (ada.clone(), saying(&thread, "what is -3 + 8?"));
        tokio::spawn(async move { ada.turn(turn).await })
    };
    // Once the policy has decided, the turn is with the model.
    let policy = suite.at(Service::Policy).admin.unwrap();
    eventually("the turn runs", Duration::from_secs(10), async || {
        let decided = admin::handled(policy, "/turnwise.policy.v1.PolicyService/Decide", "OK");
        (decided.await == 1).then_some(())
    })
    .await;
    assert!(!turn.is_finished());

    let public = suite.public_service();
    suite.process(public).terminate();
    let status = health.message().await.unwrap().unwrap().status();
    assert_eq!(status, ServingStatus::NotServing);
    drop(health);

    let answer = turn.await.unwrap().unwrap();
    check_model_answer(&thread, &answer, &suite.decision(&answer.turn_id));
    let exit = suite.process(public).exit_status();
    assert!(exit.success(), "{exit}");

    // Nobody is there any more, and what was answered stays.
    let status = ada.thread(&thread.thread_id).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    suite.restart(public);
    let messages = eventually("it answers again", Duration::from_secs(10), async || {
        ada.thread(&thread.thread_id).await.ok()?;
        Some(ada.messages(&thread.thread_id, 50).await)
    })
    .await;
    assert_eq!(messages, answer.messages);
    suite.stop();
}
