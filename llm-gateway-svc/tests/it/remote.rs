//! Remote servers: refused until somebody agrees, without a socket.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_llm_gateway_svc::{backend::is_remote, ollama_answers};
use turnwise_proto::common::v1::ErrorReason;

use crate::harness::{fault, gateway, request, settings};

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
        ("http://school.local", true),
    ] {
        let url = address.parse().unwrap();
        assert_eq!(is_remote(&url), remote, "{address}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_remote_server_that_nobody_agreed_to_is_never_called() {
    // An address that is kept for documentation: a connection to it would hang until the clock, which stands still
    // while anything can run, had moved on.
    for args in [
        [
            "--helper-llm-backend",
            "openai_compatible",
            "--openai-base-url",
            "http://203.0.113.7:9",
        ],
        [
            "--helper-llm-backend",
            "ollama",
            "--ollama-base-url",
            "http://203.0.113.7:9",
        ],
    ] {
        let begun = Instant::now();
        let gateway = gateway(&args).await;
        for _ in 0..3 {
            // No call waits for a slot, either: there are two.
            let failure = gateway.complete(request()).await.unwrap_err();
            let fault = fault(&failure, ErrorReason::RemoteBackendNotAcknowledged);
            assert_eq!(fault.metadata("host"), Some("203.0.113.7"));
            let failure = gateway.stream(request()).await.unwrap_err();
            crate::harness::fault(&failure, ErrorReason::RemoteBackendNotAcknowledged);
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert!(!ollama_answers(&settings(&["--ollama-base-url", "http://203.0.113.7:9"])).await);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
