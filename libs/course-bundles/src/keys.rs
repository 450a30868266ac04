//! Keys of those who make bundles, as `openssl genpkey -algorithm ed25519` writes them.

use ring::signature::Ed25519KeyPair;
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer, pem::PemObject};
use turnwise_kit::{files::NamedFile, settings::SettingsError};

/// What comes before the 32 bytes of an Ed25519 key (RFC 8410).
const PREFIX: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const MOST: usize = 32;

/// The key that bundles are signed with.
pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Reads a private key: PKCS #8, PEM.
    ///
    /// # Errors
    /// The file cannot be read, or has no such key.
    pub fn read(file: &NamedFile) -> Result<Self, SettingsError> {
        let pem = file.read()?;
        let key = PrivatePkcs8KeyDer::from_pem_slice(&pem).ok();
        key.and_then(|key| {
            Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.secret_pkcs8_der()).ok()
        })
        .map(Self)
        .ok_or_else(|| {
            let problem =
                "it has no Ed25519 private key; make one with `openssl genpkey -algorithm ed25519`";
            file.unusable(problem)
        })
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).as_ref().to_vec()
    }
}

/// The keys of which one must have signed a bundle.
#[derive(Debug)]
pub(crate) struct VerifyingKeys(Vec<Vec<u8>>);

impl VerifyingKeys {
    /// Reads public keys: PEM, 1 to 32.
    pub(crate) fn read(file: &NamedFile) -> Result<Self, SettingsError> {
        let pem = file.read()?;
        let keys: Option<Vec<_>> = SubjectPublicKeyInfoDer::pem_slice_iter(&pem)
            .map(|key| Some(key.ok()?.strip_prefix(PREFIX)?.to_vec()))
            .collect();
        match keys {
            Some(keys) if (1..=MOST).contains(&keys.len()) => Ok(Self(keys)),
            _ => Err(file.unusable(
                "it must hold 1 to 32 Ed25519 public keys, PEM, and no other; `openssl pkey -in KEY -pubout` writes that \
                 of a private key",
            )),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.0.iter()
    }
}
