//! Settings: their defaults and bounds, and that no password is shown.

use std::time::Duration;

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
    let limits = settings.limits();
    let seconds = |time: Duration| time.as_secs();
    let day = 86_400;
    assert_eq!(seconds(limits.lease_ttl), 15);
    assert_eq!(seconds(limits.thread_retention), 400 * day);
    assert_eq!(seconds(limits.turn_log_retention), 90 * day);
    assert_eq!(seconds(limits.conversation_ttl), 3600);
    assert_eq!(seconds(limits.clarification_ttl), 3600);
    assert_eq!(seconds(limits.context_sla), 300);
    assert_eq!(seconds(limits.archive_retention), 30 * day);
    assert_eq!(
        (limits.reset_batch, limits.archive_max_messages),
        (4000, 120)
    );
    assert!(limits.export_before_reset);
    let memory = limits.memory.unwrap();
    let chars = (
        memory.turn_max_chars,
        memory.history_max_chars,
        memory.summary_max_chars,
    );
    assert_eq!((memory.max_messages, chars), (8, (800, 2400, 900)));
    let settings = parse(&["--helper-conversation-enabled", "0"]).unwrap();
    assert!(settings.limits().memory.is_none());
}

#[tokio::test]
async fn a_turn_that_is_longer_than_all_turns_together_is_no_setting() {
    let arguments = ["--helper-conversation-history-max-chars", "500"];
    let refused = routes(&parse(&arguments).unwrap(), &Kit::for_tests()).await;
    let said = refused.unwrap_err().to_string();
    assert!(
        said.contains("HELPER_CONVERSATION_TURN_MAX_CHARS (800)"),
        "{said}"
    );
}

#[test]
fn no_archive_is_written_where_archives_are_off() {
    for (flag, enabled) in [
        ("--helper-class-reset-archive-enabled", false),
        ("--helper-internal-reset-export-before-delete", true),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("archives");
        let place = place.to_str().unwrap();
        let arguments = ["--helper-class-reset-archive-dir", place, flag, "0"];
        let settings = parse(&arguments).unwrap();
        assert!(!settings.limits().export_before_reset);
        assert_eq!(settings.open_archives().unwrap().is_some(), enabled);
        assert_eq!(directory.path().join("archives").exists(), enabled);
    }
}

#[test]
fn archives_lie_beside_an_embedded_store() {
    let directory = tempfile::tempdir().unwrap();
    let store = format!("embedded:{}/data/s.redb", directory.path().display());
    let settings = parse(&["--session-store", &store]).unwrap();
    let archives = settings.open_archives().unwrap().unwrap();
    assert!(archives.root().ends_with("data/helper_reset_exports"));
    let mode = std::fs::metadata(archives.root()).unwrap().permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o700
    );
}

#[test]
fn values_out_of_bounds_are_refused_by_name() {
    for (flag, value) in [
        ("--turn-lease-ttl-seconds", "0"),
        ("--turn-lease-ttl-seconds", "601"),
        ("--idempotency-ttl-seconds", "59"),
        ("--session-embedded-fsync", "maybe"),
        ("--session-redis-wait-replicas", "11"),
        ("--thread-retention-days", "0"),
        ("--turn-log-retention-days", "3651"),
        ("--helper-conversation-enabled", "yes"),
        ("--helper-conversation-max-messages", "1"),
        ("--helper-conversation-ttl-seconds", "59"),
        ("--helper-class-reset-max-keys", "0"),
        ("--helper-class-reset-archive-max-messages", "10001"),
        ("--retention-helper-export-days", "0"),
        ("--context-sla-seconds", "9"),
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
        (vec!["--session-store", "rediss://:sesame@h"], "NoAuthority"),
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
