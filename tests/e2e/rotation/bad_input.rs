//! Secrets that everybody may read, and a Redis that may throw away, is full, or has another password.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use tonic::Code;
use turnwise_proto::common::v1::ErrorReason as Why;
use turnwise_testing::{
    redis::{RedisServer, ServerOptions},
    write_secret,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Options, Service},
    process::repository,
    refusal::check_refusal,
    student::{DEMO_COURSE, saying},
};

use crate::settings::start;

const TOKEN: &str = "a-token-of-at-least-thirty-two-characters";

/// Starts a service that does not stay, and gives what it said.
fn said(service: Service, env: &[(&str, &str)]) -> String {
    let output = start(service.binary(), &[], env);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

#[test]
fn a_secret_that_everybody_may_read_stops_the_start_unless_that_is_allowed() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("token");
    write_secret(&file, TOKEN).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let token = file.display().to_string();
    let courses = repository().join("courses").display().to_string();
    for service in Service::INTERNAL {
        let env = [
            ("LISTEN", "127.0.0.1:0"),
            ("COURSES_DIR", courses.as_str()),
            ("HELPER_LLM_BACKEND", "none"),
            ("INTERNAL_TOKEN_FILE", token.as_str()),
        ];
        let refused = said(service, &env);
        for part in ["INTERNAL_TOKEN_FILE", "(mode 0644)", "chmod 440", &token] {
            assert!(refused.contains(part), "{refused}");
        }
        assert!(!refused.contains(TOKEN), "{refused}");
    }
    // Allowed, it is what comes next that stops this one.
    let env = [
        ("LISTEN", "127.0.0.1:0"),
        ("INTERNAL_TOKEN_FILE", token.as_str()),
        ("SECRET_FILES_WORLD_READABLE", "1"),
        ("SESSION_STORE", "nowhere"),
    ];
    let refused = said(Service::Session, &env);
    assert!(refused.contains("SESSION_STORE"), "{refused}");
}

/// On a volume where everybody may do everything the keys of bundles are what other files are.
#[test]
fn keys_of_bundles_that_everybody_may_write_stop_the_start_unless_that_is_allowed() {
    let home = tempfile::tempdir().unwrap();
    let [token, keys] = ["token", "keys.pem"].map(|name| home.path().join(name));
    write_secret(&token, TOKEN).unwrap();
    fs::write(&keys, "no key").unwrap();
    fs::set_permissions(&keys, Permissions::from_mode(0o666)).unwrap();
    let courses = repository().join("courses").display().to_string();
    for (allowed, says) in [("0", "(mode 0666)"), ("1", "must hold 1 to 32")] {
        let env = [
            ("LISTEN", "127.0.0.1:0"),
            ("COURSES_DIR", courses.as_str()),
            ("INTERNAL_TOKEN_FILE", token.to_str().unwrap()),
            ("COURSE_BUNDLE_KEYS_FILE", keys.to_str().unwrap()),
            ("SECRET_FILES_WORLD_READABLE", allowed),
        ];
        let refused = said(Service::Policy, &env);
        assert!(refused.contains(says), "{refused}");
        assert!(refused.contains("COURSE_BUNDLE_KEYS_FILE"), "{refused}");
    }
}

#[test]
fn a_redis_that_may_throw_records_away_stops_the_start() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("token");
    write_secret(&file, TOKEN).unwrap();
    let options = ServerOptions::default().set("maxmemory-policy", "allkeys-lru");
    let server = RedisServer::start_with(&options).unwrap();
    let env = [
        ("LISTEN", "127.0.0.1:0"),
        ("INTERNAL_TOKEN_FILE", file.to_str().unwrap()),
        ("SESSION_STORE", &server.url()),
    ];
    let refused = said(Service::Session, &env);
    for part in [
        "maxmemory-policy allkeys-lru",
        "set `maxmemory-policy noeviction`",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
}

/// A turn that finds Redis full, or with another password, is refused with a reason and taken when it is asked for again.
#[tokio::test(flavor = "multi_thread")]
async fn what_redis_does_not_take_is_refused_and_nothing_is_lost() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let before = ada.say(&thread, "how do I add negative numbers?").await;
    let redis = |parts: &[&str]| suite.redis().unwrap().command(parts).unwrap();

    let turn = saying(&thread, "and how do I subtract one?");
    redis(&["CONFIG", "SET", "maxmemory", "1"]);
    let full = ada.turn(turn.clone()).await.unwrap_err();
    check_refusal(&full, Code::Unavailable, Why::StorageUnavailable, "");
    let messages = ada.messages(&thread.thread_id, 50).await;
    assert_eq!(messages, before.messages);
    redis(&["CONFIG", "SET", "maxmemory", "0"]);

    // Redis keeps who is in, so that connections are cut as well; nobody else comes in.
    redis(&[
        "ACL", "SETUSER", "operator", "on", ">mine", "~*", "&*", "+@all",
    ]);
    let mut operator = turnwise_testing::redis::Connection::open(suite.redis().unwrap().port());
    let operator = operator.as_mut().unwrap();
    operator.command(&["AUTH", "operator", "mine"]).unwrap();
    operator
        .command(&["ACL", "SETUSER", "default", "resetpass", ">other"])
        .unwrap();
    operator
        .command(&["CLIENT", "KILL", "TYPE", "normal"])
        .unwrap();
    // The first may still find its connection cut; either way the store is away.
    for _ in 0..2 {
        let denied = ada.turn(turn.clone()).await.unwrap_err();
        check_refusal(&denied, Code::Unavailable, Why::StorageUnavailable, "");
    }
    let log = suite.logs();
    let advice = "check the user, the password";
    assert!(log.iter().any(|line| line.contains(advice)), "{log:#?}");
    operator
        .command(&["ACL", "SETUSER", "default", "nopass"])
        .unwrap();

    let after = ada.turn(turn).await.unwrap();
    let messages = ada.messages(&thread.thread_id, 50).await;
    assert_eq!(messages, [before.messages, after.messages].concat());
    suite.stop();
}
