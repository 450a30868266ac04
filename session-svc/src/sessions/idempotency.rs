//! Idempotency entries: a key that comes again gets the answer of the first time, and the same key with another
//! request is refused.

use bytes::Bytes;
use turnwise_session_store::{Check, DAMAGED, Refused, Write};

use super::{Limits, entered, fields::Fields, keys, keys::Operation};
use crate::{error::SessionError, record};

/// The fields of an entry. Evidence keeps its outcome for good and its text apart; elsewhere the outcome is the text.
const FIELDS: [&str; 3] = ["fingerprint", "outcome", "text"];

/// Makes an operation safe to send again.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// The client's key; visible ASCII.
    pub key: String,
    /// The hash of what the client asked for.
    pub body_hash: Bytes,
}

impl Idempotency {
    /// What is compared when a key comes again: the hash and what the operation is about, so that one key never
    /// stands for two threads or two courses.
    fn fingerprint(&self, about: &str) -> Bytes {
        [&self.body_hash, about.as_bytes()].concat().into()
    }
}

/// The entry of an operation under its idempotency key.
pub(super) struct IdempotencyEntry {
    key: turnwise_session_store::Key,
    fingerprint: Bytes,
}

impl IdempotencyEntry {
    /// The entry of an operation that is about something: a thread, a course.
    pub(super) fn new(operation: Operation, idempotency: &Idempotency, about: &str) -> Self {
        Self {
            key: keys::idempotency(operation, &idempotency.key),
            fingerprint: idempotency.fingerprint(about),
        }
    }

    /// Holds the first time.
    pub(super) fn unused(&self) -> Check {
        Check::Absent {
            key: self.key.clone(),
            tell: FIELDS.to_vec(),
        }
    }

    /// The stored outcome, from a refusal of [`Self::unused`]; refused if its text was erased since.
    pub(super) fn stored(&self, refused: Refused) -> Result<Bytes, SessionError> {
        let mut told = self.told(refused)?;
        told.take().ok_or(SessionError::TurnErased)
    }

    /// The stored text, from a refusal of [`Self::unused`]; empty if there was none or if it was erased since.
    pub(super) fn stored_text(&self, refused: Refused) -> Result<Bytes, SessionError> {
        let mut told = self.told(refused)?;
        told.take();
        let text = told.take();
        let text = text.map(|text| record::unstamp("idempotency_entry", &text));
        Ok(text.transpose()?.unwrap_or_default())
    }

    /// What follows the fingerprint, which must be the same.
    fn told(&self, refused: Refused) -> Result<Fields, SessionError> {
        let mut told = Fields::of(refused.told);
        match told.take() {
            Some(fingerprint) if fingerprint == self.fingerprint => Ok(told),
            Some(damaged) if damaged == DAMAGED => Err(SessionError::RecordCorrupted {
                record: "idempotency_entry",
            }),
            _ => Err(SessionError::IdempotencyConflict),
        }
    }

    /// Stores an outcome.
    pub(super) fn store(&self, outcome: Bytes, limits: &Limits) -> [Write; 2] {
        [
            Write::Put {
                key: self.key.clone(),
                fields: vec![
                    (FIELDS[0].into(), self.fingerprint.clone()),
                    (FIELDS[1].into(), outcome),
                ],
            },
            Write::Expire {
                key: self.key.clone(),
                after: limits.idempotency_ttl,
            },
        ]
    }

    /// Stores text beside the outcome.
    pub(super) fn store_text(&self, text: &Bytes) -> [Write; 1] {
        [Write::Put {
            key: self.key.clone(),
            fields: vec![(FIELDS[2].into(), record::stamp(text))],
        }]
    }

    /// Where it is stored.
    pub(super) fn name(&self) -> &str {
        self.key.as_str()
    }

    /// Notes that the outcome holds text of a thread, and forgets notes of entries that are gone.
    pub(super) fn note(&self, thread_id: &str, now: i64, limits: &Limits) -> [Write; 3] {
        let (key, member) = (keys::idempotency_index(thread_id), self.name().to_owned());
        entered(key, member, now, limits.idempotency_ttl)
    }

    /// The fingerprint, for the holder of a lease.
    pub(super) fn fingerprint(&self) -> &Bytes {
        &self.fingerprint
    }
}

/// Takes the text out of an entry of a thread; its key, fingerprint and time stay, so that the operation is still known to be done.
pub(super) fn without_text(entry: &str) -> Write {
    Write::Unset {
        key: turnwise_session_store::Key::new(entry),
        fields: vec![FIELDS[1].into()],
    }
}

/// Takes the text out of an entry of evidence; its outcome stays as well.
pub(super) fn without_stored_text(entry: &str) -> Write {
    Write::Unset {
        key: turnwise_session_store::Key::new(entry),
        fields: vec![FIELDS[2].into()],
    }
}
