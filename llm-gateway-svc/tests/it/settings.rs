//! Settings: bounds, secrets, and starts that are refused.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing_subscriber::fmt::MakeWriter;
use turnwise_kit::Kit;
use turnwise_llm_gateway_svc::{StartError, routes};

use crate::harness::{settings, try_settings};

#[test]
fn values_out_of_bounds_are_refused() {
    for args in [
        ["--embed-max-concurrency", "0"],
        ["--llm-model-concurrency", "phi=0"],
        ["--llm-model-concurrency", "phi=1025"],
        ["--llm-model-concurrency", "phi"],
        ["--llm-model-concurrency", "phi=1,phi=2"],
        ["--queue-class-weights", "school/7a=0"],
        ["--queue-class-weights", "school/7a=1001"],
        ["--queue-class-weights", "school/7a=-1"],
        ["--queue-class-weights", "school/7a=1.5"],
        ["--queue-class-weights", "school/7a=NaN"],
        ["--queue-class-weights", "=2"],
        // It would weigh nobody's class.
        ["--queue-class-weights", "7a=2"],
        ["--queue-max-entries", "0"],
        ["--queue-max-entries", "100001"],
        ["--queue-max-bytes", "1023"],
        ["--queue-batch-aging-seconds", "0"],
        ["--queue-place-grace-seconds", "601"],
        ["--queue-expected-call-seconds", "0"],
        ["--helper-queue-poll-seconds", "0"],
        ["--helper-queue-slot-ttl-seconds", "0"],
        ["--queue-replicas", "0"],
        ["--queue-replica-index", "-1"],
        ["--queue-replica-index", "pod"],
        ["--helper-queue-max-wait-seconds", "-1"],
        ["--helper-queue-max-wait-seconds", "NaN"],
        ["--helper-backend-max-attempts", "0"],
        ["--helper-backend-max-attempts", "11"],
        ["--helper-backoff-seconds", "-1"],
        ["--llm-retry-after-max-seconds", "601"],
        ["--llm-retry-budget-percent", "1001"],
        ["--helper-circuit-breaker-failures", "0"],
        ["--helper-circuit-breaker-ttl-seconds", "0"],
        ["--llm-coalesce", "perhaps"],
        ["--llm-actor-requests-per-minute", "-1"],
        ["--llm-class-tokens-per-minute", "60000001"],
        ["--llm-class-tokens-per-day", "4294967296"],
        ["--llm-redis-response-timeout-seconds", "0"],
        ["--llm-failover", "gpt"],
        ["--llm-failover", "mock/"],
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
    let args = [&["--helper-llm-backend", "mock"], args].concat();
    start(&args).await.expect_err("the start is refused")
}

async fn start(args: &[&str]) -> Result<(), StartError> {
    routes(&settings(args), &Kit::for_tests()).await.map(drop)
}

/// Everything that is logged on the test's only thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn a_start_warns_of_a_kind_of_server_that_nobody_calls() {
    let compatible = [
        "--helper-llm-backend=openai_compatible",
        "--openai-base-url=http://localhost:1",
    ];
    let standing_in = [
        "--helper-llm-backend=mock",
        "--llm-failover=openai_compatible",
        "--openai-base-url=http://localhost:1",
    ];
    for (args, server, is_warned_of) in [
        (&["--helper-llm-backend=ollama"][..], "llama_cpp", true),
        (&["--helper-llm-backend=none"], "llama_cpp", true),
        (&["--helper-llm-backend=ollama"], "any", false),
        (&compatible, "llama_cpp", false),
        (&standing_in, "llama_cpp", false),
    ] {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(log.clone())
            .with_ansi(false)
            .finish();
        let guard = tracing::subscriber::set_default(subscriber);
        let server = format!("--openai-compatible-server={server}");
        start(&[args, &[server.as_str()]].concat()).await.unwrap();
        drop(guard);
        let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let warned = said.contains("OPENAI_COMPATIBLE_SERVER does nothing");
        assert_eq!(warned, is_warned_of, "{args:?}: {said}");
        assert_eq!(said.contains("WARN"), is_warned_of, "{args:?}: {said}");
    }
}

/// A refusal names the settings that are at fault.
#[track_caller]
fn names(error: &StartError, settings: &[&str]) {
    let text = error.to_string();
    for setting in settings {
        assert!(text.contains(setting), "{text}");
    }
}

#[tokio::test]
async fn backends_that_cannot_start_say_what_to_do() {
    let openai = ["--helper-llm-backend", "openai_compatible"];
    let local = ["--openai-base-url", "http://localhost:1"];
    let with = |more: &[&'static str]| [&openai[..], &local[..], more].concat();
    for (args, named) in [
        (openai.to_vec(), &["OPENAI_BASE_URL"][..]),
        (
            vec!["--helper-llm-backend", "openai"],
            &["OPENAI_API_KEY", "OPENAI_API_KEY_FILE"],
        ),
        (
            with(&["--openai-api-key", "a", "--openai-api-key-file", "b"]),
            &["OPENAI_API_KEY", "OPENAI_API_KEY_FILE"],
        ),
        (
            with(&["--openai-api-key-file", "/nowhere/key"]),
            &["/nowhere/key"],
        ),
        (with(&["--openai-api-key", "sk with blanks"]), &["key"]),
        (
            with(&[
                "--openai-timeout-seconds",
                "10",
                "--llm-connect-timeout-seconds",
                "11",
            ]),
            &[
                "LLM_CONNECT_TIMEOUT_SECONDS=11",
                "OPENAI_TIMEOUT_SECONDS=10",
            ],
        ),
        (
            with(&[
                "--openai-timeout-seconds",
                "10",
                "--llm-total-timeout-seconds",
                "9",
            ]),
            &["OPENAI_TIMEOUT_SECONDS=10", "LLM_TOTAL_TIMEOUT_SECONDS=9"],
        ),
        (
            with(&["--llm-failover", "openai_compatible"]),
            &["LLM_FAILOVER", "openai_compatible/gpt-5.2"],
        ),
    ] {
        let error = start(&args).await.expect_err(named[0]);
        assert!(matches!(error, StartError::Backends(_)), "{error}");
        names(&error, named);
        assert!(!error.to_string().contains("blanks"), "no secret is told");
    }
}

#[tokio::test]
async fn waits_and_leases_fit_together() {
    let waits = [
        "--helper-queue-max-wait-seconds=11",
        "--queue-max-wait-ceiling-seconds=10",
    ];
    let error = refused(&waits).await;
    names(
        &error,
        &[
            "HELPER_QUEUE_MAX_WAIT_SECONDS=11",
            "QUEUE_MAX_WAIT_CEILING_SECONDS=10",
        ],
    );
    // Settings are looked at before anybody is called.
    let leases = [
        "--llm-redis-url=redis://127.0.0.1:1",
        "--helper-queue-poll-seconds=4",
        "--helper-queue-slot-ttl-seconds=11",
    ];
    let error = refused(&leases).await;
    names(
        &error,
        &[
            "HELPER_QUEUE_POLL_SECONDS=4",
            "HELPER_QUEUE_SLOT_TTL_SECONDS=11",
        ],
    );
}

#[tokio::test]
async fn a_replica_has_a_number_and_slots() {
    for (args, named) in [
        (
            vec!["--queue-replicas=1", "--queue-replica-index=1"],
            &["HELPER_MAX_CONCURRENCY", "QUEUE_REPLICAS", "LLM_REDIS_URL"][..],
        ),
        (
            vec!["--queue-replicas=3", "--queue-replica-index=2"],
            &["HELPER_MAX_CONCURRENCY", "QUEUE_REPLICAS", "LLM_REDIS_URL"],
        ),
        // Half of it.
        (
            vec!["--queue-replica-index=1"],
            &["QUEUE_REPLICAS", "QUEUE_REPLICA_INDEX", "LLM_REDIS_URL"],
        ),
        (
            vec!["--queue-replicas=2", "--llm-redis-url=redis://127.0.0.1:1"],
            &["QUEUE_REPLICAS", "QUEUE_REPLICA_INDEX", "LLM_REDIS_URL"],
        ),
        (
            vec![
                "--queue-replicas=3",
                "--queue-replica-index=2",
                "--helper-max-concurrency=3",
            ],
            &["EMBED_MAX_CONCURRENCY"],
        ),
        (
            vec![
                "--queue-replicas=2",
                "--queue-replica-index=1",
                "--llm-model-concurrency=big=1",
            ],
            &["LLM_MODEL_CONCURRENCY"],
        ),
    ] {
        names(&refused(&args).await, named);
    }
    let enough = [
        "--helper-llm-backend=mock",
        "--queue-replicas=2",
        "--queue-replica-index=pod-1",
    ];
    start(&enough).await.unwrap();
    let beyond = [
        "--helper-llm-backend=mock",
        "--queue-replicas=3",
        "--queue-replica-index=llm-gateway-svc-3",
        "--llm-redis-url=redis://127.0.0.1:1",
    ];
    start(&beyond).await.unwrap();
    let alone = ["--helper-llm-backend=mock", "--queue-replicas=1"];
    start(&alone).await.unwrap();
    let leased = [
        "--helper-llm-backend=mock",
        "--llm-redis-url=redis://127.0.0.1:1",
    ];
    start(&leased).await.unwrap();
}

#[tokio::test]
async fn what_belongs_to_redis_is_checked() {
    let error = refused(&["--llm-redis-url=memcached://127.0.0.1:1"]).await;
    names(&error, &["LLM_REDIS_URL"]);
    let missing = [
        "--llm-redis-url=redis://127.0.0.1:1",
        "--llm-redis-password-file=/nowhere/password",
    ];
    names(
        &refused(&missing).await,
        &["LLM_REDIS_PASSWORD_FILE", "/nowhere/password"],
    );
    // Empty is unset.
    let unset = ["--helper-llm-backend=mock", "--llm-redis-url="];
    start(&unset).await.unwrap();
}

#[tokio::test]
async fn an_empty_key_is_no_key() {
    let args = [
        "--helper-llm-backend=openai_compatible",
        "--openai-base-url=http://localhost:1",
        "--openai-api-key=",
    ];
    start(&args).await.unwrap();
}
