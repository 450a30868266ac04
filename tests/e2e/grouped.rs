//! Some of the services in one process: what the suite's other processes reach, the order of its end, and what stops its
//! start. Whole conversations in such groupings stand with those of the other deployments.

use std::time::Duration;

use tonic::{Code, Request, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use turnwise::data_dir::{DEV_ISSUER, DataDir, random_secret};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
};
use turnwise_tests::{
    admin,
    answer::check_model_answer,
    deployment::Deployment,
    eventually::eventually,
    options::{Options, Service},
    process::repository,
    raw,
    refusal::{check_refusal, check_unauthenticated},
    student::{DEMO_COURSE, saying},
};

use crate::settings::{refused, start};

/// How long a step may take on a busy machine.
const BOUND: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn other_processes_reach_what_is_inside_with_the_token_alone() {
    let mut suite = Deployment::three_processes(Options::new()).await;
    let inside = PolicyServiceClient::new(suite.internal(Service::Policy));
    let courses = inside
        .clone()
        .list_courses(Request::new(ListCoursesRequest::default()))
        .await;
    assert!(!courses.unwrap().into_inner().courses.is_empty());

    let at = suite.at(Service::Policy).internal.unwrap();
    let channel = Channel::from_shared(format!("http://{at}"))
        .unwrap()
        .connect_lazy();
    let stranger = PolicyServiceClient::new(channel.clone())
        .list_courses(Request::new(ListCoursesRequest::default()))
        .await;
    check_unauthenticated(&stranger.unwrap_err(), "internal_token");
    // A student's token opens nothing there, and the public face is not there.
    let ada = suite.student("ada");
    let path = "/turnwise.retrieval.v1.RetrievalService/Retrieve";
    let theirs = raw::call(&channel, path, ada.request(bytes::Bytes::new())).await;
    check_unauthenticated(&theirs.unwrap_err(), "internal_token");
    let mut request = Request::new(bytes::Bytes::new());
    let bearer = suite.internal_bearer().parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let public = "/turnwise.tutor.v1.TutorService/TakeTurn";
    let refused = raw::call(&channel, public, request).await.unwrap_err();
    check_refusal(&refused, Code::Unimplemented, Why::UnknownMethod, "");
    suite.stop();
}

/// A turn may come back through another process: until it is answered, the services inside are called as before.
#[tokio::test(flavor = "multi_thread")]
async fn the_public_face_ends_before_the_services_inside() {
    let options = Options::new()
        .model("mock:delay:8000")
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    let mut suite = Deployment::three_processes(options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let turn = {
        let (ada, turn) = (ada.clone(), saying(&thread, "what is -3 + 8?"));
        tokio::spawn(async move { ada.turn(turn).await })
    };
    let policy = suite.at(Service::Policy).admin.unwrap();
    eventually("the turn is with the model", BOUND, async || {
        let decided = admin::handled(
            policy,
            "/turnwise.policy.v1.PolicyService/PlanAndDecide",
            "OK",
        );
        (decided.await >= 1).then_some(())
    })
    .await;

    suite.process(Service::Suite).terminate();
    let inside = suite.internal(Service::Policy);
    eventually("new calls are told to go elsewhere", BOUND, async || {
        let request = HealthCheckRequest {
            service: "turnwise.policy.v1.PolicyService".to_owned(),
        };
        let health = HealthClient::new(inside.clone()).check(request).await;
        let status = health.unwrap().into_inner().status();
        (status == ServingStatus::NotServing).then_some(())
    })
    .await;
    let courses = PolicyServiceClient::new(inside)
        .list_courses(Request::new(ListCoursesRequest::default()))
        .await;
    courses.unwrap();
    assert!(!turn.is_finished());

    let answer = turn.await.unwrap().unwrap();
    check_model_answer(&thread, &answer, &suite.decision(&answer.turn_id));
    let exit = suite.process(Service::Suite).exit_status();
    assert!(exit.success(), "{exit}");
    for service in [Service::Session, Service::Llm] {
        suite.process(service).stop();
    }
    suite.nothing_panicked();
}

#[test]
fn a_target_is_one_of_five_and_named_once() {
    for (target, says) in [
        ("", "`` is no target"),
        ("gateway,,policy", "`` is no target"),
        ("gateway,tutor", "`tutor` is no target"),
        ("gateway-svc", "`gateway-svc` is no target"),
        ("policy,session,policy", "policy-svc is a target twice"),
        ("all,session", "session-svc is a target twice"),
    ] {
        let flag = start("turnwise", &["serve", "--target", target], &[]);
        refused(&flag, &["--target", says]);
    }
}

/// Settings that contradict each other or are missing stop the start; those of services that are no targets are not asked
/// for.
#[test]
fn what_does_not_fit_the_targets_stops_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let data_dir = DataDir::create(&dir.path().join("data")).unwrap();
    let token = dir.path().join("token");
    turnwise_testing::write_secret(&token, random_secret().unwrap()).unwrap();
    let text = |path: &std::path::Path| path.display().to_string();
    let (courses, token) = (text(&repository().join("courses")), text(&token));
    let keys = text(&data_dir.jwks_file());
    let drills = text(&data_dir.drill_token_keys_file());
    let scopes = text(&data_dir.scope_token_keys_file());
    let usual = [
        ("LISTEN", "127.0.0.1:0"),
        ("COURSES_DIR", courses.as_str()),
        ("RETRIEVAL_STORE", "memory"),
        ("SESSION_STORE", "embedded:session.redb"),
        ("HELPER_LLM_BACKEND", "none"),
        ("HELPER_CLASS_RESET_ARCHIVE_DIR", "archives"),
    ];
    let issuer = [
        ("JWT_ISSUER", DEV_ISSUER),
        ("JWT_JWKS_FILE", keys.as_str()),
        ("DRILL_TOKEN_KEYS_FILE", drills.as_str()),
        ("SCOPE_TOKEN_KEYS_FILE", scopes.as_str()),
    ];
    let proof = [("INTERNAL_TOKEN_FILE", token.as_str())];
    let behind = [
        ("RETRIEVAL_ENDPOINT", "http://127.0.0.1:9"),
        ("LLM_GATEWAY_ENDPOINT", "http://127.0.0.1:9"),
        ("SESSION_ENDPOINT", "http://127.0.0.1:9"),
    ];
    let (policy, inside) = (
        [("POLICY_ENDPOINT", "http://127.0.0.1:9")],
        [("INTERNAL_LISTEN", "127.0.0.1:0")],
    );
    let gateway_and_proof = [&issuer[..], &proof].concat();
    for (target, settings, says) in [
        // Without a target nothing is served.
        (None, vec![], "--target"),
        (
            Some("gateway,policy"),
            gateway_and_proof.clone(),
            "RETRIEVAL_ENDPOINT is not set",
        ),
        (
            Some("gateway,policy"),
            [&gateway_and_proof[..], &behind, &policy].concat(),
            "POLICY_ENDPOINT is set, and policy-svc is a target",
        ),
        (
            Some("policy"),
            [&proof[..], &policy].concat(),
            "POLICY_ENDPOINT is set, and policy-svc is a target",
        ),
        // Nobody there calls it.
        (
            Some("session"),
            [&proof[..], &behind[1..2]].concat(),
            "no target calls llm-gateway-svc",
        ),
        (
            Some("policy,retrieval"),
            [&proof[..], &behind[2..]].concat(),
            "no target calls session-svc",
        ),
        // Nothing proves who calls: there, at the only port, at the one beside, and as a caller.
        (Some("policy"), vec![], "INTERNAL_TOKEN_FILE"),
        (
            Some("all"),
            [&issuer[..], &inside].concat(),
            "INTERNAL_TOKEN_FILE",
        ),
        (
            Some("gateway,policy"),
            [&issuer[..], &behind].concat(),
            "INTERNAL_TOKEN_FILE",
        ),
        (
            Some("policy,session"),
            [&proof[..], &inside].concat(),
            "the gateway is no target",
        ),
        (
            Some("gateway"),
            [&gateway_and_proof[..], &behind, &policy, &inside].concat(),
            "no target but the gateway",
        ),
        // Each listener has an address of its own, and no service is looked for there.
        (
            Some("gateway,policy"),
            [
                &gateway_and_proof[..],
                &behind,
                &[
                    ("INTERNAL_LISTEN", "127.0.0.1:9"),
                    ("ADMIN_LISTEN", "127.0.0.1:9"),
                ],
            ]
            .concat(),
            "INTERNAL_LISTEN and ADMIN_LISTEN are one address",
        ),
        (
            Some("gateway,policy"),
            [
                &gateway_and_proof[..],
                &behind,
                &[("INTERNAL_LISTEN", "127.0.0.1:9")],
            ]
            .concat(),
            "RETRIEVAL_ENDPOINT leads to this process itself, which listens there (INTERNAL_LISTEN)",
        ),
        (
            Some("all"),
            [
                &issuer[..],
                &[
                    ("ADMIN_LISTEN", "127.0.0.1:9"),
                    ("EXAM_ENDPOINT", "http://localhost:9"),
                ],
            ]
            .concat(),
            "EXAM_ENDPOINT leads to this process itself",
        ),
        // Nothing of `turnwise up` is made up here.
        (Some("all"), proof.to_vec(), "JWT_ISSUER is not set"),
    ] {
        let target = target.map(|target| ("TURNWISE_TARGET", target));
        let env = [&usual[..], &settings[..], target.as_slice()].concat();
        let output = start("turnwise", &["serve"], &env);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(says), "no `{says}` in\n{said}");
        assert!(output.stdout.is_empty());
        assert!(!said.contains("panicked"));
    }
}
