//! What `turnwise up` keeps on disk: the stores, and the keys of a development issuer made at first start. Nothing here
//! ships with a default secret.

use std::{
    fs,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD as BASE64},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::{
    rand::{SecureRandom, SystemRandom},
    signature::{Ed25519KeyPair, KeyPair},
};
use serde::{Deserialize, Serialize};

/// The issuer of development tokens.
pub const DEV_ISSUER: &str = "turnwise-dev";
/// The audience of development tokens.
pub const DEV_AUDIENCE: &str = "turnwise";
const DEV_KEY_ID: &str = "dev";

/// A data directory.
#[derive(Debug, Clone)]
pub struct DataDir {
    root: PathBuf,
}

/// Whom a development token is for.
#[derive(Debug, Clone)]
pub struct DevToken {
    /// The tenant.
    pub tenant: String,
    /// The student, teacher or member of staff.
    pub subject: String,
    /// student, teacher, staff or service.
    pub role: String,
    /// The classes.
    pub classes: Vec<String>,
    /// The learner for whom alone a service's token speaks; none: it speaks for itself.
    pub on_behalf_of: Option<String>,
    /// How long it is valid, in seconds.
    pub ttl_seconds: u64,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'a str,
    sub: &'a str,
    tenant: &'a str,
    role: &'a str,
    classes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    on_behalf_of: Option<&'a str>,
    iat: i64,
    exp: i64,
}

impl DataDir {
    /// The default: `turnwise` under the user's data directory, or in the working directory where there is none.
    pub fn default_path() -> PathBuf {
        user_dir("XDG_DATA_HOME", ".local/share").map_or_else(
            || PathBuf::from("turnwise-data"),
            |data| data.join("turnwise"),
        )
    }

    /// Opens a data directory, and makes it and its keys if they are not there.
    pub fn create(root: &Path) -> Result<Self> {
        let dir = Self {
            root: root.to_owned(),
        };
        private_dir(root)?;
        private_dir(&dir.keys())?;
        if !dir.signing_key_file().exists() {
            dir.make_keys()?;
        }
        for file in [dir.drill_token_keys_file(), dir.scope_token_keys_file()] {
            if !file.exists() {
                make_token_key(&file)?;
            }
        }
        Ok(dir)
    }

    /// Opens a data directory that is there.
    pub fn open(root: &Path) -> Result<Self> {
        let dir = Self {
            root: root.to_owned(),
        };
        if !dir.signing_key_file().exists() {
            bail!(
                "`{}` is no data directory of `turnwise up`; start one there, or name another with --data-dir",
                root.display()
            );
        }
        Ok(dir)
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The embedded store of state.
    pub fn session_store(&self) -> PathBuf {
        self.root.join("session.redb")
    }

    /// The embedded store of the search index.
    pub fn retrieval_store(&self) -> PathBuf {
        self.root.join("retrieval.redb")
    }

    /// The versions of courses that were served, in the data directory at `root`.
    pub fn packs(root: &Path) -> PathBuf {
        root.join("packs")
    }

    /// The public keys of the development issuer.
    pub fn jwks_file(&self) -> PathBuf {
        self.keys().join("dev-jwks.json")
    }

    /// The keys that drills and offered exam questions are signed with.
    pub fn drill_token_keys_file(&self) -> PathBuf {
        self.keys().join("drill-token-keys")
    }

    /// The keys that scope tokens of lessons' pages are signed with.
    pub fn scope_token_keys_file(&self) -> PathBuf {
        self.keys().join("scope-token-keys")
    }

    fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    fn signing_key_file(&self) -> PathBuf {
        self.keys().join("dev-signing-key.pk8")
    }

    fn make_keys(&self) -> Result<()> {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| anyhow::anyhow!("the system gives no randomness for a key"))?;
        let pair = Ed25519KeyPair::from_pkcs8(key.as_ref())
            .map_err(|_| anyhow::anyhow!("the new key cannot be read back"))?;
        let jwks = serde_json::json!({"keys": [{
            "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": DEV_KEY_ID,
            "x": BASE64.encode(pair.public_key().as_ref()),
        }]});
        write_private(&self.jwks_file(), jwks.to_string().as_bytes())?;
        write_private(&self.signing_key_file(), key.as_ref())
    }

    /// Mints a development token.
    pub fn mint(&self, token: &DevToken) -> Result<String> {
        let file = self.signing_key_file();
        let key = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let now = jiff::Timestamp::now().as_second();
        let claims = Claims {
            iss: DEV_ISSUER,
            aud: DEV_AUDIENCE,
            sub: &token.subject,
            tenant: &token.tenant,
            role: &token.role,
            classes: &token.classes,
            on_behalf_of: token.on_behalf_of.as_deref(),
            iat: now,
            exp: now.saturating_add_unsigned(token.ttl_seconds),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(DEV_KEY_ID.to_owned());
        encode(&header, &claims, &EncodingKey::from_ed_der(&key)).context(
            "the token cannot be signed; remove the data directory's keys to make new ones",
        )
    }
}

/// One key, as the turn gateway reads it: its id and 32 random bytes in base64.
fn make_token_key(file: &Path) -> Result<()> {
    let line = format!("{DEV_KEY_ID} {}\n", STANDARD.encode(random_bytes()?));
    write_private(file, line.as_bytes())
}

/// A fresh secret of 32 random bytes, as text.
pub fn random_secret() -> Result<String> {
    Ok(BASE64.encode(random_bytes()?))
}

fn random_bytes() -> Result<[u8; 32]> {
    let mut bytes = [0u8; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| anyhow::anyhow!("the system gives no randomness"))?;
    Ok(bytes)
}

/// Where running local suites note their data directories, so that `turnwise turn` finds the key for an endpoint. The
/// notes hold paths, never secrets.
pub mod running {
    use super::{
        Context, Deserialize, Path, PathBuf, Result, Serialize, fs, private_dir, user_dir,
    };

    #[derive(Serialize, Deserialize)]
    struct Note {
        data_dir: PathBuf,
    }

    fn file(port: u16) -> Option<PathBuf> {
        user_dir("XDG_STATE_HOME", ".local/state")
            .map(|state| state.join("turnwise").join(format!("up-{port}.json")))
    }

    /// Notes that a suite with this data directory listens on this port.
    pub fn note(port: u16, data_dir: &Path) -> Result<()> {
        let file = file(port).context("the user has no home directory")?;
        if let Some(parent) = file.parent() {
            private_dir(parent)?;
        }
        let data_dir = fs::canonicalize(data_dir)?;
        fs::write(&file, serde_json::to_vec(&Note { data_dir })?)?;
        Ok(())
    }

    /// The data directory of the suite that was last started on this port.
    pub fn data_dir(port: u16) -> Option<PathBuf> {
        let bytes = fs::read(file(port)?).ok()?;
        serde_json::from_slice::<Note>(&bytes)
            .ok()
            .map(|note| note.data_dir)
    }

    /// Removes the note.
    pub fn forget(port: u16) {
        if let Some(file) = file(port) {
            let _ = fs::remove_file(file);
        }
    }
}

fn user_dir(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    set(variable)
        .map(PathBuf::from)
        .filter(|p| p.is_absolute())
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(below_home)))
}

/// Makes a directory with those above it, for this user alone, if it is not there.
pub(crate) fn private_dir(dir: &Path) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("cannot make the directory {}", dir.display()))
}

/// Writes a file that only its owner can read, and puts it in place whole.
pub(crate) fn write_private(file: &Path, bytes: &[u8]) -> Result<()> {
    let part = file.with_extension("part");
    let write = || -> std::io::Result<()> {
        let mut out = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&part)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        fs::rename(&part, file)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}
