//! Signatures as Standard Webhooks has them: an HMAC-SHA256 over id, timestamp and body, one for each current key, so that a
//! receiver which knows any of them can verify while keys rotate.

use std::path::PathBuf;

use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use ring::hmac;
use turnwise_kit::{Kit, settings::SettingsError};

use crate::tokens::keys::{KeyFile, KeyUse};

const KEYS: KeyUse = KeyUse {
    setting: "WEBHOOK_KEYS_FILE",
    prefix: "whsec_",
};

/// Signs with the keys of a file, which is read again when it changes.
#[derive(Clone)]
pub struct Signer(KeyFile);

impl Signer {
    /// The signer with the keys of this file.
    ///
    /// # Errors
    ///
    /// If the file holds no keys.
    pub fn load(file: PathBuf) -> Result<Self, SettingsError> {
        KeyFile::load(file, KEYS).map(Self)
    }

    /// Reads the file again when it changes, until the process ends.
    pub(crate) fn follow(&self, kit: &Kit) {
        self.0.follow(kit);
    }

    /// The value of `webhook-signature`.
    #[must_use]
    pub fn signature(&self, id: &str, now: Timestamp, body: &[u8]) -> String {
        let timestamp = now.as_second().to_string();
        let signed = [id.as_bytes(), timestamp.as_bytes(), body].join(&b'.');
        let signatures = self.0.all().into_iter().map(|key| {
            let tag = hmac::sign(&key, &signed);
            format!("v1,{}", STANDARD.encode(tag))
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}
