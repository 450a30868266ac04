//! Who calls the public face: a JWT, signed with an asymmetric algorithm by a known key. Calls that prove nobody are counted
//! by their address.

mod header;
mod keys;
mod verified;

use std::{net::IpAddr, sync::Arc, time::Duration};

use http::{HeaderMap, header::AUTHORIZATION, request::Parts};
use jsonwebtoken::{Validation, decode, errors::ErrorKind};
use serde::Deserialize;
use turnwise_kit::{
    Caller, Fault, Kit,
    caller::InternalToken,
    ids,
    stack::{Authenticator, only},
};
use turnwise_proto::common::v1::ErrorReason;

pub use keys::{KeySource, Keys};
use verified::{Hash, Known, Verified};

use crate::{
    access::{DEFAULT_TENANT, RESET_KEY, ROLES, SERVICE, SIMULATOR},
    address::{client_address, peer_address},
    config::Settings,
    error::StartError,
    limits::StrangerLimit,
};

/// Verifies tokens.
pub struct JwtAuth {
    keys: Arc<Keys>,
    issuer: String,
    audience: String,
    leeway: u64,
    verified: Verified,
    strangers: StrangerLimit,
    trusted_proxies: usize,
    reset_key: Option<InternalToken>,
}

/// A claim that comes twice, or in another form than this, is refused. `aud`, which may be a list, is the library's.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    exp: f64,
    #[serde(default, rename = "nbf")]
    _not_before: Option<f64>,
    #[serde(default, rename = "iat")]
    _issued_at: Option<f64>,
    #[serde(default = "default_tenant")]
    tenant: String,
    role: String,
    #[serde(default)]
    classes: Vec<String>,
    #[serde(default)]
    on_behalf_of: Option<String>,
}

fn default_tenant() -> String {
    DEFAULT_TENANT.to_owned()
}

impl JwtAuth {
    /// Reads the settings and the keys.
    pub async fn new(settings: &Settings, kit: &Kit) -> Result<Self, StartError> {
        let issuer = settings
            .jwt_issuer
            .clone()
            .filter(|i| !i.is_empty())
            .ok_or(StartError::MissingIssuer)?;
        let source = match (&settings.jwt_jwks_file, &settings.jwt_jwks_url) {
            (Some(file), _) => KeySource::File(file.clone()),
            (None, Some(url)) => KeySource::Url(url.clone()),
            (None, None) => return Err(StartError::MissingKeys),
        };
        Ok(Self {
            keys: Keys::load(source, kit).await?,
            issuer,
            audience: settings.jwt_audience.clone(),
            leeway: settings.jwt_leeway_seconds,
            verified: Verified::default(),
            strangers: StrangerLimit::open(settings, kit).await?,
            trusted_proxies: settings.trusted_proxies.into(),
            reset_key: settings.reset_key(kit)?,
        })
    }

    /// The address that a call which proves nobody counts for. Behind proxies that did not say, it is the one that the
    /// connection came from: such a call went round them.
    fn address(&self, call: &Parts) -> Option<IpAddr> {
        client_address(&call.headers, &call.extensions, self.trusted_proxies)
            .or_else(|| peer_address(&call.extensions))
    }

    /// Whether this is HELPER_INTERNAL_API_TOKEN; takes the same time for every other text.
    fn is_reset_key(&self, token: &str) -> bool {
        let key = self.reset_key.as_ref();
        key.is_some_and(|key| key.opens(format!("Bearer {token}").as_bytes()))
    }

    /// The caller of a token that is not believed already, and for how long the token is valid.
    async fn verify(&self, token: &str) -> Result<(Caller, Duration), Fault> {
        let header = header::read(token).map_err(refused)?;
        let key = self
            .keys
            .find(header.kid.as_deref())
            .await
            .ok_or_else(|| refused("unknown_key"))?;
        if key.algorithm.is_some_and(|only| only != header.algorithm) {
            return Err(refused("algorithm"));
        }
        let mut rules = Validation::new(header.algorithm);
        rules.leeway = self.leeway;
        rules.validate_nbf = true;
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let claims = decode::<Claims>(token, &key.key, &rules)
            .map_err(|e| {
                refused(match e.kind() {
                    ErrorKind::ExpiredSignature | ErrorKind::ImmatureSignature => "expired",
                    ErrorKind::InvalidIssuer => "issuer",
                    ErrorKind::InvalidAudience => "audience",
                    ErrorKind::InvalidSignature => "signature",
                    ErrorKind::InvalidAlgorithm | ErrorKind::MissingAlgorithm => "algorithm",
                    ErrorKind::MissingRequiredClaim(_)
                    | ErrorKind::InvalidClaimFormat(_)
                    | ErrorKind::Json(_) => "claims",
                    _ => "malformed",
                })
            })?
            .claims;
        // The library takes a list that holds our issuer, too; a token is from one.
        if claims.iss != self.issuer {
            return Err(refused("issuer"));
        }
        // A simulator's token speaks for its learner, and for nobody else.
        let (subject, role) = match claims.on_behalf_of {
            Some(learner) if claims.role == SERVICE => (learner, SIMULATOR.to_owned()),
            Some(_) => return Err(refused("claims")),
            None => (claims.sub.clone(), claims.role.clone()),
        };
        let sane = ids::is_valid(&claims.sub)
            && ids::is_valid(&subject)
            && ids::is_valid(&claims.tenant)
            && claims.classes.iter().all(|c| ids::is_valid(c))
            && ROLES.contains(&claims.role.as_str());
        if !sane {
            return Err(refused("claims"));
        }
        let caller = Caller {
            tenant: claims.tenant,
            subject,
            role,
            groups: claims.classes,
        };
        // Seconds since 1970, which a token may give with a fraction.
        let end = (claims.exp as u64).saturating_add(self.leeway);
        let left = end.saturating_sub(jsonwebtoken::get_current_timestamp());
        Ok((caller, Duration::from_secs(left)))
    }
}

#[tonic::async_trait]
impl Authenticator for JwtAuth {
    /// A token that is not believed costs a signature's check. An address whose calls proved nobody too often pays for it
    /// only with tokens that were valid before, so that whoever floods from a school's address keeps none of its pupils out
    /// who are at work already.
    async fn authenticate(&self, call: &Parts) -> Result<Option<Arc<Caller>>, Fault> {
        let token = bearer(&call.headers);
        if token.as_ref().is_ok_and(|token| self.is_reset_key(token)) {
            return Ok(Some(Arc::new(reset_key_caller())));
        }
        let given = token.map(|token| (token, Hash::of(token)));
        let known = match &given {
            Ok((_, hash)) => self.verified.find(hash),
            Err(_) => Known::Nothing,
        };
        let was_valid = match known {
            Known::Believed(caller) => return Ok(Some(caller)),
            Known::Before => true,
            Known::Nothing => false,
        };
        if !was_valid {
            self.strangers.check(self.address(call))?;
        }
        let fault = match given {
            Ok((token, hash)) => match self.verify(token).await {
                Ok((caller, valid_for)) => {
                    let caller = Arc::new(caller);
                    self.verified.remember(&hash, &caller, valid_for);
                    return Ok(Some(caller));
                }
                Err(fault) => {
                    if was_valid {
                        self.verified.forget(&hash);
                    }
                    fault
                }
            },
            Err(fault) => fault,
        };
        match self.strangers.count(self.address(call)).await {
            // Whoever needs a new token is told so.
            Err(limited) if !was_valid => Err(limited),
            _ => Err(fault),
        }
    }
}

/// The token that comes with a call.
fn bearer(headers: &HeaderMap) -> Result<&str, Fault> {
    let header = only(headers, AUTHORIZATION)
        .map_err(|_repeated| refused("malformed"))?
        .ok_or_else(|| refused("missing"))?;
    header
        .to_str()
        .ok()
        .and_then(|h| h.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(|| refused("malformed"))
}

/// Whoever shows HELPER_INTERNAL_API_TOKEN.
fn reset_key_caller() -> Caller {
    Caller {
        tenant: DEFAULT_TENANT.to_owned(),
        subject: RESET_KEY.to_owned(),
        role: RESET_KEY.to_owned(),
        groups: Vec::new(),
    }
}

/// A token is not accepted; `cause` is one of the causes that the contract lists.
fn refused(cause: &'static str) -> Fault {
    let what = match cause {
        "missing" => "no token came with the call; send `authorization: Bearer JWT`",
        "expired" => "the token's time is over or has not begun; get a new one",
        "issuer" => "the token is from another issuer; get one from the configured issuer",
        "audience" => "the token is for another audience; get one for this service",
        "header" => {
            "the token's header asks for what is not supported: crit, b64, zip or a type other than JWT and at+jwt"
        }
        "algorithm" => "the token's algorithm is not accepted; sign with EdDSA, ES256 or RS256",
        "unknown_key" => "the token's key is not known; publish it in the issuer's JWKS",
        "signature" => "the token's signature is wrong",
        "claims" => {
            "the token lacks a claim or has a malformed one: iss, aud, exp, sub, role, tenant, classes, on_behalf_of"
        }
        _ => "the token cannot be read",
    };
    Fault::new(ErrorReason::Unauthenticated, what).meta("cause", cause)
}
