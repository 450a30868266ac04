//! What a bundle says of itself, and who signed it.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use turnwise_course_pack::PackArchive;

use crate::keys::{SigningKey, VerifyingKeys};

/// The name of the bundle's first file; no file of a pack begins with a dot.
pub(crate) const MANIFEST: &str = ".bundle.json";
const FORMAT: u32 = 1;

/// Which version of which course is in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// The course's id.
    pub course_id: String,
    /// The pack's hash.
    pub pack_hash: String,
    /// Ed25519, of the two, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl Manifest {
    /// What a bundle with this version says, signed if there is a key.
    pub(crate) fn new(course_id: String, pack_hash: String, key: Option<&SigningKey>) -> Self {
        let mut manifest = Self {
            format: FORMAT,
            course_id,
            pack_hash,
            signature: None,
        };
        manifest.signature = key.map(|key| STANDARD.encode(key.sign(&manifest.signed())));
        manifest
    }

    /// Reads what a bundle says; `None` if it is of no form that is known here.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let manifest: Self = serde_json::from_slice(bytes).ok()?;
        (manifest.format == FORMAT).then_some(manifest)
    }

    /// Whether the archive has its version in this folder.
    pub(crate) fn is_of(&self, folder: &Path) -> bool {
        let parent = folder.parent().unwrap_or(folder);
        PackArchive::place(parent, &self.course_id, &self.pack_hash) == folder
    }

    /// Whether somebody has signed it.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signature.is_some()
    }

    /// Whether one of these keys has signed it.
    pub(crate) fn is_signed_by(&self, keys: &VerifyingKeys) -> bool {
        let signature = self.signature.as_ref();
        let Some(signature) = signature.and_then(|text| STANDARD.decode(text).ok()) else {
            return false;
        };
        let signed = self.signed();
        keys.iter().any(|key| {
            let key = UnparsedPublicKey::new(&ED25519, key);
            key.verify(&signed, &signature).is_ok()
        })
    }

    /// The hash covers every file of the pack, so that nothing else need be signed.
    fn signed(&self) -> Vec<u8> {
        let Self {
            course_id,
            pack_hash,
            ..
        } = self;
        format!("turnwise course bundle {FORMAT}\n{course_id}\n{pack_hash}\n").into_bytes()
    }
}
