//! Settings: bounds, secrets, the order of backends, and starts that are refused.

use turnwise_llm_backends::{Failure, Operation, StartError, Targets};

use crate::harness::{ask, connect, refused, settings, try_settings};

#[test]
fn values_out_of_bounds_are_refused() {
    for args in [
        ["--helper-llm-backend", "gpt"],
        ["--helper-llm-backend", ""],
        ["--helper-remote-mode-acknowledged", "maybe"],
        ["--helper-remote-mode-acknowledged", ""],
        ["--helper-remote-mode-acknowledged", "2"],
        ["--helper-remote-mode-acknowledged", "1,openai"],
        ["--helper-remote-mode-acknowledged", "mock"],
        ["--helper-remote-mode-acknowledged", "none"],
        ["--private-host-suffixes", "internal"],
        ["--private-host-suffixes", "."],
        ["--private-host-suffixes", ".a..b"],
        ["--private-host-suffixes", ".a,"],
        ["--private-host-suffixes", ".*"],
        ["--llm-failover", "none"],
        ["--llm-allow-mock", "perhaps"],
        ["--llm-failover", "gpt"],
        ["--llm-failover", "mock,"],
        ["--llm-failover", "mock/"],
        ["--llm-failover", "mock/mock:nice"],
        ["--llm-failover", "ollama/a\u{7}b"],
        ["--llm-failover", "Ollama"],
        ["--llm-connect-timeout-seconds", "0"],
        ["--llm-connect-timeout-seconds", "-1"],
        ["--llm-between-tokens-timeout-seconds", "NaN"],
        ["--llm-between-tokens-timeout-seconds", "inf"],
        ["--llm-total-timeout-seconds", "3601"],
        ["--mock-model", "mock:nice"],
        ["--mock-embed-model", "mock:obey"],
        ["--ollama-base-url", "localhost:11434"],
        ["--ollama-base-url", "ftp://localhost"],
        ["--ollama-base-url", "http://user:pass@localhost"],
        ["--ollama-base-url", "http://localhost?a=b"],
        ["--ollama-base-url", ""],
        ["--ollama-model", ""],
        ["--ollama-embed-model", ""],
        ["--ollama-timeout-seconds", "0"],
        ["--ollama-timeout-seconds", "soon"],
        ["--ollama-temperature", "2.1"],
        ["--ollama-temperature", "NaN"],
        ["--ollama-top-p", "1.1"],
        ["--ollama-num-predict", "32769"],
        ["--openai-base-url", "api.example.org"],
        ["--openai-embed-model", "a\nb"],
        ["--openai-max-output-tokens", "-1"],
        ["--openai-timeout-seconds", "3601"],
    ] {
        // clap reads a value with a hyphen only after an equals sign.
        let arg = args.join("=");
        let error = try_settings(&[&arg]).expect_err(&arg).to_string();
        assert!(error.contains(args[0]), "{error}");
    }
}

#[test]
fn the_mock_is_used_on_purpose_only() {
    for args in [
        &["--helper-llm-backend=mock", "--llm-allow-mock=0"][..],
        &["--llm-failover=mock/mock:echo", "--llm-allow-mock=0"],
    ] {
        let error = refused(args);
        assert!(matches!(error, StartError::MockNotAllowed), "{error}");
        assert!(error.to_string().contains("LLM_ALLOW_MOCK=1"));
    }
    let ollama = settings(&["--llm-allow-mock=0"]);
    assert!(Targets::connect(&ollama).is_ok());
}

#[tokio::test]
async fn without_a_model_every_call_is_refused() {
    let none = connect(&["--helper-llm-backend=none", "--llm-allow-mock=0"]);
    assert_eq!(none.0.name(), "none");
    for operation in [Operation::Completion, Operation::Embedding] {
        let model = none.0.default_model(operation);
        assert_eq!(none.0.admit(model, operation), Err(Failure::Off));
    }
    assert_eq!(none.stream(&ask()).await.unwrap_err(), Failure::Off);
    assert_eq!(none.complete(&ask()).await.unwrap_err(), Failure::Off);
    assert_eq!(none.embed(&["a"]).await.unwrap_err(), Failure::Off);
    // Nobody stands in for it.
    let error = refused(&["--helper-llm-backend=none", "--llm-failover=ollama"]);
    assert!(matches!(error, StartError::FailoverOfNone), "{error}");
}

#[test]
fn a_key_is_never_printed() {
    let secret = "sk-do not print";
    let settings = settings(&["--openai-api-key", secret]);
    assert!(!format!("{settings:?} {settings:#?}").contains(secret));
}

const COMPATIBLE: [&str; 2] = ["--helper-llm-backend", "openai_compatible"];
const LOCAL: [&str; 2] = ["--openai-base-url", "http://localhost:1"];

fn compatible(more: &[&'static str]) -> Vec<&'static str> {
    [&COMPATIBLE[..], &LOCAL[..], more].concat()
}

#[test]
fn starts_that_are_refused_say_what_to_do() {
    let error = refused(&COMPATIBLE);
    assert!(matches!(error, StartError::NoBaseUrl));
    assert!(error.to_string().contains("OPENAI_BASE_URL"));
    let two = compatible(&["--openai-api-key", "a", "--openai-api-key-file", "b"]);
    assert!(matches!(refused(&two), StartError::TwoKeys));
    let error = refused(&compatible(&["--openai-api-key-file", "/nowhere/key"]));
    assert!(matches!(error, StartError::KeyFile { .. }));
    assert!(error.to_string().contains("/nowhere/key"));
    let error = refused(&compatible(&["--openai-api-key", "sk with blanks"]));
    assert!(matches!(error, StartError::MalformedKey));
    assert!(!error.to_string().contains("blanks"));
}

#[test]
fn a_completion_leaves_room_for_a_prompt() {
    for window in ["400", "399"] {
        let error = refused(&[
            "--ollama-num-predict=400",
            &format!("--ollama-num-ctx={window}"),
        ]);
        let expected = matches!(
            error,
            StartError::NoRoomForPrompt {
                completion: 400,
                ..
            }
        );
        assert!(expected, "{error}");
        assert!(error.to_string().contains("OLLAMA_NUM_CTX"));
    }
    for free in [
        &["--ollama-num-ctx=0"][..],
        &["--ollama-num-ctx=401"],
        &["--ollama-num-predict=0", "--ollama-num-ctx=100"],
    ] {
        assert!(Targets::connect(&settings(free)).is_ok(), "{free:?}");
    }
}

#[test]
fn openai_needs_a_key_whether_it_is_remote_or_not() {
    for more in [&[][..], &LOCAL, &["--openai-api-key", ""]] {
        let error = refused(&[&["--helper-llm-backend", "openai"], more].concat());
        assert!(matches!(error, StartError::NoKey));
        assert!(error.to_string().contains("OPENAI_API_KEY_FILE"));
    }
    // Others do without.
    let empty = compatible(&["--openai-api-key", ""]);
    Targets::connect(&settings(&empty)).unwrap();
}

#[test]
fn time_outs_that_contradict_each_other_are_refused_and_both_are_named() {
    const CONNECT: [&str; 2] = ["connect", "LLM_CONNECT_TIMEOUT_SECONDS"];
    const TOKENS: [&str; 2] = ["between-tokens", "LLM_BETWEEN_TOKENS_TIMEOUT_SECONDS"];
    const TOTAL: [&str; 2] = ["total", "LLM_TOTAL_TIMEOUT_SECONDS"];
    let ollama = "OLLAMA_TIMEOUT_SECONDS";
    for (values, part, whole) in [
        (&[(CONNECT, "31")][..], CONNECT[1], ollama),
        (&[(TOKENS, "30.5")], TOKENS[1], ollama),
        (&[(TOTAL, "29")], ollama, TOTAL[1]),
        (&[(TOKENS, "20"), (TOTAL, "19.5")], TOKENS[1], TOTAL[1]),
    ] {
        let args: Vec<String> = values
            .iter()
            .map(|([name, _], value)| format!("--llm-{name}-timeout-seconds={value}"))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let error = refused(&args).to_string();
        assert!(error.starts_with(part), "{error}");
        assert!(error.contains(whole) && error.contains("lower"), "{error}");
        // Each backend has a longest silence of its own, and a backend that is not called has none.
        let mock = [&args[..], &["--helper-llm-backend", "mock"]].concat();
        Targets::connect(&settings(&mock)).unwrap();
        let failover = [&mock[..], &["--llm-failover", "ollama"]].concat();
        refused(&failover);
    }
}

#[test]
fn one_setting_alone_never_contradicts_the_rest() {
    for seconds in ["0.01", "0.5", "2", "14", "301", "3600"] {
        let args = ["--ollama-timeout-seconds", seconds];
        Targets::connect(&settings(&args)).unwrap();
    }
}

fn order(args: &[&str]) -> Vec<(&'static str, String)> {
    let targets = Targets::connect(&settings(args)).unwrap();
    let target = targets.in_order().iter();
    target
        .map(|t| (t.backend.name(), t.model.clone()))
        .collect()
}

#[test]
fn the_order_of_backends() {
    let named = |backend, model: &str| (backend, model.to_owned());
    assert_eq!(order(&[]), [named("ollama", "llama3.2:1b")]);
    assert_eq!(order(&["--llm-failover", " "]), order(&[]));
    let args = [
        &LOCAL[..],
        &[
            "--llm-failover",
            "ollama/qwen2:0.5b, openai_compatible/org/model ,mock,mock/mock:slow:5",
        ],
    ]
    .concat();
    let expected = [
        named("ollama", "llama3.2:1b"),
        named("ollama", "qwen2:0.5b"),
        named("openai_compatible", "org/model"),
        named("mock", "mock"),
        named("mock", "mock:slow:5"),
    ];
    assert_eq!(order(&args), expected);

    let targets = Targets::connect(&settings(&args)).unwrap();
    let compatible = targets.backend("openai_compatible").unwrap();
    assert_eq!(compatible.default_model(Operation::Completion), "gpt-5.2");
    assert!(targets.backend("openai").is_none());
    assert!(targets.backend("").is_none());
}

#[test]
fn orders_that_are_refused() {
    for failover in [
        "ollama",
        "ollama/llama3.2:1b",
        "mock,mock",
        "mock,mock/mock",
        "ollama/a,mock,ollama/a",
    ] {
        let error = refused(&["--llm-failover", failover]);
        assert!(matches!(error, StartError::FailoverTwice { .. }), "{error}");
        assert!(error.to_string().contains("LLM_FAILOVER"));
    }
    let both = [
        "--openai-api-key",
        "k",
        "--llm-failover",
        "openai,openai_compatible",
    ];
    let error = refused(&[&LOCAL[..], &both].concat());
    assert!(matches!(error, StartError::TwoOpenais), "{error}");
    // What a further backend lacks is found at start, too.
    let error = refused(&["--llm-failover", "openai_compatible"]);
    assert!(matches!(error, StartError::NoBaseUrl));
    let error = refused(&["--llm-failover", "openai"]);
    assert!(matches!(error, StartError::NoKey));
}

#[test]
fn a_server_with_tls_can_be_configured() {
    let args = ["--ollama-base-url", "https://localhost:1"];
    // A machine without root certificates refuses, with a message; no machine panics.
    if let Err(error) = Targets::connect(&settings(&args)) {
        assert!(matches!(error, StartError::Client(_)), "{error}");
    }
}
