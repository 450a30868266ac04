//! What stops the start of `turnwise up`, and what it warns of.

use std::process::Command;

/// Keys or an audience without their issuer would mean nothing: the start ends, and nothing is made.
#[test]
fn keys_without_an_issuer_stop_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    for (setting, value) in [
        ("JWT_AUDIENCE", "school"),
        ("JWT_JWKS_FILE", "jwks.json"),
        ("JWT_JWKS_URL", "https://identity.example.org/jwks.json"),
    ] {
        // Without courses it ends in any case.
        let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["up", "--listen", "127.0.0.1:0"])
            .args(["--helper-llm-backend", "none"])
            .arg("--data-dir")
            .arg(&data)
            .arg("--courses-dir")
            .arg(dir.path().join("nowhere"))
            .env_clear()
            .env(setting, value)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(
            said,
            "error: JWT_ISSUER is needed with JWT_JWKS_FILE, JWT_JWKS_URL or JWT_AUDIENCE\n"
        );
        assert!(!data.exists());
    }
}

/// All five services are in it, and nothing of it is called from elsewhere.
#[test]
fn what_groups_services_stops_the_start() {
    for (setting, value) in [
        ("INTERNAL_LISTEN", "127.0.0.1:0"),
        ("TURNWISE_TARGET", "policy"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["up", "--listen", "127.0.0.1:0"])
            .env_clear()
            .env(setting, value)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains(&format!("{setting} is set, and means nothing")),
            "{said}"
        );
    }
}

/// The start goes on, as far as it can without courses.
#[test]
fn a_prompt_that_does_not_fit_into_the_context_window_is_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    for (prompt, backend, warns) in [
        ("3459", "ollama", false),
        ("3460", "ollama", true),
        ("3460", "none", false),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["up", "--listen", "127.0.0.1:0"])
            .args(["--helper-llm-backend", backend])
            .args(["--prompt-max-tokens", prompt])
            .arg("--data-dir")
            .arg(dir.path().join("data"))
            .arg("--courses-dir")
            .arg(dir.path().join("nowhere"))
            .env_clear()
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.contains("context window of Ollama"), warns, "{said}");
        assert_eq!(
            said.contains("PROMPT_MAX_TOKENS=3460 and the reply may need 4097 tokens"),
            warns,
            "{said}"
        );
    }
}
