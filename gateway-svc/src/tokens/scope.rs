//! Scope tokens: they say which lesson a chat belongs to, for which class, and where it is bound, for which student.
//!
//! A token is a JWT, signed with HMAC-SHA256 (HS256), so that a platform that shares a key mints its own with any library.
//! `docs/scope-tokens.md` is its form. Nothing here shows or logs a token.

use std::{fmt, path::PathBuf, time::Duration};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use jiff::Timestamp;
use ring::hmac;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use turnwise_kit::{Caller, Fault, Kit, ids, settings::SettingsError};
use turnwise_proto::{common::v1::ErrorReason, helper::v1::LessonScope};

use super::{
    keys::{KeyFile, KeyUse},
    message,
    scope_bounds::check_scope,
};
use crate::access::{STUDENT, TEACHER};

/// The most bytes of a token.
pub const SCOPE_TOKEN_MAX_BYTES: usize = 8192;
/// The fewest seconds that a token is good for.
pub const SCOPE_TOKEN_MIN_SECONDS: u64 = 60;
/// Whom a token is for, its `aud`.
pub const SCOPE_TOKEN_AUDIENCE: &str = "turnwise helper";

const KEYS: KeyUse = KeyUse {
    setting: "SCOPE_TOKEN_KEYS_FILE",
    prefix: "",
};

const VERSION: u32 = 1;
const ALGORITHM: &str = "HS256";
const MEMORY: &[u8] = b"turnwise helper memory 1";
/// What goes on after a refusal, whatever the cause.
const RELOAD: &str = "load the lesson's page again";

/// What a token says.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopeClaims {
    /// The tenant.
    pub tenant: String,
    /// The class whose students see the page.
    pub class_id: String,
    /// The page's course.
    pub course_id: String,
    /// The only student that it is good for; empty: whoever is of the class.
    pub student_id: String,
    /// The lesson.
    pub scope: LessonScope,
}

/// The scope of a token that is good for this caller.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedScope {
    /// The caller's tenant.
    pub tenant: String,
    /// The caller.
    pub subject: String,
    /// The class whose students see the page.
    pub class_id: String,
    /// The page's course.
    pub course_id: String,
    /// The student that the token is bound to, who is the caller; empty: it is bound to the class alone.
    pub student_id: String,
    /// All that an answer may be about.
    pub scope: LessonScope,
}

impl VerifiedScope {
    /// What memory of a conversation goes by: who asks, in which class and course, about which lesson. A token that is
    /// signed again for the same lesson has the same; so has one that is bound to the student instead of the class.
    #[must_use]
    pub fn memory_scope(&self) -> [u8; 32] {
        let LessonScope {
            context,
            topics,
            allowed_topics,
            reference,
            language,
        } = &self.scope;
        let count = (topics.len() as u64).to_be_bytes();
        let texts = [
            &self.tenant,
            &self.subject,
            &self.class_id,
            &self.course_id,
            context,
            reference,
            language,
        ];
        let mut parts = vec![MEMORY];
        parts.extend(texts.map(|text| text.as_bytes()));
        parts.push(&count);
        parts.extend(topics.iter().chain(allowed_topics).map(|t| t.as_bytes()));
        Sha256::digest(message(&parts)).into()
    }
}

/// Makes and checks scope tokens. Cheap to clone; the clones share the keys.
#[derive(Clone)]
pub struct ScopeTokens {
    keys: KeyFile,
    max_age: Duration,
    leeway: Duration,
}

impl ScopeTokens {
    /// Tokens under the keys of this file, good for at most `max_age`. Clocks may differ by `leeway`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line of it is no key.
    pub fn load(
        keys_file: impl Into<PathBuf>,
        max_age: Duration,
        leeway: Duration,
    ) -> Result<Self, SettingsError> {
        Ok(Self {
            keys: KeyFile::load(keys_file.into(), KEYS)?,
            max_age,
            leeway,
        })
    }

    /// Reads the file again when it changes, until the process ends. One that cannot be used then leaves the keys as they
    /// are.
    pub fn follow(&self, kit: &Kit) {
        self.keys.follow(kit);
    }

    /// How long a token that is asked for is good, in whole seconds: without a wish as long as may be.
    ///
    /// # Errors
    ///
    /// If that is less than [`SCOPE_TOKEN_MIN_SECONDS`] or more than may be.
    pub fn ttl(&self, wish: Option<prost_types::Duration>) -> Result<Duration, Fault> {
        let Some(wish) = wish else {
            return Ok(self.max_age);
        };
        let most = self.max_age.as_secs();
        u64::try_from(wish.seconds)
            .ok()
            .filter(|seconds| (SCOPE_TOKEN_MIN_SECONDS..=most).contains(seconds))
            .map(Duration::from_secs)
            .ok_or_else(|| {
                let problem = format!("must be {SCOPE_TOKEN_MIN_SECONDS} to {most} seconds");
                Fault::invalid("ttl", problem)
            })
    }

    /// A token that is good for `ttl`, and when it stops being good.
    ///
    /// # Errors
    ///
    /// If a claim is out of bounds, or the token would be longer than [`SCOPE_TOKEN_MAX_BYTES`].
    pub fn sign(
        &self,
        now: Timestamp,
        claims: &ScopeClaims,
        ttl: Duration,
    ) -> Result<(String, Timestamp), Fault> {
        check_claims(claims)?;
        let seconds = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        let exp = now.as_second().saturating_add(seconds);
        let expires = Timestamp::from_second(exp)
            .map_err(|_| Fault::invalid("ttl", "ends at no time that there is"))?;
        let (kid, key) = self.keys.first();
        let header = Header {
            alg: ALGORITHM.to_owned(),
            kid,
            typ: Some("JWT".to_owned()),
        };
        let mut token = part(&header);
        token.push('.');
        token.push_str(&part(&Payload::new(claims, now.as_second(), exp)));
        let mac = hmac::sign(&key, token.as_bytes());
        token.push('.');
        BASE64.encode_string(mac.as_ref(), &mut token);
        if token.len() > SCOPE_TOKEN_MAX_BYTES {
            let problem = format!(
                "makes a token of {} bytes; at most {SCOPE_TOKEN_MAX_BYTES} are read, so name fewer or shorter topics",
                token.len()
            );
            return Err(Fault::invalid("scope", problem));
        }
        Ok((token, expires))
    }

    /// The scope of a token, if it is good now and for this caller.
    ///
    /// # Errors
    ///
    /// MISSING_SCOPE_TOKEN without one, INVALID_SCOPE_TOKEN with its `cause` otherwise.
    pub fn verify(
        &self,
        now: Timestamp,
        token: &str,
        caller: &Caller,
    ) -> Result<VerifiedScope, Fault> {
        if token.is_empty() {
            let problem = format!("is required; {RELOAD}");
            return Err(Fault::new(
                ErrorReason::MissingScopeToken,
                format!("`scope_token` {problem}"),
            )
            .field("scope_token", problem));
        }
        let payload = self.read(token)?;
        self.check_time(now.as_second(), &payload)?;
        let claims = payload.claims();
        check_claims(&claims).map_err(|fault| {
            let field = fault.fields().next().unwrap_or_default().to_owned();
            refused("claims", "holds a claim that is out of bounds").meta("claim", field)
        })?;
        check_caller(&claims, caller)?;
        Ok(VerifiedScope {
            tenant: claims.tenant,
            subject: caller.subject.clone(),
            class_id: claims.class_id,
            course_id: claims.course_id,
            student_id: claims.student_id,
            scope: claims.scope,
        })
    }

    /// What a token with a good signature says. Nothing of it is read before its signature is found good, but which key
    /// that is of.
    fn read(&self, token: &str) -> Result<Payload, Fault> {
        if token.len() > SCOPE_TOKEN_MAX_BYTES {
            return Err(refused("too_long", "is longer than any token"));
        }
        let malformed = || refused("malformed", "is no token; send the page's as it came");
        let (signed, mac) = token.rsplit_once('.').ok_or_else(malformed)?;
        let (header, payload) = signed.split_once('.').ok_or_else(malformed)?;
        let decode = |text: &str| BASE64.decode(text).map_err(|_| malformed());
        let (header, payload, mac) = (decode(header)?, decode(payload)?, decode(mac)?);
        let header: Header = read(&header).map_err(|_| malformed())?;
        if header.alg != ALGORITHM || header.typ.is_some_and(|typ| typ != "JWT") {
            return Err(malformed());
        }
        let foreign = "was not signed by a key that is known here";
        let key = self
            .keys
            .find(&header.kid)
            .ok_or_else(|| refused("unknown_key", foreign))?;
        // Compares in the same time whatever differs.
        hmac::verify(&key, signed.as_bytes(), &mac).map_err(|_| refused("mismatch", foreign))?;
        read(&payload).map_err(|error| {
            if error.is_data() {
                refused("claims", "lacks a claim, or has one that is not known")
            } else {
                malformed()
            }
        })
    }

    fn check_time(&self, now: i64, payload: &Payload) -> Result<(), Fault> {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let Payload { iat, exp, .. } = *payload;
        if payload.version != VERSION {
            return Err(refused("claims", "is of another version"));
        }
        if payload.student_id.as_deref() == Some("") {
            return Err(refused("claims", "is bound to nobody"));
        }
        if payload.aud != SCOPE_TOKEN_AUDIENCE {
            return Err(refused("audience", "is not for the helper"));
        }
        if iat > now.saturating_add(seconds(self.leeway)) {
            return Err(refused("not_yet", "is from the future"));
        }
        if now >= exp {
            return Err(refused("expired", "is too old"));
        }
        if exp <= iat {
            return Err(refused("claims", "ends before it begins"));
        }
        // With this bound no token that is not expired was issued longer ago, either.
        if exp.saturating_sub(iat) > seconds(self.max_age) {
            return Err(refused("too_old", "is good for longer than may be"));
        }
        Ok(())
    }
}

/// Shows no key.
impl fmt::Debug for ScopeTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeTokens")
            .field("max_age", &self.max_age)
            .field("leeway", &self.leeway)
            .finish_non_exhaustive()
    }
}

/// A token's header. It names the key, and nothing in it is a choice.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    kid: String,
    #[serde(default)]
    typ: Option<String>,
}

/// A token's claims as they are written. One that is not known might narrow the scope, so it is refused.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    version: u32,
    aud: String,
    iat: i64,
    exp: i64,
    tenant: String,
    class_id: String,
    course_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    student_id: Option<String>,
    scope: Scope,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scope {
    context: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    topics: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    allowed_topics: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reference: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    language: String,
}

impl Payload {
    fn new(claims: &ScopeClaims, iat: i64, exp: i64) -> Self {
        let ScopeClaims {
            tenant,
            class_id,
            course_id,
            student_id,
            scope,
        } = claims.clone();
        Self {
            version: VERSION,
            aud: SCOPE_TOKEN_AUDIENCE.to_owned(),
            iat,
            exp,
            tenant,
            class_id,
            course_id,
            student_id: Some(student_id).filter(|id| !id.is_empty()),
            scope: Scope {
                context: scope.context,
                topics: scope.topics,
                allowed_topics: scope.allowed_topics,
                reference: scope.reference,
                language: scope.language,
            },
        }
    }

    fn claims(self) -> ScopeClaims {
        ScopeClaims {
            tenant: self.tenant,
            class_id: self.class_id,
            course_id: self.course_id,
            student_id: self.student_id.unwrap_or_default(),
            scope: LessonScope {
                context: self.scope.context,
                topics: self.scope.topics,
                allowed_topics: self.scope.allowed_topics,
                reference: self.scope.reference,
                language: self.scope.language,
            },
        }
    }
}

/// A part of a token. Structs of texts and numbers always serialize.
fn part(value: &impl Serialize) -> String {
    BASE64.encode(serde_json::to_vec(value).unwrap_or_default())
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(bytes)
}

fn refused(cause: &'static str, problem: &str) -> Fault {
    let problem = format!("{problem}; {RELOAD}");
    Fault::new(
        ErrorReason::InvalidScopeToken,
        format!("`scope_token` {problem}"),
    )
    .meta("cause", cause)
    .field("scope_token", problem)
}

/// Refuses a caller whom the token is not for. Staff and services belong to no class.
fn check_caller(claims: &ScopeClaims, caller: &Caller) -> Result<(), Fault> {
    if claims.tenant != caller.tenant {
        return Err(refused("tenant", "is of another tenant"));
    }
    let of_a_class = caller.is(STUDENT) || caller.is(TEACHER);
    if of_a_class && !caller.groups.contains(&claims.class_id) {
        return Err(refused("class", "is for a class that the caller is not of"));
    }
    if !claims.student_id.is_empty() && claims.student_id != caller.subject {
        return Err(refused("student", "is bound to another student"));
    }
    Ok(())
}

fn check_claims(claims: &ScopeClaims) -> Result<(), Fault> {
    ids::check("tenant", &claims.tenant)?;
    ids::check("class_id", &claims.class_id)?;
    ids::check("course_id", &claims.course_id)?;
    if !claims.student_id.is_empty() {
        ids::check("student_id", &claims.student_id)?;
    }
    check_scope(&claims.scope)
}
