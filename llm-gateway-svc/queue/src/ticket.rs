//! The tickets that hold a place for those who got a retry hint.
//!
//! A ticket names an entry and the time until which its place is held, with a MAC over them and the entry's owner, so that
//! nobody else can use it and nobody can make one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::hmac;
use uuid::Uuid;

use crate::{
    order::{EntryId, Micros},
    request::Owner,
};

/// The bytes of a ticket's entry and time, before the MAC.
const CLAIM: usize = 16;
/// The bytes of a ticket's MAC, HMAC-SHA256 whole.
const MAC: usize = 32;

/// The key that a queue's tickets are made with.
#[derive(Debug, Clone)]
pub struct TicketKey(hmac::Key);

impl TicketKey {
    /// The bytes of a key.
    pub const BYTES: usize = 32;

    /// Bytes for a new key; 244 bits of them are random.
    pub fn random_bytes() -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..16].copy_from_slice(Uuid::new_v4().as_bytes());
        bytes[16..].copy_from_slice(Uuid::new_v4().as_bytes());
        bytes
    }

    /// The key of these bytes.
    pub fn new(bytes: &[u8; Self::BYTES]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The ticket of an entry whose place is held until then.
    pub fn issue(&self, id: EntryId, until: Micros, owner: &Owner) -> String {
        let mut ticket = [0; CLAIM + MAC];
        ticket[..8].copy_from_slice(&id.to_be_bytes());
        ticket[8..CLAIM].copy_from_slice(&until.to_be_bytes());
        let mac = hmac::sign(&self.0, &signed(&ticket[..CLAIM], owner));
        ticket[CLAIM..].copy_from_slice(mac.as_ref());
        URL_SAFE_NO_PAD.encode(ticket)
    }

    /// Whether a ticket is this owner's and still holds at `now`.
    pub fn verify(&self, ticket: &str, owner: &Owner, now: Micros) -> bool {
        let mut bytes = [0; CLAIM + MAC];
        if URL_SAFE_NO_PAD.decode_slice(ticket, &mut bytes) != Ok(CLAIM + MAC) {
            return false;
        }
        let (claim, mac) = bytes.split_at(CLAIM);
        let until = claim[8..]
            .iter()
            .fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        now <= until && hmac::verify(&self.0, &signed(claim, owner), mac).is_ok()
    }
}

/// What the MAC is over. Lengths stand before the names, so that no two owners give the same bytes.
fn signed(claim: &[u8], owner: &Owner) -> Vec<u8> {
    let mut bytes = claim.to_vec();
    for name in [&owner.class, &owner.student, &owner.thread, owner.purpose] {
        bytes.extend_from_slice(&(name.len() as u64).to_be_bytes());
        bytes.extend_from_slice(name.as_bytes());
    }
    bytes
}
