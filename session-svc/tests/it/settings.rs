//! Settings: their defaults and bounds, and that no password is shown.

use clap::{CommandFactory, Parser};
use turnwise_kit::Kit;
use turnwise_session_svc::{Settings, config::Fsync, routes};

#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

fn parse(arguments: &[&str]) -> Result<Settings, clap::Error> {
    let arguments = ["session-svc"].iter().chain(arguments);
    Cli::try_parse_from(arguments).map(|cli| cli.settings)
}

#[test]
fn defaults_are_those_of_one_process() {
    let settings = parse(&[]).unwrap();
    assert_eq!(
        settings.session_store.to_string(),
        "embedded:data/session.redb"
    );
    assert_eq!(settings.turn_lease_ttl_seconds, 15);
    assert_eq!(settings.idempotency_ttl_seconds, 86_400);
    assert_eq!(settings.session_embedded_fsync, Fsync::On);
}

#[test]
fn values_out_of_bounds_are_refused_by_name() {
    for (flag, value) in [
        ("--turn-lease-ttl-seconds", "0"),
        ("--turn-lease-ttl-seconds", "601"),
        ("--idempotency-ttl-seconds", "59"),
        ("--session-embedded-fsync", "maybe"),
    ] {
        let message = parse(&[flag, value]).unwrap_err().to_string();
        assert!(message.contains(flag), "{message}");
    }
}

#[test]
fn a_password_is_never_shown() {
    for url in [
        "redis://ada:sesame@redis:6379/0",
        "redis://:sesame@redis",
        "redis://ada:se%40s@sesame@redis/1",
    ] {
        let settings = parse(&["--session-store", url]).unwrap();
        for shown in [format!("{settings:?}"), settings.session_store.to_string()] {
            assert!(!shown.contains("sesame"), "{shown}");
            assert!(shown.contains("redis://…@redis"), "{shown}");
        }
    }
    let command = Cli::command();
    let store = command
        .get_arguments()
        .find(|a| a.get_id() == "session_store");
    assert!(store.unwrap().is_hide_env_values_set());
}

#[tokio::test]
async fn a_start_that_fails_says_what_to_do_and_no_password() {
    let missing = "/nowhere/password";
    for (arguments, expected) in [
        (vec!["--session-store", "sqlite:x"], "SESSION_STORE must be"),
        (vec!["--session-store", "embedded:"], "the path is missing"),
        (
            vec!["--session-store", "rediss://:sesame@h"],
            "SESSION_STORE must be",
        ),
        (
            vec!["--session-store", "redis://:sesame@h:port"],
            "HOST:PORT",
        ),
        (
            vec![
                "--session-store",
                "redis://h",
                "--session-redis-password-file",
                missing,
            ],
            missing,
        ),
    ] {
        let settings = parse(&arguments).unwrap();
        let Err(error) = routes(&settings, &Kit::for_tests()).await else {
            panic!("{arguments:?} started");
        };
        let message = format!("{error} {error:?}");
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains("sesame"), "{message}");
    }
}
