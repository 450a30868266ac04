//! The header of a token (RFC 7515, section 4), read strictly: what is not understood is not ignored.

use std::str::FromStr;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use jsonwebtoken::Algorithm;
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// The algorithms that are accepted. Symmetric ones, and none at all, never are.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::EdDSA,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// The types of token that are accepted (RFC 9068, section 2.1), without regard to case. Others that the same issuer
/// signs, such as logout tokens, open nothing.
const TYPES: [&str; 4] = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];

/// What a header says.
pub(super) struct Header {
    pub(super) algorithm: Algorithm,
    /// The key's id.
    pub(super) kid: Option<String>,
}

#[derive(Deserialize)]
struct Written {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    typ: Option<String>,
    /// Extensions that whoever accepts the token must understand; we understand none.
    #[serde(default)]
    crit: Present,
    /// An unencoded payload (RFC 7797), which only `crit` allows.
    #[serde(default)]
    b64: Present,
    /// Compression and nesting, which belong to encrypted tokens.
    #[serde(default)]
    zip: Present,
    #[serde(default)]
    cty: Present,
    #[serde(default)]
    enc: Present,
}

/// Whether a member is there, whatever its value.
#[derive(Default)]
struct Present(bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Self(true))
    }
}

/// Reads the header of a token in three parts; the failure is a cause of the contract.
pub(super) fn read(token: &str) -> Result<Header, &'static str> {
    let mut parts = token.split('.');
    let (Some(header), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err("malformed");
    };
    let json = object(header).ok_or("malformed")?;
    let written: Written = serde_json::from_slice(&json).map_err(|_| "malformed")?;
    object(claims).ok_or("claims")?;
    let known_type = written
        .typ
        .is_none_or(|typ| TYPES.contains(&typ.to_ascii_lowercase().as_str()));
    let extras = [
        written.crit,
        written.b64,
        written.zip,
        written.cty,
        written.enc,
    ];
    if !known_type || extras.iter().any(|extra| extra.0) {
        return Err("header");
    }
    match Algorithm::from_str(&written.alg) {
        Ok(algorithm) if ALGORITHMS.contains(&algorithm) => Ok(Header {
            algorithm,
            kid: written.kid,
        }),
        _ => Err("algorithm"),
    }
}

/// The JSON of a part that is an object. An array is not, but would be read as one whose members come in order.
fn object(part: &str) -> Option<Vec<u8>> {
    let json = BASE64.decode(part).ok()?;
    json.trim_ascii_start().starts_with(b"{").then_some(json)
}
