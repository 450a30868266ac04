//! Card tokens: they prove that a drill was set, or an exam question offered, to this student in this thread.
//!
//! A token is opaque to clients, safe in a URL, and shorter than [`TOKEN_MAX_BYTES`]. It names its key and holds the end
//! of its time, a nonce and a drill's id; an HMAC-SHA256 binds these to everything on the card, whose text comes back
//! from the client. Drills, offers and questions of a placement are signed under different names, so none passes for
//! another.

mod claims;
pub(crate) mod keys;
pub mod scope;
pub mod scope_bounds;

use std::{fmt, path::PathBuf, time::Duration};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use jiff::Timestamp;
use ring::hmac;
use turnwise_kit::{Fault, Kit, settings::SettingsError};
use turnwise_proto::{common::v1::ErrorReason, tutor::v1::MasteryTier};
use uuid::Uuid;

pub use claims::SealedClaims;
use keys::{KeyFile, KeyUse};

/// The bound on a token's length in bytes.
pub const TOKEN_MAX_BYTES: usize = 512;

const KEYS: KeyUse = KeyUse {
    setting: "DRILL_TOKEN_KEYS_FILE",
    prefix: "",
};

/// The form of a token, its first byte.
const VERSION: u8 = 1;
const MAC_BYTES: usize = 32;
const NONCE_BYTES: usize = 16;
/// What is signed begins with one of these.
const DRILL: &str = "turnwise drill token 1";
const OFFER: &str = "turnwise offer token 1";
const PLACEMENT: &str = "turnwise placement token 1";

/// What a drill's token binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrillClaims<'a> {
    /// The student's tenant.
    pub tenant: &'a str,
    /// For whom it was set.
    pub student_id: &'a str,
    /// Where it was set.
    pub thread_id: &'a str,
    /// The course.
    pub course_id: &'a str,
    /// The card's unit.
    pub unit_id: &'a str,
    /// The card's prompt, byte for byte.
    pub prompt: &'a str,
    /// The card's exercise, byte for byte.
    pub question_latex: &'a str,
}

/// What the token of an offered exam question binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfferClaims<'a> {
    /// The student's tenant.
    pub tenant: &'a str,
    /// To whom it was offered.
    pub student_id: &'a str,
    /// Where it was offered.
    pub thread_id: &'a str,
    /// The course.
    pub course_id: &'a str,
    /// The card's unit.
    pub unit_id: &'a str,
    /// The question.
    pub question_id: &'a str,
    /// The question's tier.
    pub tier: MasteryTier,
}

/// What a good drill token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrillProof {
    /// Spent by the grade.
    pub nonce: String,
    /// The ready-made drill; empty: none.
    pub drill_id: String,
}

/// Why a token proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFault {
    /// There is none.
    Missing,
    /// It has not the form of one.
    Malformed,
    /// It was signed with a key that is not known here.
    UnknownKey,
    /// It was signed for something else, or not by us.
    Mismatch,
    /// Its time is over.
    Expired,
}

impl TokenFault {
    /// The cause as errors and logs spell it.
    #[must_use]
    pub fn cause(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Malformed => "malformed",
            Self::UnknownKey => "unknown_key",
            Self::Mismatch => "mismatch",
            Self::Expired => "expired",
        }
    }
}

impl From<TokenFault> for Fault {
    fn from(fault: TokenFault) -> Self {
        let problem = match fault {
            TokenFault::Missing => "is required; send the card's",
            TokenFault::Malformed => "is no token; send the card's as it came",
            TokenFault::UnknownKey | TokenFault::Mismatch => {
                "was not made for this question, student and thread; ask for the exam again"
            }
            TokenFault::Expired => "is too old; ask for the exam again",
        };
        Fault::new(
            ErrorReason::DrillTokenInvalid,
            format!("`offer_token` {problem}"),
        )
        .meta("cause", fault.cause())
        .field("offer_token", problem)
    }
}

/// Makes and checks tokens. Cheap to clone; the clones share the keys.
#[derive(Clone)]
pub struct CardTokens {
    keys: KeyFile,
    ttl: Duration,
}

impl CardTokens {
    /// Tokens under the keys of this file, good for so long.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line of it is no key.
    pub fn load(keys_file: impl Into<PathBuf>, ttl: Duration) -> Result<Self, SettingsError> {
        Ok(Self {
            keys: KeyFile::load(keys_file.into(), KEYS)?,
            ttl,
        })
    }

    /// Reads the file again when it changes, until the process ends. One that cannot be used then leaves the keys as they
    /// are.
    pub fn follow(&self, kit: &Kit) {
        self.keys.follow(kit);
    }

    /// A token for a drill. `drill_id` is the ready-made drill that it shows; empty: none.
    #[must_use]
    pub fn drill(&self, now: Timestamp, claims: &DrillClaims<'_>, drill_id: &str) -> String {
        self.sign(now, drill_id, |head| drill_message(DRILL, head, claims))
    }

    /// Checks the token that came back with a drill.
    ///
    /// # Errors
    ///
    /// If it does not prove that this drill was set here.
    pub fn check_drill(
        &self,
        now: Timestamp,
        token: &str,
        claims: &DrillClaims<'_>,
    ) -> Result<DrillProof, TokenFault> {
        let head = self.verify(now, token, |head| drill_message(DRILL, head, claims))?;
        Ok(head.proof())
    }

    /// A token for a ready-made drill that a placement asks.
    #[must_use]
    pub fn placement(&self, now: Timestamp, claims: &DrillClaims<'_>, drill_id: &str) -> String {
        self.sign(now, drill_id, |head| drill_message(PLACEMENT, head, claims))
    }

    /// Checks the token that came back with a question of a placement.
    ///
    /// # Errors
    ///
    /// If it does not prove that this question was asked here.
    pub fn check_placement(
        &self,
        now: Timestamp,
        token: &str,
        claims: &DrillClaims<'_>,
    ) -> Result<DrillProof, TokenFault> {
        let head = self.verify(now, token, |head| drill_message(PLACEMENT, head, claims))?;
        Ok(head.proof())
    }

    /// A token for an offered exam question.
    #[must_use]
    pub fn offer(&self, now: Timestamp, claims: &OfferClaims<'_>) -> String {
        self.sign(now, "", |head| offer_message(head, claims))
    }

    /// Checks the token that came back with an exam question.
    ///
    /// # Errors
    ///
    /// If it does not prove that this question was offered here.
    pub fn check_offer(
        &self,
        now: Timestamp,
        token: &str,
        claims: &OfferClaims<'_>,
    ) -> Result<(), TokenFault> {
        self.verify(now, token, |head| offer_message(head, claims))
            .map(|_| ())
    }

    fn sign(
        &self,
        now: Timestamp,
        drill_id: &str,
        message: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> String {
        let (kid, key) = self.keys.first();
        let ttl = i64::try_from(self.ttl.as_secs()).unwrap_or(i64::MAX);
        let mut token = Head {
            kid: &kid,
            expires: now.as_second().saturating_add(ttl),
            nonce: Uuid::new_v4(),
            drill_id,
        }
        .write();
        let mac = hmac::sign(&key, &message(&token));
        token.extend_from_slice(mac.as_ref());
        BASE64.encode(token)
    }

    fn verify(
        &self,
        now: Timestamp,
        token: &str,
        message: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Result<OwnedHead, TokenFault> {
        if token.is_empty() {
            return Err(TokenFault::Missing);
        }
        if token.len() >= TOKEN_MAX_BYTES {
            return Err(TokenFault::Malformed);
        }
        let bytes = BASE64.decode(token).map_err(|_| TokenFault::Malformed)?;
        let (written, mac) = bytes
            .split_last_chunk::<MAC_BYTES>()
            .ok_or(TokenFault::Malformed)?;
        let head = Head::read(written).ok_or(TokenFault::Malformed)?;
        let key = self.keys.find(head.kid).ok_or(TokenFault::UnknownKey)?;
        // Compares in the same time whatever differs.
        hmac::verify(&key, &message(written), mac).map_err(|_| TokenFault::Mismatch)?;
        if now.as_second() >= head.expires {
            return Err(TokenFault::Expired);
        }
        Ok(OwnedHead {
            nonce: head.nonce,
            drill_id: head.drill_id.to_owned(),
        })
    }
}

/// Shows no key.
impl fmt::Debug for CardTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardTokens")
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}

/// What a token holds in clear.
struct Head<'a> {
    kid: &'a str,
    /// In seconds since 1970.
    expires: i64,
    nonce: Uuid,
    drill_id: &'a str,
}

/// The part of a verified head that is used.
struct OwnedHead {
    nonce: Uuid,
    drill_id: String,
}

impl OwnedHead {
    fn proof(self) -> DrillProof {
        DrillProof {
            nonce: self.nonce.simple().to_string(),
            drill_id: self.drill_id,
        }
    }
}

impl<'a> Head<'a> {
    fn write(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        push_short(&mut out, self.kid);
        out.extend_from_slice(&self.expires.to_be_bytes());
        out.extend_from_slice(self.nonce.as_bytes());
        push_short(&mut out, self.drill_id);
        out
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        if *version != VERSION {
            return None;
        }
        let (kid, rest) = short(rest)?;
        let (expires, rest) = rest.split_first_chunk::<8>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE_BYTES>()?;
        let (drill_id, rest) = short(rest)?;
        rest.is_empty().then(|| Self {
            kid,
            expires: i64::from_be_bytes(*expires),
            nonce: Uuid::from_bytes(*nonce),
            drill_id,
        })
    }
}

/// A text after its length in one byte. Ids are at most 128 bytes long; a longer text is no id and is left out.
fn push_short(out: &mut Vec<u8>, text: &str) {
    match u8::try_from(text.len()) {
        Ok(length) if usize::from(length) <= turnwise_kit::ids::MAX_ID_CHARS => {
            out.push(length);
            out.extend_from_slice(text.as_bytes());
        }
        _ => out.push(0),
    }
}

fn short(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (text, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((std::str::from_utf8(text).ok()?, rest))
}

fn drill_message(name: &str, head: &[u8], claims: &DrillClaims<'_>) -> Vec<u8> {
    let DrillClaims {
        tenant,
        student_id,
        thread_id,
        course_id,
        unit_id,
        prompt,
        question_latex,
    } = claims;
    message(&[
        name.as_bytes(),
        head,
        tenant.as_bytes(),
        student_id.as_bytes(),
        thread_id.as_bytes(),
        course_id.as_bytes(),
        unit_id.as_bytes(),
        prompt.as_bytes(),
        question_latex.as_bytes(),
    ])
}

fn offer_message(head: &[u8], claims: &OfferClaims<'_>) -> Vec<u8> {
    let OfferClaims {
        tenant,
        student_id,
        thread_id,
        course_id,
        unit_id,
        question_id,
        tier,
    } = claims;
    message(&[
        OFFER.as_bytes(),
        head,
        tenant.as_bytes(),
        student_id.as_bytes(),
        thread_id.as_bytes(),
        course_id.as_bytes(),
        unit_id.as_bytes(),
        question_id.as_bytes(),
        tier.as_str_name().as_bytes(),
    ])
}

/// The parts, each after its length, so that no two lists of parts make the same message.
fn message(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        out.extend_from_slice(&(part.len() as u64).to_be_bytes());
        out.extend_from_slice(part);
    }
    out
}
