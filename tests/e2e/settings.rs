//! Settings: default < file < environment < flag; what is unknown or out of bounds stops the start and is named.

use std::{fs, process::Output};

use tonic::Code;
use turnwise_proto::common::v1::ErrorReason as Why;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    process::{binary, clean_command},
    refusal::check_refusal,
    student::{DEMO_COURSE, saying},
};

in_both_deployments!(flag_beats_environment_beats_file_beats_default);

async fn flag_beats_environment_beats_file_beats_default(kind: Kind) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.yaml");
    fs::write(&file, "MESSAGE_MAX_CHARS: 20\n").unwrap();
    let with_file = || Options::new().arg("--config").arg(&file);
    for (options, bound) in [
        (Options::new(), "4000"),
        (with_file(), "20"),
        (with_file().env("MESSAGE_MAX_CHARS", "30"), "30"),
        (
            with_file()
                .env("MESSAGE_MAX_CHARS", "30")
                .arg("--message-max-chars")
                .arg("40"),
            "40",
        ),
    ] {
        let mut suite = Deployment::start(kind, options).await;
        let ada = suite.student("ada");
        let thread = ada.open(DEMO_COURSE).await;
        let status = ada
            .turn(saying(&thread, &"x".repeat(4001)))
            .await
            .unwrap_err();
        let fault = check_refusal(
            &status,
            Code::InvalidArgument,
            Why::MessageTooLong,
            "input.text",
        );
        assert_eq!(fault.metadata("max_chars"), Some(bound));
        suite.stop();
    }
}

/// Starts a program, which ends by itself, and answers what it said.
pub fn start(program: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
    let home = tempfile::tempdir().unwrap();
    clean_command(&binary(program), home.path())
        .args(args)
        .envs(env.iter().copied())
        .output()
        .unwrap()
}

/// Every program, and what comes before its settings.
const PROGRAMS: [(Service, &[&str]); 7] = [
    (Service::Suite, &["up"]),
    (Service::Suite, &["serve"]),
    (Service::Policy, &[]),
    (Service::Retrieval, &[]),
    (Service::Llm, &[]),
    (Service::Session, &[]),
    (Service::Gateway, &[]),
];

/// Insists that a setting's value was refused by its form.
#[track_caller]
pub fn refused(output: &Output, says: &[&str]) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    for text in says {
        assert!(said.contains(text), "no `{text}` in\n{said}");
    }
    assert!(!said.contains("panicked"));
}

#[test]
fn what_is_unknown_stops_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.yaml");
    let path = file.display().to_string();
    for (service, before) in PROGRAMS {
        let program = service.binary();
        let args = |more: &[&'static str]| [before, more].concat();
        refused(
            &start(program, &args(&["--no-such-flag"]), &[]),
            &["--no-such-flag"],
        );

        fs::write(&file, "MAX_IN_FLIGHT: 100\nMAX_IN_FLYGHT: 100\n").unwrap();
        let config = [("CONFIG_FILE", path.as_str())];
        refused(
            &start(program, &args(&[]), &config),
            &["MAX_IN_FLYGHT", &path],
        );
        fs::write(&file, "MAX_IN_FLIGHT: [1]\n").unwrap();
        refused(
            &start(program, &args(&[]), &config),
            &["MAX_IN_FLIGHT", &path],
        );
        fs::write(&file, "MAX_IN_FLIGHT: : 1\n").unwrap();
        refused(&start(program, &args(&[]), &config), &[&path]);
        let missing = [("CONFIG_FILE", "/no/such/file.yaml")];
        refused(
            &start(program, &args(&[]), &missing),
            &["/no/such/file.yaml"],
        );
    }
}

#[test]
fn what_is_out_of_bounds_stops_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.yaml");
    let path = file.display().to_string();
    for (service, before) in PROGRAMS {
        let program = service.binary();
        // By environment, by file and by flag: the same bounds.
        let says = ["--max-in-flight", "1..=100000"];
        refused(&start(program, before, &[("MAX_IN_FLIGHT", "0")]), &says);
        fs::write(&file, "MAX_IN_FLIGHT: 100001\n").unwrap();
        refused(&start(program, before, &[("CONFIG_FILE", &path)]), &says);
        let flag = [before, &["--max-in-flight", "many"]].concat();
        refused(&start(program, &flag, &[]), &["--max-in-flight"]);
    }
    for (service, before, name, value, says) in [
        (
            Service::Gateway,
            &[][..],
            "MESSAGE_MAX_CHARS",
            "16001",
            ["--message-max-chars", "1..=16000"],
        ),
        (
            Service::Suite,
            &["up"][..],
            "MESSAGE_MAX_CHARS",
            "0",
            ["--message-max-chars", "1..=16000"],
        ),
        (
            Service::Gateway,
            &[],
            "HELPER_RATE_LIMIT_PER_MINUTE",
            "0",
            ["--helper-rate-limit-per-minute", "1..=1000000"],
        ),
        (
            Service::Gateway,
            &[],
            "HELPER_READ_LIMIT_PER_MINUTE",
            "0",
            ["--helper-read-limit-per-minute", "1..=1000000"],
        ),
        (
            Service::Gateway,
            &[],
            "HELPER_RATE_LIMIT_PER_IP_PER_MINUTE",
            "1000001",
            ["--helper-rate-limit-per-ip-per-minute", "1..=1000000"],
        ),
        (
            Service::Gateway,
            &[],
            "HELPER_SCOPE_TOKEN_MAX_AGE_SECONDS",
            "59",
            ["--helper-scope-token-max-age-seconds", "60..=86400"],
        ),
        (
            Service::Gateway,
            &[],
            "HELPER_RESPONSE_MAX_CHARS",
            "20001",
            ["--helper-response-max-chars", "200..=20000"],
        ),
        (
            Service::Gateway,
            &[],
            "CLARIFICATION_TRANSLATE",
            "yes",
            ["--clarification-translate", "1 or 0"],
        ),
        (
            Service::Llm,
            &[],
            "HELPER_MAX_CONCURRENCY",
            "0",
            ["--helper-max-concurrency", "1..=1024"],
        ),
        (
            Service::Llm,
            &[],
            "HELPER_LLM_BACKEND",
            "gpt",
            [
                "--helper-llm-backend",
                "ollama, openai, openai_compatible, mock, none",
            ],
        ),
        (
            Service::Llm,
            &[],
            "HELPER_REMOTE_MODE_ACKNOWLEDGED",
            "openai,mock",
            [
                "--helper-remote-mode-acknowledged",
                "1 for the configured one",
            ],
        ),
        (
            Service::Llm,
            &[],
            "PRIVATE_HOST_SUFFIXES",
            "internal",
            ["--private-host-suffixes", "such as .internal"],
        ),
        (
            Service::Llm,
            &[],
            "LLM_ALLOW_MOCK",
            "perhaps",
            ["--llm-allow-mock", "not a boolean"],
        ),
        (
            Service::Llm,
            &[],
            "MOCK_MODEL",
            "mock:nice",
            ["--mock-model", "mock"],
        ),
        (
            Service::Policy,
            &[],
            "COURSES_RELOAD_SECONDS",
            "3601",
            ["--courses-reload-seconds", "0..=3600"],
        ),
        (
            Service::Policy,
            &[],
            "PACK_ARCHIVE_DAYS",
            "0",
            ["--pack-archive-days", "1..=3650"],
        ),
        (
            Service::Retrieval,
            &[],
            "COURSES_RELOAD_SECONDS",
            "-1",
            ["--courses-reload-seconds", "0..=3600"],
        ),
        (
            Service::Session,
            &[],
            "TURN_LEASE_TTL_SECONDS",
            "601",
            ["--turn-lease-ttl-seconds", "1..=600"],
        ),
    ] {
        refused(&start(service.binary(), before, &[(name, value)]), &says);
    }
}

/// What an internal service or the gateway cannot do without stops the start, too, and the message says what to set.
#[test]
fn what_is_missing_stops_the_start() {
    let short = tempfile::NamedTempFile::new().unwrap();
    fs::write(short.path(), "short").unwrap();
    let short = short.path().display().to_string();
    let courses = turnwise_tests::process::repository().join("courses");
    let courses = courses.display().to_string();
    for service in Service::INTERNAL {
        let env = [
            ("COURSES_DIR", courses.as_str()),
            ("LISTEN", "127.0.0.1:0"),
            ("SESSION_STORE", "embedded:session.redb"),
            ("HELPER_LLM_BACKEND", "none"),
        ];
        let output = start(service.binary(), &[], &env);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("INTERNAL_TOKEN_FILE"), "{said}");

        let env = [&env[..], &[("INTERNAL_TOKEN_FILE", &short)]].concat();
        let output = start(service.binary(), &[], &env);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0));
        assert!(said.contains("at least 32"), "{said}");
    }
    let output = start("gateway-svc", &[], &[("LISTEN", "127.0.0.1:0")]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("JWT_ISSUER"), "{said}");
}

/// The mock answers no students by accident: neither as the backend nor as one that stands in for it.
#[test]
fn the_mock_stops_the_start_unless_it_is_allowed() {
    let chosen: [&[(&str, &str)]; 3] = [
        &[("HELPER_LLM_BACKEND", "mock")],
        &[("HELPER_LLM_BACKEND", "mock"), ("LLM_ALLOW_MOCK", "0")],
        &[("LLM_FAILOVER", "mock")],
    ];
    let token = tempfile::NamedTempFile::new().unwrap();
    fs::write(
        token.path(),
        "a-token-that-is-only-for-this-test-of-settings",
    )
    .unwrap();
    let token = token.path().display().to_string();
    for chosen in chosen {
        let common = [("LISTEN", "127.0.0.1:0"), ("INTERNAL_TOKEN_FILE", &token)];
        let output = start("llm-gateway-svc", &[], &[chosen, &common].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("LLM_ALLOW_MOCK=1"), "{said}");
        // The whole suite in one process is no exception.
        let args = ["up", "--data-dir", "data", "--listen", "127.0.0.1:0"];
        let output = start("turnwise", &args, chosen);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("LLM_ALLOW_MOCK=1"), "{said}");
    }
}

/// A port or a store that another process has stops the start, and leaves that process alone.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_stops_the_start() {
    let mut suite = Deployment::one_process(Options::new()).await;
    let courses = turnwise_tests::process::repository().join("courses");
    let courses = courses.display().to_string();
    let up = |data_dir: &str, listen: &str| {
        let args = ["up", "--data-dir", data_dir, "--courses-dir", &courses];
        start(
            "turnwise",
            &args,
            &[("LISTEN", listen), ("HELPER_LLM_BACKEND", "none")],
        )
    };
    let theirs = suite.data_dir.root().display().to_string();
    let address = suite.address().to_string();
    for (output, says) in [
        (up(&theirs, "127.0.0.1:0"), "is in use by another process"),
        (up("elsewhere", &address), "cannot listen on"),
    ] {
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(output.stdout.is_empty());
    }
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "hello").await;
    suite.stop();
}

#[test]
fn help_lists_every_setting_with_its_variable() {
    for (service, before) in PROGRAMS {
        let output = start(service.binary(), &[before, &["--help"]].concat(), &[]);
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).unwrap();
        for name in ["LISTEN", "ADMIN_LISTEN", "MAX_IN_FLIGHT", "CONFIG_FILE"] {
            assert!(
                help.contains(&format!("[env: {name}=")),
                "no {name} in\n{help}"
            );
        }
    }
}
