//! The keys that card tokens, scope tokens and webhooks are signed with: a file of lines `KID BASE64`, read again when it changes.
//! Neither a fault nor anything else here shows a key.

use std::path::PathBuf;

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use ring::hmac;
use turnwise_kit::{
    Kit,
    files::{Followed, NamedFile},
    settings::SettingsError,
};

/// The fewest bytes of a key: as many as the hash has.
const KEY_MIN_BYTES: usize = 32;
/// The most bytes of a key.
const KEY_MAX_BYTES: usize = 1024;
/// The most characters of a key's id.
const KID_MAX_CHARS: usize = 32;
/// The most keys.
const MOST_KEYS: usize = 32;

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What the keys of a file are for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyUse {
    /// The setting that names the file.
    pub(crate) setting: &'static str,
    /// What may stand before a key's base64; empty: nothing.
    pub(crate) prefix: &'static str,
}

/// A file of keys. The clones are the same file.
#[derive(Clone)]
pub(crate) struct KeyFile(Followed<Vec<Key>>);

#[derive(Clone)]
struct Key {
    kid: String,
    key: hmac::Key,
}

impl KeyFile {
    pub(crate) fn load(path: PathBuf, used: KeyUse) -> Result<Self, SettingsError> {
        let files = vec![NamedFile::secret(used.setting, path)];
        Followed::load(files, move |contents| Ok(parse(used, &contents[0])?)).map(Self)
    }

    /// The key that signs, and its id.
    pub(crate) fn first(&self) -> (String, hmac::Key) {
        // A file without a key is refused, so there is one.
        let Key { kid, key } = self.0.get()[0].clone();
        (kid, key)
    }

    /// The key with this id.
    pub(crate) fn find(&self, kid: &str) -> Option<hmac::Key> {
        let keys = self.0.get();
        keys.iter()
            .find(|key| key.kid == kid)
            .map(|key| key.key.clone())
    }

    /// All keys, in their order.
    pub(crate) fn all(&self) -> Vec<hmac::Key> {
        self.0.get().iter().map(|key| key.key.clone()).collect()
    }

    /// Reads the file again when it changes, until the process ends. One that cannot be used then leaves the keys as they
    /// are.
    pub(crate) fn follow(&self, kit: &Kit) {
        self.0.follow(kit);
    }
}

fn parse(used: KeyUse, bytes: &[u8]) -> Result<Vec<Key>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is no text; write lines `KID BASE64`")?;
    let mut keys: Vec<Key> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let key = key(used, line).map_err(|problem| format!("line {number}: {problem}"))?;
        if keys.iter().any(|other| other.kid == key.kid) {
            return Err(format!(
                "line {number}: its id stands in an earlier line, too; give each key an id of its own"
            ));
        }
        keys.push(key);
        if keys.len() > MOST_KEYS {
            return Err(format!(
                "line {number}: there are more than {MOST_KEYS} keys; keep those that are still in use"
            ));
        }
    }
    if keys.is_empty() {
        return Err(
            "holds no key; write a line `KID BASE64` with 32 random bytes or more".to_owned(),
        );
    }
    Ok(keys)
}

/// A key from its line. What is wrong is said without the line: whatever stands there may be a secret.
fn key(used: KeyUse, line: &str) -> Result<Key, String> {
    let mut words = line.split_whitespace();
    let (Some(kid), Some(secret), None) = (words.next(), words.next(), words.next()) else {
        return Err("must be two words: `KID BASE64`".to_owned());
    };
    let is_kid = kid.len() <= KID_MAX_CHARS
        && kid
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !is_kid {
        return Err(format!(
            "the first word must be the key's id, 1 to {KID_MAX_CHARS} characters of [A-Za-z0-9._-]"
        ));
    }
    let bytes = BASE64
        .decode(secret.strip_prefix(used.prefix).unwrap_or(secret))
        .map_err(|_| "the second word must be base64, such as of `openssl rand -base64 32`")?;
    if !(KEY_MIN_BYTES..=KEY_MAX_BYTES).contains(&bytes.len()) {
        return Err(format!(
            "the key has {} bytes and must have {KEY_MIN_BYTES} to {KEY_MAX_BYTES}; make one with `openssl rand -base64 32`",
            bytes.len()
        ));
    }
    Ok(Key {
        kid: kid.to_owned(),
        key: hmac::Key::new(hmac::HMAC_SHA256, &bytes),
    })
}
