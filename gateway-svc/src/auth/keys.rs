//! The issuer's public keys: from a file, or from an address; kept up to date without a restart.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwap;
use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, JwkSet, PublicKeyUse},
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep_until, timeout},
};
use turnwise_kit::{Kit, files::NamedFile};

use crate::error::StartError;

/// How often keys are read again.
const REFRESH: Duration = Duration::from_secs(300);
/// How often an unknown key may cause another read of a file.
const REREAD: Duration = Duration::from_secs(5);
/// How long a call with an unknown key waits for that.
const REREAD_WAIT: Duration = Duration::from_secs(1);
/// How long one read from an address may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// How soon a read that failed is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// Where keys come from.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// A file.
    File(PathBuf),
    /// An address.
    Url(String),
}

/// A key of the issuer's.
pub struct IssuerKey {
    pub(super) key: DecodingKey,
    /// The only algorithm that it is for, if it says so.
    pub(super) algorithm: Option<Algorithm>,
}

/// Keys by their ids.
type KeysById = HashMap<String, Arc<IssuerKey>>;

/// The keys that are known now. One task reads them, so that no call waits for a disk.
pub struct Keys {
    current: ArcSwap<KeysById>,
    source: KeySource,
    /// An unknown key asks for another read.
    asked: Notify,
    /// When they were read last, whatever came of it.
    read: watch::Sender<Instant>,
}

impl Keys {
    /// Reads the keys. A file must be there; an address may come up later, and until then every token is refused.
    pub async fn load(source: KeySource, kit: &Kit) -> Result<Arc<Self>, StartError> {
        let initial = match &source {
            KeySource::File(file) => read_file(file)?,
            KeySource::Url(_) => HashMap::new(),
        };
        let keys = Arc::new(Self {
            current: ArcSwap::from_pointee(initial),
            source: source.clone(),
            asked: Notify::new(),
            read: watch::Sender::new(Instant::now()),
        });
        let kept = Arc::clone(&keys);
        let client = client(&source)?;
        let shutdown = kit.shutdown.clone();
        kit.tasks.spawn(async move {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = kept.follow(client) => {}
            }
        });
        Ok(keys)
    }

    /// The key with this id; without an id, the only key there is.
    pub async fn find(&self, kid: Option<&str>) -> Option<Arc<IssuerKey>> {
        match self.known(kid) {
            Some(key) => Some(key),
            None => {
                self.reread_file().await;
                self.known(kid)
            }
        }
    }

    fn known(&self, kid: Option<&str>) -> Option<Arc<IssuerKey>> {
        let keys = self.current.load();
        match kid {
            Some(kid) => keys.get(kid).cloned(),
            None if keys.len() == 1 => keys.values().next().cloned(),
            None => None,
        }
    }

    /// An unknown key may be a new one: asks for another look at the file, but not for every stranger.
    async fn reread_file(&self) {
        let mut read = self.read.subscribe();
        let due = read.borrow_and_update().elapsed() >= REREAD;
        if due && matches!(self.source, KeySource::File(_)) {
            self.asked.notify_one();
            // Where the disk does not answer, the keys stay as they are.
            let _ = timeout(REREAD_WAIT, read.changed()).await;
        }
    }

    /// Reads the keys again and again, so that a withdrawn one stops working, and where an unknown one asks for it.
    async fn follow(&self, client: Option<reqwest::Client>) {
        let mut next = match client {
            Some(_) => Instant::now(),
            // A file was read at the start.
            None => Instant::now() + REFRESH,
        };
        loop {
            tokio::select! {
                () = sleep_until(next) => {}
                () = self.asked.notified() => if self.read.borrow().elapsed() < REREAD { continue },
            }
            let read = match (&self.source, &client) {
                (KeySource::Url(url), Some(client)) => fetch(client, url).await,
                (KeySource::Url(_), None) => return,
                (KeySource::File(file), _) => {
                    let file = file.clone();
                    match tokio::task::spawn_blocking(move || read_file(&file)).await {
                        Ok(read) => read,
                        // The process ends.
                        Err(_) => return,
                    }
                }
            };
            let pause = match read {
                Ok(keys) => {
                    self.current.store(Arc::new(keys));
                    REFRESH
                }
                Err(error) => {
                    tracing::warn!(%error, "the keys stay as they are");
                    RETRY
                }
            };
            next = Instant::now() + pause;
            self.read.send_replace(Instant::now());
        }
    }
}

/// A client for keys at an address; none for a file.
fn client(source: &KeySource) -> Result<Option<reqwest::Client>, StartError> {
    let KeySource::Url(url) = source else {
        return Ok(None);
    };
    reqwest::Client::builder()
        .timeout(FETCH_TIMEOUT)
        .build()
        .map(Some)
        .map_err(|e| StartError::Keys {
            place: url.clone(),
            problem: e.to_string(),
        })
}

async fn fetch(client: &reqwest::Client, url: &str) -> Result<KeysById, StartError> {
    let problem = |e: reqwest::Error| StartError::Keys {
        place: url.to_owned(),
        problem: e.to_string(),
    };
    let body = client
        .get(url)
        .send()
        .await
        .and_then(reqwest::Response::error_for_status)
        .map_err(problem)?
        .bytes()
        .await
        .map_err(problem)?;
    parse(url, &body)
}

fn read_file(file: &Path) -> Result<KeysById, StartError> {
    let bytes = NamedFile::public("JWT_JWKS_FILE", file).read()?;
    parse(&file.display().to_string(), &bytes)
}

fn parse(place: &str, bytes: &[u8]) -> Result<KeysById, StartError> {
    let problem = |problem: String| StartError::Keys {
        place: place.to_owned(),
        problem,
    };
    let set: JwkSet = serde_json::from_slice(bytes).map_err(|e| problem(e.to_string()))?;
    let mut keys = HashMap::new();
    for jwk in &set.keys {
        // A shared secret in a public key set would let anybody who reads it sign.
        let secret = matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_));
        let encrypts = jwk.common.public_key_use == Some(PublicKeyUse::Encryption);
        // An algorithm that signs no token, such as RSA-OAEP, is for encryption, too.
        let algorithm = jwk.common.key_algorithm.map(Algorithm::try_from);
        let Ok(algorithm) = algorithm.transpose() else {
            continue;
        };
        if secret || encrypts {
            continue;
        }
        let key = DecodingKey::from_jwk(jwk).map_err(|e| problem(e.to_string()))?;
        let kid = jwk.common.key_id.clone().unwrap_or_default();
        keys.insert(kid, Arc::new(IssuerKey { key, algorithm }));
    }
    if keys.is_empty() {
        return Err(problem("it holds no public key".to_owned()));
    }
    Ok(keys)
}
