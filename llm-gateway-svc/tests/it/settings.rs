//! Settings: bounds, secrets, and starts that are refused.

use turnwise_kit::Kit;
use turnwise_llm_gateway_svc::{StartError, routes};

use crate::harness::{settings, try_settings};

#[test]
fn values_out_of_bounds_are_refused() {
    for args in [
        ["--helper-llm-backend", "gpt"],
        ["--helper-remote-mode-acknowledged", "maybe"],
        ["--mock-model", "mock:nice"],
        ["--helper-max-concurrency", "0"],
        ["--helper-max-concurrency", "-1"],
        ["--helper-max-concurrency", "1025"],
        ["--helper-queue-max-wait-seconds", "3601"],
        ["--queue-max-wait-ceiling-seconds", "3601"],
        ["--ollama-base-url", "localhost:11434"],
        ["--ollama-base-url", "ftp://localhost"],
        ["--ollama-base-url", "http://user:pass@localhost"],
        ["--ollama-base-url", "http://localhost?a=b"],
        ["--ollama-base-url", ""],
        ["--ollama-model", ""],
        ["--ollama-timeout-seconds", "0"],
        ["--ollama-temperature", "2.1"],
        ["--ollama-temperature", "NaN"],
        ["--ollama-top-p", "1.1"],
        ["--ollama-num-predict", "32769"],
        ["--openai-base-url", "api.example.org"],
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
fn a_key_is_never_printed() {
    let secret = "sk-do not print";
    let settings = settings(&["--openai-api-key", secret]);
    assert!(!format!("{settings:?} {settings:#?}").contains(secret));
}

async fn refused(args: &[&str]) -> StartError {
    routes(&settings(args), &Kit::for_tests())
        .await
        .expect_err("the start is refused")
}

#[tokio::test]
async fn starts_that_are_refused_say_what_to_do() {
    let openai = ["--helper-llm-backend", "openai_compatible"];
    let local = ["--openai-base-url", "http://localhost:1"];
    let with = |more: &[&'static str]| [&openai[..], &local[..], more].concat();

    assert!(matches!(refused(&openai).await, StartError::NoBaseUrl));
    let two = with(&["--openai-api-key", "a", "--openai-api-key-file", "b"]);
    assert!(matches!(refused(&two).await, StartError::TwoKeys));
    let missing = with(&["--openai-api-key-file", "/nowhere/key"]);
    let error = refused(&missing).await;
    assert!(matches!(error, StartError::KeyFile { .. }));
    assert!(error.to_string().contains("/nowhere/key"));
    let blank = with(&["--openai-api-key", "sk with blanks"]);
    let error = refused(&blank).await;
    assert!(matches!(error, StartError::MalformedKey));
    assert!(!error.to_string().contains("blanks"));
    let waits = [
        "--helper-llm-backend",
        "mock",
        "--helper-queue-max-wait-seconds",
        "11",
        "--queue-max-wait-ceiling-seconds",
        "10",
    ];
    assert!(matches!(
        refused(&waits).await,
        StartError::WaitAboveCeiling { .. }
    ));
}

#[tokio::test]
async fn an_empty_key_is_no_key() {
    let args = [
        "--helper-llm-backend",
        "openai_compatible",
        "--openai-base-url",
        "http://localhost:1",
        "--openai-api-key",
        "",
    ];
    routes(&settings(&args), &Kit::for_tests()).await.unwrap();
}

#[tokio::test]
async fn a_server_with_tls_can_be_configured() {
    let args = [
        "--helper-llm-backend",
        "ollama",
        "--ollama-base-url",
        "https://localhost:1",
    ];
    // A machine without root certificates refuses, with a message; no machine panics.
    if let Err(error) = routes(&settings(&args), &Kit::for_tests()).await {
        assert!(matches!(error, StartError::Client(_)), "{error}");
    }
}
