//! Settings: what wins over what, and what stops a start.

use std::{ffi::OsString, io::Write};

use clap::Parser;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use turnwise_kit::{
    Kit,
    settings::{ServerSettings, SettingsError, parse},
};
use turnwise_testing::make_pipe;

#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    /// A number
    #[arg(long, env = "KIT_TEST_NUMBER", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=9))]
    kit_test_number: u32,
    /// A setting that the test runner's environment has
    #[arg(long, env = "CARGO_PKG_NAME", default_value = "default")]
    from_environment: String,
}

fn read(args: &[&str]) -> Result<Cli, SettingsError> {
    let args = std::iter::once("test")
        .chain(args.iter().copied())
        .map(OsString::from);
    parse::<Cli>(args, &[("MAX_IN_FLIGHT", "77")]).map(|(cli, _)| cli)
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn flag_beats_environment_beats_file_beats_default() {
    let defaults = read(&[]).unwrap();
    assert_eq!(defaults.kit_test_number, 3);
    assert_eq!(defaults.server.max_in_flight, 77, "a program's own default");
    // cargo sets this variable for every test.
    let package = std::env::var("CARGO_PKG_NAME").unwrap();
    assert_eq!(defaults.from_environment, package);

    let file = file("KIT_TEST_NUMBER: 5\nMAX_IN_FLIGHT: 9\nCARGO_PKG_NAME: file\n");
    let config = format!("--config={}", file.path().display());
    let with_file = read(&[&config]).unwrap();
    assert_eq!(with_file.kit_test_number, 5);
    assert_eq!(with_file.server.max_in_flight, 9);
    assert_eq!(with_file.from_environment, package);

    let with_flag = read(&[
        "--config",
        file.path().to_str().unwrap(),
        "--kit-test-number",
        "7",
        "--from-environment",
        "flag",
    ])
    .unwrap();
    assert_eq!(with_flag.kit_test_number, 7);
    assert_eq!(with_flag.from_environment, "flag");
}

#[test]
fn what_is_unknown_or_out_of_bounds_stops_the_start_and_is_named() {
    let unknown_key = file("KIT_TEST_NUMBR: 5\n");
    let not_yaml = file("KIT_TEST_NUMBER: [\n");
    let not_a_value = file("KIT_TEST_NUMBER: {a: 1}\n");
    let out_of_bounds = file("KIT_TEST_NUMBER: 10\n");
    let path = |f: &tempfile::NamedTempFile| format!("--config={}", f.path().display());
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe");
    make_pipe(&pipe);
    let cases = [
        (
            vec!["--kit-test-number=0".to_owned()],
            vec!["kit-test-number", "1..=9"],
        ),
        (
            vec!["--kit-test-number=x".to_owned()],
            vec!["kit-test-number"],
        ),
        (
            vec!["--no-such-setting=1".to_owned()],
            vec!["no-such-setting"],
        ),
        (vec![path(&unknown_key)], vec!["KIT_TEST_NUMBR"]),
        (vec![path(&not_yaml)], vec!["settings file"]),
        (vec![path(&not_a_value)], vec!["KIT_TEST_NUMBER"]),
        (vec![path(&out_of_bounds)], vec!["kit-test-number", "1..=9"]),
        (
            vec!["--config=/nowhere/at/all".to_owned()],
            vec!["/nowhere/at/all", "there is no such file; write it"],
        ),
        (
            vec![format!("--config={}", pipe.display())],
            vec!["--config, CONFIG_FILE", "it is no plain file; name"],
        ),
        (
            vec!["--max-in-flight=0".to_owned()],
            vec!["max-in-flight", "1..=100000"],
        ),
        (
            vec!["--connection-proof-seconds=0".to_owned()],
            vec!["connection-proof-seconds", "1..=60"],
        ),
        (
            vec!["--connection-idle-seconds=29".to_owned()],
            vec!["connection-idle-seconds", "30..=86400"],
        ),
        (
            vec!["--max-connections=15".to_owned()],
            vec!["max-connections", "16..=100000"],
        ),
        (
            vec!["--max-unproved-per-address=0".to_owned()],
            vec!["max-unproved-per-address", "1..=10000"],
        ),
        (vec!["--tls-cert-file=x".to_owned()], vec!["tls-key-file"]),
    ];
    for (args, expected) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let message = read(&args).unwrap_err().to_string();
        for part in expected {
            assert!(message.contains(part), "{args:?}: {message}");
        }
    }
}

#[test]
fn a_weak_or_missing_token_is_refused_without_being_shown() {
    let weak = file("weak-secret\n");
    let flag = format!("--internal-token-file={}", weak.path().display());
    let cli = read(&[&flag]).unwrap();
    let refused = |cli: Cli| {
        let token = cli.server.internal_token(&Kit::for_tests());
        token.unwrap_err().to_string()
    };
    let message = refused(cli);
    assert!(message.contains("INTERNAL_TOKEN_FILE") && message.contains("32"));
    assert!(!message.contains("weak-secret"));
    let cli = read(&["--internal-token-file=/nowhere/token"]).unwrap();
    assert!(refused(cli).contains("there is no such file"));
}

#[test]
fn connections_leave_files_for_others() {
    let limit = |files| Rlimit {
        current: Some(files),
        maximum: getrlimit(Resource::Nofile).maximum,
    };
    let most = |args: &[&str], files: u64| {
        setrlimit(Resource::Nofile, limit(files)).unwrap();
        let limits = read(args).unwrap().server.connection_limits();
        limits.map(|limits| limits.most).map_err(|e| e.to_string())
    };
    let before = getrlimit(Resource::Nofile);
    let derived = most(&[], 512);
    let given = most(&["--max-connections=300"], 512);
    let too_many = most(&["--max-connections=400"], 512);
    setrlimit(Resource::Nofile, before).unwrap();
    assert_eq!(derived, Ok(384));
    assert_eq!(given, Ok(300));
    let message = too_many.unwrap_err();
    for part in ["MAX_CONNECTIONS (400)", "(512)", "ulimit -n"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn listeners_and_endpoints_are_at_addresses_of_their_own() {
    let server = |listen: &str, admin: &str| {
        let flags = [
            format!("--listen={listen}"),
            format!("--admin-listen={admin}"),
        ];
        read(&[&flags[0], &flags[1]]).unwrap().server
    };
    let loopback = "127.0.0.1:50054";
    for (admin, refused) in [
        (loopback, true),
        ("0.0.0.0:50054", true),
        ("127.0.0.1:50055", false),
        ("127.0.0.2:50054", false),
    ] {
        let checked = server(loopback, admin).check_listeners();
        let said = checked.map_or_else(|error| error.to_string(), |()| String::new());
        let named = said.contains("LISTEN and ADMIN_LISTEN") && said.contains(admin);
        assert_eq!(named, refused, "{admin}: {said}");
    }
    let free = server("127.0.0.1:0", "127.0.0.1:0");
    free.check_listeners().unwrap();

    for (listen, endpoint, listener) in [
        (loopback, "http://127.0.0.1:50054", "(LISTEN)"),
        (loopback, "https://localhost:50054", "(LISTEN)"),
        (loopback, "dns://localhost:50054", "(LISTEN)"),
        ("0.0.0.0:50054", "http://127.0.0.1:50054", "(LISTEN)"),
        ("[::]:50054", "http://[::1]:50054", "(LISTEN)"),
        (
            loopback,
            "http://10.0.0.1:1, http://127.0.0.1:50054",
            "(LISTEN)",
        ),
        (loopback, "http://127.0.0.3:9", "(ADMIN_LISTEN)"),
        // Others: then only the proof is missing here.
        (loopback, "http://127.0.0.1:50055", ""),
        ("0.0.0.0:50054", "http://10.0.0.1:50054", ""),
        ("0.0.0.0:50054", "dns://session-svc:50054", ""),
        ("127.0.0.1:0", "http://127.0.0.1:50054", ""),
    ] {
        let server = server(listen, "127.0.0.3:9");
        let (service, setting) = ("session-svc", "SESSION_ENDPOINT");
        let made = server.client(service, setting, Some(endpoint), &Kit::for_tests());
        let said = made.err().unwrap().to_string();
        let here = said.contains("SESSION_ENDPOINT leads to this process itself");
        assert_eq!(here, !listener.is_empty(), "{endpoint}: {said}");
        assert!(said.contains(listener), "{endpoint}: {said}");
    }
}
