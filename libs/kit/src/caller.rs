//! Who calls: the verified identity, and how it travels between our own processes.

use std::{path::Path, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use http::HeaderValue;
use ring::hmac;
use serde::{Deserialize, Serialize};
use subtle::{Choice, ConstantTimeEq};
use turnwise_proto::common::v1::ErrorReason;

use crate::{
    Fault, Kit,
    files::{Followed, NamedFile},
    settings::SettingsError,
};

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

/// The secret that our own processes share: it opens internal listeners and signs the caller. While it is changed there are
/// several: the first is sent and signs, and each opens and verifies.
#[derive(Clone)]
pub struct InternalToken(Followed<Vec<Secret>>);

struct Secret {
    /// What goes into the `authorization` metadata.
    bearer: HeaderValue,
    key: hmac::Key,
}

impl InternalToken {
    /// The fewest characters of a token.
    pub const MIN_CHARS: usize = 32;
    /// The most tokens at a time.
    pub const MOST: usize = 8;

    /// The tokens in a text, one a line; `None` if there is none, or one is shorter than [`Self::MIN_CHARS`] or not visible
    /// ASCII.
    pub fn new(text: &str) -> Option<Self> {
        secrets(text.as_bytes()).ok().map(Followed::fixed).map(Self)
    }

    /// The tokens in a file, one a line.
    ///
    /// # Errors
    ///
    /// If the file cannot be used, or a line of it is no token.
    pub fn load(setting: &'static str, file: &Path) -> Result<Self, SettingsError> {
        let files = vec![NamedFile::secret(setting, file)];
        Followed::load(files, |contents| Ok(secrets(&contents[0])?)).map(Self)
    }

    /// Reads the file again when it changes, until the process ends.
    pub fn follow(&self, kit: &Kit) {
        self.0.follow(kit);
    }

    /// What goes into the `authorization` metadata.
    pub fn bearer(&self) -> HeaderValue {
        // There is no list without a token.
        self.0.get()[0].bearer.clone()
    }

    /// Whether what another would send holds one of these tokens: it does where both are one list.
    pub(crate) fn opens_for(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.get(), &other.0.get()) || self.opens(other.bearer().as_bytes())
    }

    /// What all of them would send, the first one first.
    pub(crate) fn bearers(&self) -> Vec<HeaderValue> {
        let secrets = self.0.get();
        secrets.iter().map(|secret| secret.bearer.clone()).collect()
    }

    /// Whether this `authorization` metadata holds one of the tokens; takes the same time for every wrong one of its length.
    pub fn opens(&self, authorization: &[u8]) -> bool {
        let secrets = self.0.get();
        let opens = secrets
            .iter()
            .map(|secret| secret.bearer.as_bytes().ct_eq(authorization))
            .fold(Choice::from(0), |any, this| any | this);
        opens.into()
    }
}

fn secrets(text: &[u8]) -> Result<Vec<Secret>, String> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let made: Option<Vec<Secret>> = lines.map(secret).collect();
    made.filter(|made| (1..=InternalToken::MOST).contains(&made.len()))
        .ok_or_else(|| {
            format!(
                "it must hold a token of at least {} visible ASCII characters, or up to {}, one a line",
                InternalToken::MIN_CHARS,
                InternalToken::MOST
            )
        })
}

fn secret(token: &str) -> Option<Secret> {
    if token.len() < InternalToken::MIN_CHARS || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    let mut bearer = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    bearer.set_sensitive(true);
    Some(Secret {
        bearer,
        key: hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes()),
    })
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
        BASE64.encode_string(hmac::sign(&token.0.get()[0].key, &body).as_ref(), &mut out);
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
        let secrets = token.0.get();
        let mut keys = secrets.iter().map(|secret| &secret.key);
        if !keys.any(|key| hmac::verify(key, &body, &signature).is_ok()) {
            return Err(refused());
        }
    }
    serde_json::from_slice(&body).map_err(|_| refused())
}
