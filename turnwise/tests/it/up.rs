//! What stops the start of `turnwise up`.

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
