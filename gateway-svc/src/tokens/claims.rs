//! Sealed claims: a verified caller, kept with a message that is answered later. They are signed, so that what a store
//! gives back is what a gateway verified; they are bound to their thread, and good for [`TTL`]. The platform's token may have
//! run out meanwhile: what counts is who the student was when the message was accepted.

use std::time::Duration;

use jiff::Timestamp;
use prost::Message;
use ring::hmac;
use turnwise_kit::Caller;

use super::{CardTokens, MAC_BYTES};

/// How long sealed claims are good.
pub const TTL: Duration = Duration::from_secs(7 * 86_400);
/// What is signed begins with this.
const CLAIMS: &[u8] = b"turnwise sealed claims 1";

#[derive(Clone, PartialEq, Message)]
struct Claims {
    #[prost(string, tag = "1")]
    kid: String,
    #[prost(int64, tag = "2")]
    expires: i64,
    #[prost(string, tag = "3")]
    tenant: String,
    #[prost(string, tag = "4")]
    subject: String,
    #[prost(string, tag = "5")]
    role: String,
    #[prost(string, repeated, tag = "6")]
    groups: Vec<String>,
    #[prost(string, tag = "7")]
    course_id: String,
}

/// Who a message is answered for, and in which course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedClaims {
    /// The verified caller.
    pub caller: Caller,
    /// The thread's course.
    pub course_id: String,
}

impl CardTokens {
    /// Seals a verified caller for a thread.
    #[must_use]
    pub fn seal(
        &self,
        now: Timestamp,
        caller: &Caller,
        thread_id: &str,
        course_id: &str,
    ) -> Vec<u8> {
        let (kid, key) = self.keys.first();
        let ttl = i64::try_from(TTL.as_secs()).unwrap_or(i64::MAX);
        let mut sealed = Claims {
            kid,
            expires: now.as_second().saturating_add(ttl),
            tenant: caller.tenant.clone(),
            subject: caller.subject.clone(),
            role: caller.role.clone(),
            groups: caller.groups.clone(),
            course_id: course_id.to_owned(),
        }
        .encode_to_vec();
        let mac = hmac::sign(&key, &message(&sealed, thread_id));
        sealed.extend_from_slice(mac.as_ref());
        sealed
    }

    /// The caller that was sealed; none if it was not sealed here, for another thread, or too long ago.
    #[must_use]
    pub fn open(&self, now: Timestamp, sealed: &[u8], thread_id: &str) -> Option<SealedClaims> {
        let (written, mac) = sealed.split_last_chunk::<MAC_BYTES>()?;
        let claims = Claims::decode(written).ok()?;
        let key = self.keys.find(&claims.kid)?;
        hmac::verify(&key, &message(written, thread_id), mac).ok()?;
        (now.as_second() < claims.expires).then_some(SealedClaims {
            caller: Caller {
                tenant: claims.tenant,
                subject: claims.subject,
                role: claims.role,
                groups: claims.groups,
            },
            course_id: claims.course_id,
        })
    }
}

fn message(written: &[u8], thread_id: &str) -> Vec<u8> {
    super::message(&[CLAIMS, written, thread_id.as_bytes()])
}
