//! Which tokens are accepted.

use std::{
    fs,
    sync::{Arc, mpsc},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use http::{HeaderMap, HeaderValue};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use turnwise_gateway_svc::auth::JwtAuth;
use turnwise_kit::stack::Authenticator;
use turnwise_proto::common::v1::ErrorReason;

use crate::issuer::{Issuer, at_once, auth_over, bearer, call, claims, opened, published, with};

async fn auth(keys: &[Value]) -> JwtAuth {
    auth_over(&published(keys), &[]).await
}

fn cause(auth: &JwtAuth, authorization: &str) -> String {
    let mut headers = HeaderMap::new();
    if !authorization.is_empty() {
        headers.insert(
            "authorization",
            HeaderValue::from_str(authorization).unwrap(),
        );
    }
    match at_once(auth, &call(headers, None)) {
        Ok(caller) => format!("{caller:?}"),
        Err(fault) => {
            assert_eq!(fault.reason(), ErrorReason::Unauthenticated);
            fault.metadata("cause").unwrap().to_owned()
        }
    }
}

#[tokio::test]
async fn a_genuine_token_gives_the_caller() {
    let issuer = Issuer::new();
    let auth = auth(&[issuer.jwks("k1")]).await;
    let mut headers = HeaderMap::new();
    let token = issuer.sign("k1", &claims());
    headers.insert("authorization", format!("bearer {token}").parse().unwrap());
    let caller = at_once(&auth, &call(headers.clone(), None)).unwrap();
    assert_eq!(
        (caller.tenant.as_str(), caller.subject.as_str()),
        ("north", "ada")
    );
    assert_eq!(
        (caller.role.as_str(), caller.groups.as_slice()),
        ("student", &["7b".to_owned()][..])
    );

    let token = issuer.sign("k1", &with("tenant", Value::Null));
    headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
    let caller = at_once(&auth, &call(headers.clone(), None)).unwrap();
    assert_eq!(caller.tenant, "default");
}

#[tokio::test]
async fn each_way_to_forge_a_token_has_its_cause() {
    let issuer = Issuer::new();
    let stranger = Issuer::new();
    // A key set with a shared secret in it must not make symmetric tokens acceptable.
    let secret = json!({"kty": "oct", "kid": "s1", "k": BASE64.encode(b"shared secret of the issuer, 32 b")});
    let auth = auth(&[issuer.jwks("k1"), secret]).await;
    let bearer = |token: String| format!("Bearer {token}");
    let now = jiff::Timestamp::now().as_second();

    let signed = |claims: Value| bearer(issuer.sign("k1", &claims));
    let genuine = issuer.sign("k1", &claims());
    let parts: Vec<&str> = genuine.split('.').collect();
    let payload = BASE64.encode(with("sub", json!("eve")).to_string());
    let none = BASE64.encode(json!({"alg": "none", "typ": "JWT"}).to_string());
    let symmetric = |kid: &str, key: &[u8]| {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(kid.to_owned());
        bearer(encode(&header, &claims(), &EncodingKey::from_secret(key)).unwrap())
    };
    let mut flipped = parts[2].to_owned();
    let first = if flipped.starts_with('A') { "B" } else { "A" };
    flipped.replace_range(0..1, first);

    let cases = [
        (String::new(), "missing"),
        ("Basic YTpi".to_owned(), "malformed"),
        ("Bearer".to_owned(), "malformed"),
        (bearer("not.a.token".to_owned()), "malformed"),
        (signed(with("exp", json!(now - 3600))), "expired"),
        (signed(with("nbf", json!(now + 3600))), "expired"),
        (signed(with("iss", json!("elsewhere"))), "issuer"),
        (signed(with("aud", json!("another"))), "audience"),
        (signed(with("exp", Value::Null)), "claims"),
        (signed(with("sub", Value::Null)), "claims"),
        (signed(with("role", Value::Null)), "claims"),
        (signed(with("role", json!("king"))), "claims"),
        (signed(with("sub", json!("a b"))), "claims"),
        (signed(with("tenant", json!("a/b"))), "claims"),
        (signed(with("classes", json!(["7b}{"]))), "claims"),
        (
            bearer(format!("{}.{payload}.{}", parts[0], parts[2])),
            "signature",
        ),
        (
            bearer(format!("{}.{}.{flipped}", parts[0], parts[1])),
            "signature",
        ),
        (bearer(stranger.sign("k1", &claims())), "signature"),
        (bearer(stranger.sign("k2", &claims())), "unknown_key"),
        (bearer(format!("{none}.{}.", parts[1])), "algorithm"),
        (symmetric("k1", &issuer.public), "algorithm"),
        (
            symmetric("s1", b"shared secret of the issuer, 32 b"),
            "algorithm",
        ),
    ];
    for (authorization, expected) in cases {
        assert_eq!(cause(&auth, &authorization), expected, "{authorization}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_key_stops_working_although_its_token_was_just_verified() {
    let (old, new) = (Issuer::new(), Issuer::new());
    let file = published(&[old.jwks("k1")]);
    let publish = |keys: &[Value]| {
        std::fs::write(file.path(), json!({"keys": keys}).to_string()).unwrap();
    };
    let auth = auth_over(&file, &[]).await;
    let token = format!("Bearer {}", old.sign("k1", &claims()));
    assert!(cause(&auth, &token).contains("ada"));
    publish(&[new.jwks("k2")]);
    assert!(cause(&auth, &token).contains("ada"), "not read again yet");
    // Past the next reading of the keys and past the time that a verified token is believed.
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(cause(&auth, &token), "unknown_key");
}

/// Genuine signatures all of them: the issuer, or whoever got it to sign, says what must not be believed.
#[tokio::test]
async fn a_header_that_asks_for_more_than_is_understood_is_refused() {
    let issuer = Issuer::new();
    let auth = auth(&[issuer.jwks("k1")]).await;
    let told = |header: &str| {
        let token = issuer.sign_raw(header, &claims().to_string());
        cause(&auth, &format!("Bearer {token}"))
    };
    for header in [
        r#"{"alg": "EdDSA", "kid": "k1"}"#,
        r#"{"alg": "EdDSA", "kid": "k1", "typ": "JWT"}"#,
        r#"{"alg": "EdDSA", "kid": "k1", "typ": "at+jwt", "x5t": "ignored", "jku": "http://ignored"}"#,
        r#"{"alg": "EdDSA"}"#,
    ] {
        assert!(told(header).contains("ada"), "{header}: {}", told(header));
    }
    for (header, expected) in [
        (
            r#"{"alg": "EdDSA", "kid": "k1", "crit": ["exp"], "exp": 1}"#,
            "header",
        ),
        (
            r#"{"alg": "EdDSA", "kid": "k1", "crit": ["b64"], "b64": false}"#,
            "header",
        ),
        (r#"{"alg": "EdDSA", "kid": "k1", "crit": []}"#, "header"),
        (r#"{"alg": "EdDSA", "kid": "k1", "crit": null}"#, "header"),
        (r#"{"alg": "EdDSA", "kid": "k1", "crit": "x"}"#, "header"),
        (r#"{"alg": "EdDSA", "kid": "k1", "b64": false}"#, "header"),
        (r#"{"alg": "EdDSA", "kid": "k1", "zip": "DEF"}"#, "header"),
        (
            r#"{"alg": "EdDSA", "kid": "k1", "enc": "A256GCM"}"#,
            "header",
        ),
        (r#"{"alg": "EdDSA", "kid": "k1", "cty": "JWT"}"#, "header"),
        (
            r#"{"alg": "EdDSA", "kid": "k1", "typ": "logout+jwt"}"#,
            "header",
        ),
        (r#"{"alg": "EdDSA", "kid": "k1", "typ": ""}"#, "header"),
        (r#"{"alg": "EdDSA", "kid": "k1", "typ": 7}"#, "malformed"),
        (r#"{"alg": "EdDSA", "kid": 1}"#, "malformed"),
        (r#"{"alg": "EdDSA", "kid": ["k1"]}"#, "malformed"),
        (r#"{"alg": "EdDSA", "kid": "k2", "kid": "k1"}"#, "malformed"),
        (
            r#"{"alg": "none", "alg": "EdDSA", "kid": "k1"}"#,
            "malformed",
        ),
        (r#"{"alg": ["EdDSA"], "kid": "k1"}"#, "malformed"),
        (r#"{"kid": "k1"}"#, "malformed"),
        (r#"["EdDSA"]"#, "malformed"),
        ("", "malformed"),
        (r#"{"alg": "eddsa", "kid": "k1"}"#, "algorithm"),
        (r#"{"alg": "EdDSA ", "kid": "k1"}"#, "algorithm"),
        (r#"{"alg": "ES256K", "kid": "k1"}"#, "algorithm"),
        // Genuine, but the key is no such key.
        (r#"{"alg": "RS256", "kid": "k1"}"#, "algorithm"),
        (r#"{"alg": "ES256", "kid": "k1"}"#, "algorithm"),
        (r#"{"alg": "EdDSA", "kid": ""}"#, "unknown_key"),
    ] {
        assert_eq!(told(header), expected, "{header}");
    }
    let genuine = issuer.sign("k1", &claims());
    for (token, expected) in [
        (format!("{genuine}.a.b"), "malformed"),
        (format!("{genuine}=="), "malformed"),
        (
            genuine.trim_end_matches(|c| c != '.').to_owned(),
            "signature",
        ),
        (format!("{genuine} x"), "malformed"),
    ] {
        assert_eq!(
            cause(&auth, &format!("Bearer {token}")),
            expected,
            "{token}"
        );
    }
}

#[tokio::test]
async fn a_claim_of_another_form_is_refused() {
    let issuer = Issuer::new();
    let auth = auth(&[issuer.jwks("k1")]).await;
    let told = |payload: &str| {
        let token = issuer.sign_raw(r#"{"alg": "EdDSA", "kid": "k1"}"#, payload);
        cause(&auth, &format!("Bearer {token}"))
    };
    let now = jiff::Timestamp::now().as_second();
    for (claim, value) in [
        ("aud", json!(["another", "turnwise"])),
        ("exp", json!(now as f64 + 600.5)),
        ("exp", json!(1e15)),
        ("nbf", json!(now - 10)),
        ("iat", json!(now as f64 - 0.5)),
        ("classes", json!([])),
        ("sub", json!("x".repeat(128))),
    ] {
        let told = told(&with(claim, value.clone()).to_string());
        assert!(told.contains("Caller"), "{claim} {value}: {told}");
    }
    for (claim, value, expected) in [
        ("iss", json!(["school"]), "claims"),
        ("iss", json!(["school", "elsewhere"]), "claims"),
        ("iss", json!({"school": 1}), "claims"),
        ("iss", json!(7), "claims"),
        ("iss", json!(""), "issuer"),
        ("iss", json!("School"), "issuer"),
        ("iss", json!("school/"), "issuer"),
        ("aud", json!([]), "audience"),
        ("aud", json!(["another"]), "audience"),
        ("aud", json!(["turnwise", 7]), "claims"),
        ("aud", json!({"turnwise": 1}), "claims"),
        ("exp", json!((now + 600).to_string()), "claims"),
        ("exp", json!(-5), "claims"),
        ("exp", json!(-1e300), "claims"),
        ("exp", json!(1e300), "claims"),
        ("exp", json!([now + 600]), "claims"),
        ("exp", json!(true), "claims"),
        ("nbf", json!("0"), "claims"),
        ("nbf", json!(1e300), "claims"),
        ("nbf", json!([]), "claims"),
        ("iat", json!("yesterday"), "claims"),
        ("sub", json!(""), "claims"),
        ("sub", json!(7), "claims"),
        ("sub", json!(["ada"]), "claims"),
        ("sub", json!("x".repeat(129)), "claims"),
        ("sub", json!("a\0b"), "claims"),
        ("sub", json!("é"), "claims"),
        ("tenant", json!(""), "claims"),
        ("tenant", json!(["north"]), "claims"),
        ("role", json!(["student"]), "claims"),
        ("role", json!("STUDENT"), "claims"),
        ("role", json!(""), "claims"),
        ("classes", json!("7b"), "claims"),
        ("classes", json!([7]), "claims"),
        ("classes", json!([["7b"]]), "claims"),
        ("classes", json!({"7b": true}), "claims"),
        ("classes", json!([""]), "claims"),
        ("classes", json!(["../x"]), "claims"),
    ] {
        let told = told(&with(claim, value.clone()).to_string());
        assert_eq!(told, expected, "{claim} {value}");
    }
    let good = claims().to_string();
    let again = |claim: &str| format!("{}, {claim}}}", good.strip_suffix('}').unwrap());
    for (payload, expected) in [
        (again(r#""sub": "eve""#), "claims"),
        (again(r#""iss": "school""#), "claims"),
        (again(r#""exp": 99999999999"#), "claims"),
        (again(r#""aud": "turnwise""#), "claims"),
        (again(r#""role": "staff""#), "claims"),
        ("[1,2".to_owned(), "claims"),
        ("[".repeat(5000), "claims"),
        (
            format!("{}{}", r#"{"a":"#.repeat(5000), "}".repeat(5000)),
            "claims",
        ),
        ("7".to_owned(), "claims"),
        // The claims without their names, in the order in which they are read.
        (
            format!(
                r#"["school", "ada", {}, null, null, "north", "student", []]"#,
                now + 600
            ),
            "claims",
        ),
    ] {
        assert_eq!(
            told(&payload),
            expected,
            "{}",
            &payload[..payload.len().min(80)]
        );
    }
}

/// What a key says of itself holds: it is for one algorithm, or for encryption alone.
#[tokio::test]
async fn a_key_is_for_what_it_says() {
    let issuer = Issuer::new();
    let of = |change: &[(&str, Value)]| {
        let mut jwk = issuer.jwks("k1");
        for (member, value) in change {
            jwk[*member] = value.clone();
        }
        jwk
    };
    let spare = Issuer::new().jwks("spare");
    let genuine = format!("Bearer {}", issuer.sign("k1", &claims()));
    for (jwk, expected) in [
        (of(&[("use", json!("enc"))]), "unknown_key"),
        (of(&[("alg", json!("RSA-OAEP"))]), "unknown_key"),
        (of(&[("alg", json!("ES256"))]), "algorithm"),
    ] {
        let auth = auth(&[jwk.clone(), spare.clone()]).await;
        assert_eq!(cause(&auth, &genuine), expected, "{jwk}");
    }
    let auth = auth(&[of(&[("use", json!("sig"))]), spare]).await;
    assert!(cause(&auth, &genuine).contains("ada"));
}

#[tokio::test]
async fn two_tokens_are_none() {
    let issuer = Issuer::new();
    let auth = auth(&[issuer.jwks("k1")]).await;
    let genuine: HeaderValue = format!("Bearer {}", issuer.sign("k1", &claims()))
        .parse()
        .unwrap();
    let bad = HeaderValue::from_static("Bearer x");
    for pair in [[&bad, &genuine], [&genuine, &bad], [&genuine, &genuine]] {
        let mut headers = HeaderMap::new();
        for value in pair {
            headers.append("authorization", value.clone());
        }
        let fault = at_once(&auth, &call(headers, None)).unwrap_err();
        assert_eq!(fault.metadata("cause"), Some("malformed"));
    }
}

#[tokio::test]
async fn keys_in_a_pipe_are_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("jwks.json");
    turnwise_testing::make_pipe(&pipe);
    let said = opened(&pipe, &[]).await.err().unwrap().to_string();
    for part in ["JWT_JWKS_FILE", "jwks.json", "it is no plain file; name"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_new_key_is_found_and_nobody_else_waits_for_the_disk() {
    // The one thread that may wait for a disk.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true);
    let runtime = runtime.max_blocking_threads(1).build().unwrap();
    runtime.block_on(new_key_on_a_slow_disk());
}

async fn new_key_on_a_slow_disk() {
    let (old, new) = (Issuer::new(), Issuer::new());
    let file = published(&[old.jwks("k1")]);
    let auth = Arc::new(auth_over(&file, &[]).await);
    // Past the time in which an unknown key causes no read.
    tokio::time::advance(Duration::from_secs(6)).await;
    // As on a network volume that hangs: nothing is read before this is dropped.
    let (disk, hangs) = mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || hangs.recv());
    let by_new_key = bearer(&new.sign("k2", &claims()));
    let waiting = {
        let auth = Arc::clone(&auth);
        tokio::spawn(async move { auth.authenticate(&by_new_key).await })
    };
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert!(at_once(&auth, &bearer(&old.sign("k1", &claims()))).is_ok());
    let keys = json!({"keys": [old.jwks("k1"), new.jwks("k2")]});
    fs::write(file.path(), keys.to_string()).unwrap();
    drop(disk);
    let caller = waiting.await.unwrap().unwrap().unwrap();
    assert_eq!(caller.subject, "ada");
}

/// However many tokens are in use, each is remembered: what was verified is believed although its key is withdrawn.
#[tokio::test(start_paused = true)]
async fn the_last_of_many_tokens_is_remembered_like_the_first() {
    const MANY: usize = 12_000;
    let (old, new) = (Issuer::new(), Issuer::new());
    let file = published(&[old.jwks("k1")]);
    let auth = auth_over(&file, &[]).await;
    let same = claims();
    let token = |n: usize| {
        let mut claims = same.clone();
        claims["sub"] = json!(format!("student-{n}"));
        bearer(&old.sign("k1", &claims))
    };
    for n in 0..MANY {
        assert!(at_once(&auth, &token(n)).is_ok());
    }
    fs::write(file.path(), json!({"keys": [new.jwks("k2")]}).to_string()).unwrap();
    tokio::time::advance(Duration::from_secs(6)).await;
    let unknown = auth.authenticate(&bearer(&new.sign("k3", &claims()))).await;
    assert_eq!(unknown.unwrap_err().metadata("cause"), Some("unknown_key"));
    for n in [0, 1, MANY / 2, MANY - 2, MANY - 1] {
        assert!(at_once(&auth, &token(n)).is_ok(), "{n}");
    }
    assert!(at_once(&auth, &token(MANY)).is_err(), "never seen before");
}
