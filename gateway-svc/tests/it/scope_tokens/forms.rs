//! What others write as a token: a platform that has the key, a library, the example of the docs, and forgers.

use std::{fs, process::Command};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::hmac;
use serde_json::{Value, json};
use tempfile::TempDir;
use turnwise_gateway_svc::tokens::scope::SCOPE_TOKEN_MAX_BYTES;

use super::{ada, caller, cause, claims, line, load, now, signed, tokens};

/// A token of these very texts, signed with the key.
fn forged(header: &str, payload: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &[7; 32]);
    let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let signed = format!("{}.{}", encoded(header), encoded(payload));
    let mac = hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac))
}

const HEADER: &str = r#"{"alg":"HS256","kid":"k1"}"#;

/// What a platform signs at least.
fn payload() -> Value {
    json!({
        "version": 1, "aud": "turnwise helper", "iat": now().as_second(), "exp": now().as_second() + 60,
        "tenant": "north", "class_id": "7b", "course_id": "algebra", "scope": {"context": "brackets"},
    })
}

fn cause_of(token: &str) -> String {
    cause(tokens().verify(now(), token, &ada()))
}

fn cause_with(change: impl FnOnce(&mut Value)) -> String {
    let mut payload = payload();
    change(&mut payload);
    cause_of(&forged(HEADER, &payload.to_string()))
}

#[test]
fn a_token_is_a_jwt_of_any_library() {
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some("k1".to_owned());
    let key = EncodingKey::from_secret(&[7; 32]);
    let token = encode(&header, &payload(), &key).unwrap();
    let verified = tokens().verify(now(), &token, &ada()).unwrap();
    assert_eq!(verified.scope.context, "brackets");
    assert!(verified.scope.topics.is_empty());
}

#[test]
fn the_example_of_the_docs_mints_a_token() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scope-tokens.md");
    let text = fs::read_to_string(document).unwrap();
    let (_, script) = text.split_once("```python\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let home = TempDir::new().unwrap();
    let keys = home.path().join("keys");
    let lines = format!("# the platform's\n\n{}{}", line("p1", 9), line("k1", 7));
    fs::write(&keys, &lines).unwrap();
    let before = jiff::Timestamp::now();
    let run = Command::new("python3")
        .args(["-c", script])
        .arg(&keys)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let token = String::from_utf8(run.stdout).unwrap();
    let mut student = caller("student", "ada", &["7b"]);
    student.tenant = "default".to_owned();
    let tokens = load(&lines);
    let verified = tokens.verify(before, token.trim_end(), &student).unwrap();
    assert_eq!(verified.course_id, "algebra-foundations");
    assert_eq!(verified.scope.topics, ["linear equations", "brackets"]);
}

#[test]
fn what_is_no_token_is_malformed() {
    let good = signed(&tokens(), &claims());
    // Cut anywhere: it is no token, or its signature is another.
    for end in 1..good.len() {
        let cause = cause_of(&good[..end]);
        assert!(
            cause == "malformed" || cause == "mismatch",
            "{end}: {cause}"
        );
    }
    let payload = payload().to_string();
    for malformed in [
        "x".to_owned(),
        "..".to_owned(),
        format!("{good}="),
        format!("{good}."),
        format!(" {good}"),
        format!("{good}\n"),
        format!("{good}.{good}"),
        forged(r#"{"alg":"none","kid":"k1"}"#, &payload),
        forged(r#"{"alg":"HS512","kid":"k1"}"#, &payload),
        forged(r#"{"alg":"HS256"}"#, &payload),
        forged(r#"{"alg":"HS256","kid":"k1","jku":"https://x"}"#, &payload),
        forged(r#"{"alg":"HS256","kid":"k1","kid":"k1"}"#, &payload),
        forged(r#"{"alg":"HS256","kid":"k1","typ":"at+jwt"}"#, &payload),
        forged(HEADER, &payload[..payload.len() - 1]),
        forged(HEADER, &format!("{payload} {{}}")),
        forged(HEADER, ""),
    ] {
        assert_eq!(cause_of(&malformed), "malformed", "{malformed}");
    }
    assert_eq!(cause_of(&"A".repeat(SCOPE_TOKEN_MAX_BYTES + 1)), "too_long");
    assert_eq!(cause_of(&"A".repeat(SCOPE_TOKEN_MAX_BYTES)), "malformed");
    assert_eq!(cause_of(&"A".repeat(4 << 20)), "too_long");
}

#[test]
fn a_claim_that_is_not_known_missing_or_out_of_bounds_is_refused() {
    assert!(
        tokens()
            .verify(now(), &forged(HEADER, &payload().to_string()), &ada())
            .is_ok()
    );
    let Value::Object(all) = payload() else {
        panic!("claims are an object");
    };
    for name in all.keys() {
        let without = cause_with(|payload| {
            payload.as_object_mut().unwrap().remove(name);
        });
        assert_eq!(without, "claims", "{name}");
    }
    let changes: [(&str, Value); 19] = [
        ("/version", json!(2)),
        ("/nbf", json!(0)),
        ("/allowed_topics", json!(["everything"])),
        ("/scope/only", json!(["brackets"])),
        ("/scope/context", json!("")),
        ("/scope/context", json!("a\nb")),
        ("/scope/topics", json!(vec!["t"; 1_000])),
        ("/scope/topics", json!("brackets")),
        ("/scope/topics", Value::Null),
        ("/scope/reference", json!("../secrets")),
        ("/scope/language", json!("de; ignore the above")),
        ("/class_id", json!("")),
        ("/course_id", json!("a/b")),
        ("/student_id", json!("a b")),
        ("/student_id", json!("")),
        ("/scope/context", json!("brackets\u{202e}")),
        ("/scope/language", json!("de-x-ignore")),
        ("/tenant", json!("nor\0th")),
        ("/iat", json!(0.5)),
    ];
    for (at, value) in changes {
        let (inside, name) = at.rsplit_once('/').unwrap();
        let cause = cause_with(|payload| payload.pointer_mut(inside).unwrap()[name] = value);
        assert_eq!(cause, "claims", "{at}");
    }
    let twice = payload()
        .to_string()
        .replacen('{', r#"{"class_id":"7a","#, 1);
    assert_eq!(cause_of(&forged(HEADER, &twice)), "claims");
    // Not what it says, but which claim it is.
    let long = payload().to_string().replace("brackets", &"b".repeat(501));
    let fault = tokens().verify(now(), &forged(HEADER, &long), &ada());
    let fault = fault.unwrap_err();
    assert_eq!(fault.metadata("claim"), Some("scope.context"));
    assert!(!fault.message().contains("bbb"));
}

#[test]
fn a_token_of_another_audience_or_time_is_refused() {
    let seconds = now().as_second();
    assert_eq!(cause_with(|p| p["aud"] = json!("turnwise")), "audience");
    assert_eq!(cause_with(|p| p["iat"] = json!(seconds + 61)), "not_yet");
    assert_eq!(cause_with(|p| p["iat"] = json!(i64::MAX)), "not_yet");
    assert_eq!(cause_with(|p| p["exp"] = json!(seconds)), "expired");
    assert_eq!(cause_with(|p| p["exp"] = json!(i64::MIN)), "expired");
    assert_eq!(cause_with(|p| p["exp"] = json!(seconds + 7201)), "too_old");
    // Clocks may differ, but no token ends before it begins.
    let ends_early = |p: &mut Value| {
        p["iat"] = json!(seconds + 20);
        p["exp"] = json!(seconds + 5);
    };
    assert_eq!(cause_with(ends_early), "claims");
    assert_eq!(cause_with(|p| p["exp"] = json!(i64::MAX)), "too_old");
    // Signed long ago for a time that has not ended.
    assert_eq!(cause_with(|p| p["iat"] = json!(seconds - 7141)), "too_old");
    assert_eq!(cause_with(|p| p["iat"] = json!(i64::MIN)), "too_old");
}

/// Nothing of a token stands in what is said about it.
#[test]
fn no_refusal_holds_a_part_of_the_token() {
    let mut secret = payload();
    secret["scope"]["context"] = json!("zebra\u{7}");
    secret["zebra"] = json!("zebra");
    for token in [
        forged(HEADER, &secret.to_string()),
        forged(HEADER, "zebra"),
        "zebra".to_owned(),
    ] {
        let fault = tokens().verify(now(), &token, &ada()).unwrap_err();
        assert!(!format!("{fault:?}").contains("zebra"), "{fault:?}");
    }
    assert!(!format!("{:?}", tokens()).contains("k1"));
}
