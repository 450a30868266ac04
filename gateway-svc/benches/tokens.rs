//! What a call's token costs while few or many others are in use: one that was verified a moment ago, and one that comes
//! for the first time.
//!
//! `cargo bench -p turnwise-gateway-svc --bench tokens` prints lines of the form `figure NAME VALUE BOUND`. The cost must
//! not grow with the number of tokens: the figures are those at 50,000 as multiples of those at 1,000, in one run.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Write;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use clap::Parser;
use futures_util::FutureExt;
use http::{Request, request::Parts};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use serde_json::json;
use tokio::time::Instant;
use turnwise_gateway_svc::{Settings, auth::JwtAuth};
use turnwise_kit::{Kit, stack::Authenticator};
use turnwise_testing::figure::{Bound, figure};

const FEW: usize = 1_000;
const MANY: usize = 50_000;
/// So many calls are timed at once.
const TIMED: usize = 2_000;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    gateway: Settings,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap();
    let jwk =
        json!({"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": BASE64.encode(pair.public_key())});
    let mut file = tempfile::NamedTempFile::new().unwrap();
    write!(file, "{}", json!({"keys": [jwk]})).unwrap();
    let jwks = format!("--jwt-jwks-file={}", file.path().display());
    let cli = Cli::parse_from(["tokens", "--jwt-issuer=school", &jwks]);
    let auth = JwtAuth::new(&cli.gateway, &Kit::for_tests()).await.unwrap();

    let key = EncodingKey::from_ed_der(key.as_ref());
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some("k1".to_owned());
    let end = jiff::Timestamp::now().as_second() + 3600;
    let mut next = 0..;
    // Calls with a token each that nobody has seen.
    let mut calls = |count: usize| -> Vec<Parts> {
        let made = next.by_ref().take(count).map(|n| {
            let claims = json!({"iss": "school", "aud": "turnwise", "sub": format!("student-{n}"), "role": "student",
                                "classes": ["7b"], "exp": end});
            let token = encode(&header, &claims, &key).unwrap();
            let request = Request::builder().header("authorization", format!("Bearer {token}"));
            request.body(()).unwrap().into_parts().0
        });
        made.collect()
    };
    let micros = |calls: &[Parts]| {
        let start = Instant::now();
        for call in calls {
            let known = auth.authenticate(call).now_or_never();
            assert!(known.expect("nothing to wait for").is_ok());
        }
        start.elapsed().as_secs_f64() * 1e6 / calls.len() as f64
    };

    let mut in_use = 0;
    let mut costs = Vec::new();
    for size in [FEW, MANY] {
        micros(&calls(size - in_use));
        let latest = calls(TIMED);
        let first = micros(&latest);
        let again = micros(&latest);
        in_use = size + TIMED;
        println!(
            "{size:>6} tokens in use: {first:7.1} µs for a new one, {again:5.2} µs for a known one"
        );
        costs.push((first, again));
    }
    let [few, many] = costs[..] else {
        unreachable!("two sizes were measured");
    };
    figure("token_new_50k_to_1k", many.0 / few.0, Bound::AtMost(2.0));
    figure("token_known_50k_to_1k", many.1 / few.1, Bound::AtMost(2.0));
}
