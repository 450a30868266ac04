//! Remote servers: refused until somebody agrees, without a socket.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use turnwise_llm_backends::{Failure, Operation, Targets, ollama_answers};

use crate::harness::{Model, ask, connect, settings};

#[test]
fn which_servers_are_remote() {
    for (address, remote) in [
        ("http://localhost:11434", false),
        ("http://LOCALHOST", false),
        ("http://models.localhost", false),
        ("http://127.0.0.1:1", false),
        ("http://127.9.9.9", false),
        ("http://[::1]:1", false),
        ("http://[::ffff:127.0.0.1]", false),
        ("http://0.0.0.0", false),
        ("http://10.0.0.5", false),
        ("http://172.16.0.1", false),
        ("http://172.31.255.255", false),
        ("http://192.168.1.9", false),
        ("http://169.254.1.1", false),
        ("http://[fe80::1]", false),
        ("http://[fd00::1]", false),
        ("http://ollama:11434", false),
        // Numbers in disguise are the addresses that they are.
        ("http://2130706433", false),
        ("http://0x08080808", true),
        ("http://8.8.8.8", true),
        ("http://172.32.0.1", true),
        ("http://100.64.0.1", true),
        ("http://[2001:db8::1]", true),
        ("http://[::ffff:8.8.8.8]", true),
        ("https://api.example.org", true),
        ("https://localhost.example.org", true),
        ("https://127.0.0.1.example.org", true),
        ("http://ollama.", true),
        ("http://school.local", false),
        ("http://School.LOCAL.", false),
        ("http://ollama.models.svc", false),
        ("http://ollama.models.svc.cluster.local:11434", false),
        ("http://gpu.internal", false),
        ("https://internal", false),
        ("https://notinternal.example", true),
        ("https://svc.example.org", true),
        ("https://xsvc", false),
        ("https://a.xsvc", true),
        ("https://gpu.internal.example.org", true),
    ] {
        let url = address.parse().unwrap();
        assert_eq!(settings(&[]).is_remote(&url), remote, "{address}");
    }
}

#[test]
fn what_is_private_can_be_set() {
    let school = settings(&["--private-host-suffixes", ".School.example, .lan"]);
    let none = settings(&["--private-host-suffixes="]);
    for (address, in_school) in [
        ("http://gpu.school.example", true),
        ("http://gpu.lan", true),
        ("http://gpu.internal", false),
        ("http://school.example", false),
        ("http://myschool.example", false),
    ] {
        let url = address.parse().unwrap();
        assert_eq!(!school.is_remote(&url), in_school, "{address}");
        assert!(none.is_remote(&url), "{address}");
    }
}

/// Who agreed to one backend has not agreed to another that stands in for it.
#[tokio::test]
async fn each_backend_is_acknowledged_by_name() {
    let agreed_to = |acknowledged: &str| {
        let settings = settings(&[
            "--helper-llm-backend=ollama",
            "--ollama-base-url=http://203.0.113.7:9",
            "--llm-failover=openai/a,openai/b",
            "--openai-api-key=sk-1",
            &format!("--helper-remote-mode-acknowledged={acknowledged}"),
        ]);
        let targets = Targets::connect(&settings).unwrap();
        let admitted = targets.in_order().iter().map(|target| {
            match target.backend.admit(&target.model, Operation::Completion) {
                Ok(()) => true,
                Err(Failure::RemoteNotAcknowledged { .. }) => false,
                Err(other) => panic!("{other:?}"),
            }
        });
        admitted.collect::<Vec<_>>()
    };
    assert_eq!(agreed_to("0"), [false, false, false]);
    assert_eq!(agreed_to("1"), [true, false, false]);
    assert_eq!(agreed_to("ollama"), [true, false, false]);
    assert_eq!(agreed_to("openai"), [false, true, true]);
    assert_eq!(agreed_to("openai, ollama"), [true, true, true]);
    assert_eq!(agreed_to("openai_compatible"), [false, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_remote_server_that_nobody_agreed_to_is_never_called() {
    // An address that is kept for documentation: a connection to it would hang until the clock, which stands still
    // while anything can run, had moved on.
    const HOST: &str = "203.0.113.7";
    for (args, backend) in [
        (
            &[
                "--helper-llm-backend",
                "openai_compatible",
                "--openai-base-url",
                "http://203.0.113.7:9",
            ][..],
            "openai_compatible",
        ),
        (
            &[
                "--helper-llm-backend",
                "openai",
                "--openai-api-key",
                "sk-1",
                "--openai-base-url",
                "http://203.0.113.7:9",
            ],
            "openai",
        ),
        (
            &[
                "--helper-llm-backend",
                "mock",
                "--ollama-base-url",
                "http://203.0.113.7:9",
                "--llm-failover",
                "ollama",
            ],
            "ollama",
        ),
    ] {
        let begun = Instant::now();
        let targets = Targets::connect(&settings(args)).unwrap();
        let target = targets.in_order().last().unwrap();
        assert_eq!(target.backend.name(), backend);
        let model = Model(Arc::clone(&target.backend));
        let refusal = Failure::RemoteNotAcknowledged {
            backend,
            host: HOST.to_owned(),
        };
        for _ in 0..3 {
            for operation in [Operation::Completion, Operation::Embedding] {
                let name = model.0.default_model(operation);
                assert!(!name.is_empty());
                assert_eq!(model.0.admit(name, operation).unwrap_err(), refusal);
            }
            assert_eq!(model.stream(&ask()).await.unwrap_err(), refusal);
            assert_eq!(model.complete(&ask()).await.unwrap_err(), refusal);
            assert_eq!(model.embed(&["a"]).await.unwrap_err(), refusal);
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
    let begun = Instant::now();
    assert!(!ollama_answers(&settings(&["--ollama-base-url", "http://203.0.113.7:9"])).await);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn openai_is_remote_unless_it_is_elsewhere() {
    let openai = connect(&["--helper-llm-backend", "openai", "--openai-api-key", "sk-1"]);
    let refusal = Failure::RemoteNotAcknowledged {
        backend: "openai",
        host: "api.openai.com".to_owned(),
    };
    assert_eq!(openai.stream(&ask()).await.unwrap_err(), refusal);
    assert!(
        refusal
            .to_string()
            .contains("name `openai` in HELPER_REMOTE_MODE_ACKNOWLEDGED")
    );
}
