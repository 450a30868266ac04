//! Who calls: the verified identity, and how it travels between our own processes.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use ring::hmac;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use turnwise_proto::common::v1::ErrorReason;

use crate::Fault;

/// The metadata key under which a signed caller travels.
pub const CALLER_HEADER: &str = "x-turnwise-caller";

/// A verified caller. It is made from a verified token and from nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// Whose data it is; part of every key.
    pub tenant: String,
    /// Who it is.
    pub subject: String,
    /// What they are.
    pub role: String,
    /// The groups that they belong to.
    pub groups: Vec<String>,
}

impl Caller {
    /// Whether the caller has this role.
    pub fn is(&self, role: &str) -> bool {
        self.role == role
    }

    /// Refuses callers who have none of these roles.
    pub fn require(&self, roles: &[&str]) -> Result<(), Fault> {
        if roles.contains(&self.role.as_str()) {
            return Ok(());
        }
        let need = roles.join(" or ");
        Err(Fault::new(
            ErrorReason::PermissionDenied,
            format!("this call needs the role {need}"),
        )
        .meta("need", format!("role {need}")))
    }
}

/// The secret that our own processes share: it opens internal listeners and signs the caller.
#[derive(Clone)]
pub struct InternalToken(Arc<Secret>);

struct Secret {
    bearer: String,
    key: hmac::Key,
}

impl InternalToken {
    /// The fewest characters of a token.
    pub const MIN_CHARS: usize = 32;

    /// A token; `None` if it is shorter than [`Self::MIN_CHARS`] or not visible ASCII.
    pub fn new(token: &str) -> Option<Self> {
        let token = token.trim();
        if token.len() < Self::MIN_CHARS || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return None;
        }
        Some(Self(Arc::new(Secret {
            bearer: format!("Bearer {token}"),
            key: hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes()),
        })))
    }

    /// What goes into the `authorization` metadata.
    pub fn bearer(&self) -> &str {
        &self.0.bearer
    }

    /// Whether this `authorization` metadata holds the token; takes the same time for every wrong one of its length.
    pub fn opens(&self, authorization: &[u8]) -> bool {
        self.0.bearer.as_bytes().ct_eq(authorization).into()
    }
}

impl PartialEq for InternalToken {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.opens(other.bearer().as_bytes())
    }
}

impl std::fmt::Debug for InternalToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InternalToken(…)")
    }
}

/// Writes a caller as metadata, signed if there is a token. Without one the channel itself must vouch for the sender.
pub fn seal(caller: &Caller, token: Option<&InternalToken>) -> String {
    let body = serde_json::to_vec(caller).unwrap_or_default();
    let mut out = BASE64.encode(&body);
    if let Some(token) = token {
        out.push('.');
        BASE64.encode_string(hmac::sign(&token.0.key, &body).as_ref(), &mut out);
    }
    out
}

/// Reads a caller from metadata; refuses one whose signature is missing or wrong while there is a token.
pub fn unseal(sealed: &[u8], token: Option<&InternalToken>) -> Result<Caller, Fault> {
    let refused = || {
        Fault::new(
            ErrorReason::Unauthenticated,
            "the signed caller is not genuine; give all services the same internal token",
        )
        .meta("cause", "caller")
    };
    let text = std::str::from_utf8(sealed).map_err(|_| refused())?;
    let (body, signature) = text.split_once('.').unwrap_or((text, ""));
    let body = BASE64.decode(body).map_err(|_| refused())?;
    if let Some(token) = token {
        let signature = BASE64.decode(signature).map_err(|_| refused())?;
        hmac::verify(&token.0.key, &body, &signature).map_err(|_| refused())?;
    }
    serde_json::from_slice(&body).map_err(|_| refused())
}
