//! `turnwise token`, as it is typed.

use std::process::{Command, Output};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

fn token(args: &[&str]) -> Output {
    let root = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .arg("token")
        .args(args)
        .arg("--data-dir")
        .arg(root.path())
        .output()
        .unwrap()
}

fn claims(args: &[&str]) -> Value {
    let output = token(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let token = String::from_utf8(output.stdout).unwrap();
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

#[test]
fn a_simulators_token_names_its_learner() {
    let service = ["--role", "service", "--class", "7b"];
    let spoken = claims(&[&service[..], &["--on-behalf-of", "ada"]].concat());
    assert_eq!(spoken["on_behalf_of"], "ada");
    assert_eq!(spoken["sub"], "simulator");
    assert_eq!(spoken["role"], "service");
    assert_eq!(spoken["classes"], json!(["7b"]));
    let named = ["--on-behalf-of", "ada", "--subject", "lab-3"];
    assert_eq!(claims(&[&service[..], &named].concat())["sub"], "lab-3");
    // Without a learner there is no such claim: with one that is empty the token would be refused.
    let own = claims(&[&service[..], &["--subject", "platform"]].concat());
    assert!(own.get("on_behalf_of").is_none());
}

#[test]
fn nobody_but_a_service_speaks_for_a_learner() {
    for (args, why) in [
        (&["--on-behalf-of", "ada"][..], "add --role service"),
        (
            &[
                "--subject",
                "bob",
                "--role",
                "staff",
                "--on-behalf-of",
                "ada",
            ],
            "add --role service",
        ),
        (
            &[
                "--teacher",
                "ms-noether",
                "--class",
                "7b",
                "--on-behalf-of",
                "ada",
            ],
            "cannot be used with",
        ),
        (
            &["--role", "service", "--on-behalf-of", "a b"],
            "`a b` is no id",
        ),
        (&["--role", "service"], "--subject"),
    ] {
        let output = token(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{args:?}");
        assert!(said.contains(why), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let help = token(&["--help"]);
    let help = String::from_utf8_lossy(&help.stdout);
    assert!(help.contains("--on-behalf-of <LEARNER>"), "{help}");
}

#[test]
fn an_issuer_hands_out_its_public_keys_and_no_token_for_nobody() {
    let root = tempfile::tempdir().unwrap();
    let jwks = root.path().join("jwks.json");
    let file = jwks.to_str().unwrap();
    let output = token(&["--public-keys", file]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.is_empty(), "nobody was named");
    let keys: Value = serde_json::from_slice(&std::fs::read(&jwks).unwrap()).unwrap();
    assert_eq!(keys["keys"][0]["kid"], "dev");
    assert!(keys["keys"][0].get("d").is_none(), "the private half");

    let named = claims(&["--public-keys", file, "--subject", "ada"]);
    assert_eq!(named["sub"], "ada");
    let nowhere = token(&["--public-keys", "/proc/no-such-folder/jwks.json"]);
    assert!(!nowhere.status.success());
    let said = String::from_utf8_lossy(&nowhere.stderr);
    assert!(said.contains("/proc/no-such-folder/jwks.json"), "{said}");
}
