//! Secrets and certificates that change while students work: no call of theirs fails.
//!
//! | module | is about |
//! | --- | --- |
//! | [`load`] | students who take turns without end, and what each process says of its files |
//! | [`bad_input`] | what stops a start, and a Redis that is full |

mod bad_input;
mod load;

use std::{fs, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use tonic::{Code, Request};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
    tutor::v1::{ClientEventKind, DrillCard, GradeDrillRequest, StudentInput, tutor_card::Content},
};
use turnwise_testing::{
    model_server::Settings,
    redis::{Connection, ServerOptions},
    write_secret,
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    eventually::eventually,
    model_server::ModelServerProcess,
    options::{Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, pressing, saying},
};

use load::{Load, SOON, read_again};

/// The gateway and all behind it.
const ALL: [Service; 5] = [
    Service::Policy,
    Service::Retrieval,
    Service::Llm,
    Service::Session,
    Service::Gateway,
];

fn watched() -> Options {
    Options::new().env("ADMIN_LISTEN", "127.0.0.1:0")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_internal_token() {
    const NEXT: &str = "the-next-token-of-at-least-thirty-two-characters";
    let mut suite = Deployment::five_processes(watched()).await;
    let file = suite.home().join("internal-token");
    let old = fs::read_to_string(&file).unwrap();
    let mut load = Load::begin(&suite).await;
    // It is accepted everywhere, then sent, then alone.
    let steps = [
        format!("{old}\n{NEXT}\n"),
        format!("{NEXT}\n{old}\n"),
        format!("{NEXT}\n"),
    ];
    for (times, step) in (1..).zip(&steps) {
        write_secret(&file, step).unwrap();
        read_again(&suite, &ALL, "INTERNAL_TOKEN_FILE", times).await;
        load.goes_on().await;
    }
    load.end().await;
    let mut policy = PolicyServiceClient::new(suite.internal(Service::Policy));
    let listed = policy.list_courses(Request::new(ListCoursesRequest::default()));
    let refused = listed.await.unwrap_err();
    check_refusal(&refused, Code::Unauthenticated, Why::Unauthenticated, "");
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_and_their_authority() {
    const OURS: [&str; 2] = ["127.0.0.1", "localhost"];
    let mut suite = Deployment::five_processes(watched().mutual_tls()).await;
    let mut load = Load::begin(&suite).await;
    let mut ours = suite.certificates.take().unwrap();
    // Whoever reads them half written goes on with those before.
    ours.cut(1);
    load::refused(&suite, &ALL, "TLS_CERT_FILE").await;
    load.goes_on().await;
    // Both authorities are trusted everywhere, then the new one signs, then it is alone.
    ours.replace_authority();
    ours.write();
    read_again(&suite, &ALL, "TLS_CLIENT_CA_FILE", 1).await;
    load.goes_on().await;
    ours.issue(&OURS, 4096);
    ours.write();
    read_again(&suite, &ALL, "TLS_CERT_FILE", 2).await;
    load.goes_on().await;
    ours.forget_authorities();
    ours.write();
    read_again(&suite, &ALL, "TLS_CLIENT_CA_FILE", 3).await;
    load.goes_on().await;
    load.end().await;
    // Who comes now meets the new ones, and so does a service that is restarted alone.
    suite.certificates = Some(ours);
    suite.restart(Service::Session);
    let ada = suite.student("ada");
    eventually("the new certificates serve", SOON, async || {
        let thread = ada.create_thread(new_thread(DEMO_COURSE));
        let thread = thread.await.ok()?;
        ada.turn(saying(&thread, "what is a term?")).await.ok()
    })
    .await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_of_redis() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("redis-password");
    write_secret(&file, "old\n").unwrap();
    let settings = [
        "SESSION_REDIS_PASSWORD_FILE",
        "LLM_REDIS_PASSWORD_FILE",
        "GATEWAY_REDIS_PASSWORD_FILE",
    ];
    let options = watched().redis(ServerOptions::default().password("old"));
    let options = settings.iter().fold(options, |options, setting| {
        options.env(setting, file.display().to_string())
    });
    let mut suite = Deployment::five_processes(options).await;
    let mut redis = Connection::open(suite.redis().unwrap().port()).unwrap();
    let mut command = |parts: &[&str]| redis.command(parts).unwrap();
    command(&["AUTH", "old"]);
    let mut load = Load::begin(&suite).await;
    command(&["ACL", "SETUSER", "default", ">new"]);
    write_secret(&file, "new\n").unwrap();
    for (service, setting) in [Service::Session, Service::Llm, Service::Gateway]
        .into_iter()
        .zip(settings)
    {
        read_again(&suite, &[service], setting, 1).await;
    }
    load.goes_on().await;
    command(&["ACL", "SETUSER", "default", "<old"]);
    load.goes_on().await;
    load.end().await;
    // New connections have the new password; the old one opens nothing.
    command(&["CLIENT", "KILL", "TYPE", "normal"]);
    command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    let ada = suite.student("ada");
    eventually("the new password opens", SOON, async || {
        let thread = ada.create_thread(new_thread(DEMO_COURSE));
        thread.await.ok()
    })
    .await;
    let stranger = Connection::open(suite.redis().unwrap().port());
    assert!(stranger.unwrap().command(&["AUTH", "old"]).is_err());
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_the_models_server() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("key");
    write_secret(&file, "old-key\n").unwrap();
    let accepting = |keys: &[&str]| Settings {
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        ..Settings::default()
    };
    let model = ModelServerProcess::start(&accepting(&["old-key"]), home.path());
    let options = watched()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_API_KEY_FILE", file.display().to_string());
    let mut suite = Deployment::five_processes(options).await;
    let mut load = Load::begin(&suite).await;
    model.set(&accepting(&["old-key", "new-key"])).await;
    write_secret(&file, "new-key\n").unwrap();
    read_again(&suite, &[Service::Llm], "OPENAI_API_KEY_FILE", 1).await;
    // What was sent before has been taken in once a later call is answered.
    load.goes_on().await;
    model.set(&accepting(&["new-key"])).await;
    load.goes_on().await;
    load.end().await;
    assert!(model.statistics().await.completions.begun > 0);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_cards() {
    let mut suite = Deployment::five_processes(watched()).await;
    let file = suite.data_dir.drill_token_keys_file();
    let old = fs::read_to_string(&file).unwrap();
    let new = format!("next {}\n", STANDARD.encode([7; 32]));
    let mut load = Load::begin(&suite).await;
    let (ada, ben) = (suite.student("ada"), suite.student("ben"));
    let first = drill(&ada).await;
    for (times, step) in (1..).zip([format!("{old}\n{new}"), format!("{new}{old}")]) {
        write_secret(&file, step).unwrap();
        read_again(&suite, &[Service::Gateway], "DRILL_TOKEN_KEYS_FILE", times).await;
        load.goes_on().await;
    }
    // A card of before counts while its key is there, and one of now when that is gone.
    assert!(ada.grade_drill(first).await.unwrap().evidence_recorded);
    let second = drill(&ben).await;
    write_secret(&file, &new).unwrap();
    read_again(&suite, &[Service::Gateway], "DRILL_TOKEN_KEYS_FILE", 3).await;
    assert!(ben.grade_drill(second).await.unwrap().evidence_recorded);
    load.goes_on().await;
    load.end().await;
    suite.stop();
}

/// Has a drill set, and gives the request that answers it.
async fn drill(student: &Student) -> GradeDrillRequest {
    /// The answer to the exercise that the mock model sets.
    const RIGHT: &str = "x = 5";
    let thread = student.open(DEMO_COURSE).await;
    let asked = pressing(&thread, ClientEventKind::RequestDrill, "ALG-01");
    let asked = student.turn_within(asked, Duration::from_secs(20)).await;
    let answer = asked.unwrap();
    let card = tutor(&answer).card.clone().and_then(|card| card.content);
    let Some(Content::Drill(drill)) = card else {
        panic!("no drill: {answer:?}");
    };
    let drill: DrillCard = drill;
    GradeDrillRequest {
        thread_id: thread.thread_id,
        course_id: thread.course_id,
        unit_id: "ALG-01".to_owned(),
        drill: Some(drill),
        answer: Some(StudentInput {
            text: RIGHT.to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    }
}
