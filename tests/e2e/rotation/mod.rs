//! Secrets and certificates that change while students work: no call of theirs fails.
//!
//! | module | is about |
//! | --- | --- |
//! | [`load`] | students who work without end, and what each process says of its files |
//! | [`bad_input`] | what stops a start, and a Redis that is full |

mod bad_input;
mod load;

use std::{collections::BTreeMap, fs, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::{sync::watch, task::block_in_place};
use tonic::{Code, Request};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
    tutor::v1::{ClientEventKind, DrillCard, GradeDrillRequest, StudentInput, tutor_card::Content},
};
use turnwise_testing::{
    model_server::Settings,
    redis::{Connection, SentinelSet, ServerOptions, Value, command},
    write_secret,
};
use turnwise_tests::{
    answer::tutor,
    chat::{LESSON, asking, lesson, page},
    deployment::Deployment,
    eventually::eventually,
    exam_system::ExamSystem,
    model_server::ModelServerProcess,
    options::{Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, pressing, saying},
};

use load::{Load, SOON, Work, read_again};

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

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_scope_tokens() {
    let mut suite = Deployment::five_processes(watched()).await;
    let file = suite.data_dir.scope_token_keys_file();
    let old = fs::read_to_string(&file).unwrap();
    let new = format!("next {}\n", STANDARD.encode([7; 32]));
    let first = page(&suite, lesson(LESSON)).await;
    let (pages, shown) = watch::channel(first.clone());
    let mut load = Load::of(&suite, Work::Chats(shown)).await;
    for (times, step) in (1..).zip([format!("{old}\n{new}"), format!("{new}{old}")]) {
        write_secret(&file, step).unwrap();
        read_again(&suite, &[Service::Gateway], "SCOPE_TOKEN_KEYS_FILE", times).await;
        load.goes_on().await;
    }
    // The page of before is good while its key is there, and one of now when that is gone.
    pages.send_replace(page(&suite, lesson(LESSON)).await);
    load.goes_on().await;
    write_secret(&file, &new).unwrap();
    read_again(&suite, &[Service::Gateway], "SCOPE_TOKEN_KEYS_FILE", 3).await;
    load.goes_on().await;
    load.end().await;
    let late = suite.student("ada").chat(asking(&first, "why?")).await;
    let (code, why) = (Code::PermissionDenied, Why::InvalidScopeToken);
    let fault = check_refusal(&late.unwrap_err(), code, why, "scope_token");
    assert_eq!(fault.metadata("cause"), Some("unknown_key"));
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_the_exam_system() {
    const TOKENS: [&str; 2] = [
        "the-exam-systems-token-of-before-the-change",
        "the-exam-systems-token-of-after-the-change",
    ];
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("exam-token");
    write_secret(&file, TOKENS[0]).unwrap();
    let mut system = ExamSystem::start(BTreeMap::new());
    system.accept(&TOKENS[..1]);
    let options = load::ready(watched())
        .env("EXAM_ENDPOINT", system.endpoint())
        .env("EXAM_TOKEN_FILE", file.display().to_string());
    let mut suite = Deployment::five_processes(options).await;
    let mut load = Load::of(&suite, Work::Exams).await;
    system.accept(&TOKENS);
    write_secret(&file, TOKENS[1]).unwrap();
    read_again(&suite, &[Service::Gateway], "EXAM_TOKEN_FILE", 1).await;
    load.goes_on().await;
    let before = system.calls("BatchGetQuestionStatus");
    system.accept(&TOKENS[1..]);
    load.goes_on().await;
    load.end().await;
    assert!(system.calls("BatchGetQuestionStatus") > before);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_of_the_sentinels() {
    const OURS: [(Service, &str, &str); 3] = [
        (Service::Session, "SESSION_STORE", "SESSION_REDIS_SENTINEL"),
        (Service::Llm, "LLM_REDIS_URL", "LLM_REDIS_SENTINEL"),
        (
            Service::Gateway,
            "GATEWAY_REDIS_URL",
            "GATEWAY_REDIS_SENTINEL",
        ),
    ];
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("sentinel-password");
    write_secret(&file, "old\n").unwrap();
    let set = block_in_place(|| SentinelSet::start().unwrap());
    let tell_all = |parts: &[&str]| -> Vec<Value> {
        let sentinels = set.sentinel_ports().into_iter();
        sentinels
            .map(|port| command(port, parts).unwrap())
            .collect()
    };
    // We come as one of them, the sentinels to each other as the other.
    for user in ["watcher", "peer"] {
        tell_all(&["ACL", "SETUSER", user, "on", ">old", "&*", "+@all"]);
    }
    tell_all(&["SENTINEL", "CONFIG", "SET", "sentinel-user", "peer"]);
    tell_all(&["SENTINEL", "CONFIG", "SET", "sentinel-pass", "old"]);
    let options = OURS
        .iter()
        .fold(watched(), |options, (_, store, sentinel)| {
            let password = format!("{sentinel}_PASSWORD_FILE");
            options
                .env(store, set.url())
                .env(&format!("{sentinel}_USER"), "watcher")
                .env(&password, file.display().to_string())
        });
    let mut suite = Deployment::five_processes(options).await;
    let mut load = Load::begin(&suite).await;
    // How many connections each sentinel has that say this of themselves.
    let connected = |says: &[&str]| -> Vec<usize> {
        let lists = tell_all(&["CLIENT", "LIST"]);
        let such = |line: &&str| says.iter().all(|part| line.contains(part));
        let lists = lists.iter();
        lists
            .map(|list| list.text().lines().filter(such).count())
            .collect()
    };
    let listeners = || connected(&[" user=watcher ", " sub=1 "]);
    let know_each_other = async || {
        eventually("the sentinels know each other", SOON, async || {
            let peers = connected(&[" user=peer "]);
            peers.iter().all(|count| *count >= 2).then_some(())
        })
        .await;
    };
    know_each_other().await;
    let before = listeners();
    assert!(
        before.iter().all(|count| *count >= OURS.len()),
        "{before:?}"
    );
    for user in ["watcher", "peer"] {
        tell_all(&["ACL", "SETUSER", user, ">new"]);
    }
    tell_all(&["SENTINEL", "CONFIG", "SET", "sentinel-pass", "new"]);
    write_secret(&file, "new\n").unwrap();
    for (service, _, sentinel) in OURS {
        let setting = format!("{sentinel}_PASSWORD_FILE");
        read_again(&suite, &[service], &setting, 1).await;
    }
    load.goes_on().await;
    for user in ["watcher", "peer"] {
        tell_all(&["ACL", "SETUSER", user, "<old"]);
        tell_all(&["CLIENT", "KILL", "USER", user]);
    }
    know_each_other().await;
    block_in_place(|| set.settle().unwrap());
    eventually(
        "all listen again, with the new password",
        SOON,
        async || {
            let now = listeners();
            let mut pairs = now.iter().zip(&before);
            pairs.all(|(now, before)| now >= before).then_some(())
        },
    )
    .await;
    // Who listens anew asks the sentinels once more who is primary.
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
