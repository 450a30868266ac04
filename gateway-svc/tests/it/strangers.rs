//! Calls that prove no caller are counted by their address, and keep nobody out who has a token that is known.

use std::{net::SocketAddr, time::Duration};

use http::HeaderMap;
use serde_json::json;
use turnwise_gateway_svc::auth::JwtAuth;
use turnwise_kit::{Fault, stack::Authenticator};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_testing::redis::RedisServer;

use crate::issuer::{Issuer, at_once, auth_over, bearer_from, call, claims, published, with};

const THREE: &str = "--helper-rate-limit-per-ip-per-minute=3";
/// What one of three calls takes to come back.
const ONE_BACK: Duration = Duration::from_secs(20);

fn peer(address: &str) -> SocketAddr {
    SocketAddr::new(address.parse().unwrap(), 40_000)
}

/// What a call without a token gets.
fn stranger(auth: &JwtAuth, address: &str) -> Fault {
    at_once(auth, &call(HeaderMap::new(), Some(peer(address)))).unwrap_err()
}

fn is_refused_as(fault: &Fault, reason: ErrorReason) {
    assert_eq!(fault.reason(), reason, "{fault:?}");
    if reason == ErrorReason::RateLimited {
        assert_eq!(fault.metadata("per_minute"), Some("3"));
        let wait = fault.retry_delay().unwrap();
        assert!(!wait.is_zero() && wait <= ONE_BACK, "{wait:?}");
    }
}

/// Uses up an address's allowance.
fn use_up(auth: &JwtAuth, address: &str) {
    for _ in 0..3 {
        is_refused_as(&stranger(auth, address), ErrorReason::Unauthenticated);
    }
    is_refused_as(&stranger(auth, address), ErrorReason::RateLimited);
}

fn named(issuer: &Issuer, subject: &str) -> String {
    issuer.sign("k1", &with("sub", json!(subject)))
}

#[tokio::test(start_paused = true)]
async fn a_school_behind_one_address_outlasts_whoever_floods_there() {
    let school = "198.51.100.7";
    let issuer = Issuer::new();
    let auth = auth_over(&published(&[issuer.jwks("k1")]), &[THREE]).await;
    let comes = |token: &str| at_once(&auth, &bearer_from(token, Some(peer(school))));
    // A class with a token each: none of them counts.
    let class: Vec<String> = (0..30).map(|n| named(&issuer, &format!("s{n}"))).collect();
    for token in class.iter().chain(&class) {
        assert!(comes(token).is_ok());
    }
    use_up(&auth, school);
    let late = named(&issuer, "late");
    is_refused_as(&comes(&late).unwrap_err(), ErrorReason::RateLimited);
    // However long it floods: beyond the time, too, after which a token has to be verified again.
    for _ in 0..12 {
        tokio::time::advance(ONE_BACK / 2).await;
        while stranger(&auth, school).reason() != ErrorReason::RateLimited {}
        for token in &class {
            assert!(comes(token).is_ok());
        }
        is_refused_as(&comes(&late).unwrap_err(), ErrorReason::RateLimited);
    }
    // Elsewhere nobody notices.
    assert!(at_once(&auth, &bearer_from(&late, Some(peer("198.51.100.8")))).is_ok());
}

/// A flood is not counted beyond the allowance, so its end is soon forgotten.
#[tokio::test(start_paused = true)]
async fn a_flood_leaves_no_debt() {
    let issuer = Issuer::new();
    let auth = auth_over(&published(&[issuer.jwks("k1")]), &[THREE]).await;
    for _ in 0..10_000 {
        stranger(&auth, "198.51.100.7");
    }
    let late = bearer_from(&named(&issuer, "late"), Some(peer("198.51.100.7")));
    is_refused_as(
        &at_once(&auth, &late).unwrap_err(),
        ErrorReason::RateLimited,
    );
    tokio::time::advance(ONE_BACK).await;
    assert!(at_once(&auth, &late).is_ok());
}

/// Every way to prove nobody counts, and no signature is looked at any more: a genuine one is refused like a forged one.
#[tokio::test(start_paused = true)]
async fn whatever_proves_nobody_counts() {
    let (issuer, forger) = (Issuer::new(), Issuer::new());
    let file = published(&[issuer.jwks("k1")]);
    for bad in [
        "no token".to_owned(),
        forger.sign("k1", &claims()),
        forger.sign("k2", &claims()),
        issuer.sign("k1", &with("exp", json!(1_000_000))),
        issuer.sign("k1", &with("role", json!("king"))),
    ] {
        let auth = auth_over(&file, &[THREE]).await;
        let bad = bearer_from(&bad, Some(peer("198.51.100.7")));
        for _ in 0..3 {
            let fault = at_once(&auth, &bad).unwrap_err();
            is_refused_as(&fault, ErrorReason::Unauthenticated);
        }
        is_refused_as(&at_once(&auth, &bad).unwrap_err(), ErrorReason::RateLimited);
        let good = bearer_from(&named(&issuer, "ada"), Some(peer("198.51.100.7")));
        is_refused_as(
            &at_once(&auth, &good).unwrap_err(),
            ErrorReason::RateLimited,
        );
    }
}

/// A client whose token's time is over hears of that, so that it gets a new one.
#[tokio::test(start_paused = true)]
async fn a_token_that_was_valid_before_is_told_why_it_no_longer_is() {
    let school = "198.51.100.7";
    let (old, new) = (Issuer::new(), Issuer::new());
    let file = published(&[old.jwks("k1")]);
    let auth = auth_over(&file, &[THREE]).await;
    let ada = bearer_from(&named(&old, "ada"), Some(peer(school)));
    assert!(at_once(&auth, &ada).is_ok());
    let keys = json!({"keys": [new.jwks("k2")]}).to_string();
    std::fs::write(file.path(), keys).unwrap();
    tokio::time::sleep(Duration::from_secs(301)).await;
    use_up(&auth, school);
    let fault = at_once(&auth, &ada).unwrap_err();
    assert_eq!(fault.metadata("cause"), Some("unknown_key"));
    is_refused_as(&at_once(&auth, &ada).unwrap_err(), ErrorReason::RateLimited);
}

#[tokio::test(start_paused = true)]
async fn an_address_is_that_of_the_client() {
    let file = published(&[Issuer::new().jwks("k1")]);
    let auth = auth_over(&file, &[THREE]).await;
    // One line has all of a network's last 64 bits.
    use_up(&auth, "2001:db8::1");
    let neighbour = stranger(&auth, "2001:db8::ffff:2");
    is_refused_as(&neighbour, ErrorReason::RateLimited);
    let other = stranger(&auth, "2001:db8:0:1::1");
    is_refused_as(&other, ErrorReason::Unauthenticated);

    let auth = auth_over(&file, &[THREE, "--trusted-proxies=1"]).await;
    let proxy = peer("10.0.0.1");
    let through = |told: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", told.parse().unwrap());
        at_once(&auth, &call(headers, Some(proxy))).unwrap_err()
    };
    for _ in 0..3 {
        let fault = through("203.0.113.9, 198.51.100.7");
        is_refused_as(&fault, ErrorReason::Unauthenticated);
    }
    // What the client wrote itself gives it no other address.
    let fault = through("203.0.113.10, 198.51.100.7");
    is_refused_as(&fault, ErrorReason::RateLimited);
    is_refused_as(&through("198.51.100.8"), ErrorReason::Unauthenticated);
    // Who comes past the proxy counts for where they come from.
    use_up(&auth, "10.0.0.1");
}

#[tokio::test]
async fn replicas_count_strangers_together() {
    let server = RedisServer::start().unwrap();
    let url = format!("--gateway-redis-url={}", server.url());
    let issuer = Issuer::new();
    let file = published(&[issuer.jwks("k1")]);
    let one = auth_over(&file, &[THREE, &url]).await;
    let other = auth_over(&file, &[THREE, &url]).await;
    let nobody = call(HeaderMap::new(), Some(peer("198.51.100.7")));
    let ada = bearer_from(&named(&issuer, "ada"), Some(peer("198.51.100.7")));
    assert!(other.authenticate(&ada).await.is_ok());
    for _ in 0..3 {
        let fault = one.authenticate(&nobody).await.unwrap_err();
        is_refused_as(&fault, ErrorReason::Unauthenticated);
    }
    for auth in [&one, &other] {
        let fault = auth.authenticate(&nobody).await.unwrap_err();
        is_refused_as(&fault, ErrorReason::RateLimited);
        // Without asking anybody.
        let late = bearer_from(&named(&issuer, "late"), Some(peer("198.51.100.7")));
        is_refused_as(&at_once(auth, &late).unwrap_err(), ErrorReason::RateLimited);
    }
    assert!(at_once(&other, &ada).is_ok());
}
