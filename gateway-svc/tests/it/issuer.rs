//! An issuer of tokens, and who its tokens say that calls.

use std::{io::Write, net::SocketAddr, path::Path};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use clap::Parser;
use futures_util::FutureExt;
use http::{HeaderMap, Request, request::Parts};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};
use tonic::transport::server::TcpConnectInfo;
use turnwise_gateway_svc::{Settings, auth::JwtAuth, error::StartError};
use turnwise_kit::{Caller, Fault, Kit, stack::Authenticator};

pub struct Issuer {
    key: Vec<u8>,
    pub public: Vec<u8>,
}

impl Issuer {
    pub fn new() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap();
        Self {
            key: key.as_ref().to_vec(),
            public: pair.public_key().as_ref().to_vec(),
        }
    }

    pub fn jwks(&self, kid: &str) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": kid, "x": BASE64.encode(&self.public)})
    }

    /// Signs any bytes as header and payload.
    pub fn sign_raw(&self, header: &str, payload: &str) -> String {
        let signed = format!("{}.{}", BASE64.encode(header), BASE64.encode(payload));
        let pair = Ed25519KeyPair::from_pkcs8(&self.key).unwrap();
        let signature = BASE64.encode(pair.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    pub fn sign(&self, kid: &str, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(kid.to_owned());
        encode(&header, claims, &EncodingKey::from_ed_der(&self.key)).unwrap()
    }
}

pub fn claims() -> Value {
    json!({"iss": "school", "aud": "turnwise", "sub": "ada", "tenant": "north", "role": "student",
           "classes": ["7b"], "exp": jiff::Timestamp::now().as_second() + 600})
}

pub fn with(key: &str, value: Value) -> Value {
    let mut claims = claims();
    if value.is_null() {
        claims.as_object_mut().unwrap().remove(key);
    } else {
        claims[key] = value;
    }
    claims
}

/// A file with these keys.
pub fn published(keys: &[Value]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let set = json!({"keys": keys}).to_string();
    file.write_all(set.as_bytes()).unwrap();
    file
}

/// Whoever takes tokens by the keys of this file, with these flags.
pub async fn auth_over(file: &tempfile::NamedTempFile, flags: &[&str]) -> JwtAuth {
    opened(file.path(), flags).await.unwrap()
}

/// The same, or why it does not start.
pub async fn opened(file: &Path, flags: &[&str]) -> Result<JwtAuth, StartError> {
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        gateway: Settings,
    }
    let jwks = format!("--jwt-jwks-file={}", file.display());
    let required = ["test", "--jwt-issuer=school", &jwks];
    let cli = Cli::parse_from(required.iter().chain(flags));
    JwtAuth::new(&cli.gateway, &Kit::for_tests()).await
}

/// A call with these headers; from nowhere, unless it came over a connection.
pub fn call(headers: HeaderMap, peer: Option<SocketAddr>) -> Parts {
    let mut parts = Request::new(()).into_parts().0;
    parts.headers = headers;
    if let Some(peer) = peer {
        parts.extensions.insert(TcpConnectInfo {
            local_addr: None,
            remote_addr: Some(peer),
        });
    }
    parts
}

/// A call from nowhere with this token.
pub fn bearer(token: &str) -> Parts {
    bearer_from(token, None)
}

/// A call with this token.
pub fn bearer_from(token: &str, peer: Option<SocketAddr>) -> Parts {
    let mut headers = HeaderMap::new();
    let value = format!("Bearer {token}").parse().unwrap();
    headers.insert("authorization", value);
    call(headers, peer)
}

/// The caller of a call, which must be known without waiting for anything.
pub fn at_once(auth: &JwtAuth, call: &Parts) -> Result<Caller, Fault> {
    let known = auth.authenticate(call).now_or_never();
    let caller = known.expect("nothing was to be waited for")?;
    Ok((*caller.expect("a caller")).clone())
}
