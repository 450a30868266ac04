//! The service's settings.

use std::{convert::Infallible, fmt, fs, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use turnwise_kit::Kit;

use crate::{
    error::StartError,
    store::{
        Store,
        embedded::{EmbeddedOptions, EmbeddedStore},
        redis::{RedisOptions, RedisStore},
    },
};

/// Settings of session-svc.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Settings {
    /// Where all state is kept: `embedded:PATH`, a file on this machine for one process, or
    /// `redis://[USER@]HOST:PORT/DATABASE`, shared by all replicas
    #[arg(
        long,
        env = "SESSION_STORE",
        default_value = "embedded:data/session.redb",
        hide_env_values = true
    )]
    pub session_store: StoreLocation,

    /// A file with the password for Redis, so that it does not stand in SESSION_STORE
    #[arg(long, env = "SESSION_REDIS_PASSWORD_FILE")]
    pub session_redis_password_file: Option<PathBuf>,

    /// Whether the embedded store brings every write to disk before it answers. `off` is for benchmarks only: then
    /// what was written last lives in this process's memory, and a crash, a SIGKILL or a power cut loses up to the
    /// latest 255 transactions although they were acknowledged; an orderly stop loses nothing
    #[arg(long, env = "SESSION_EMBEDDED_FSYNC", default_value = "on")]
    pub session_embedded_fsync: Fsync,

    /// Seconds (1 to 600) that a turn holds its thread unless it renews the lease; a killed turn blocks its thread for
    /// so long
    #[arg(
        long,
        env = "TURN_LEASE_TTL_SECONDS",
        default_value_t = 15,
        value_parser = clap::value_parser!(u32).range(1..=600)
    )]
    pub turn_lease_ttl_seconds: u32,

    /// Seconds (60 to 2592000) that the answer to an idempotency key is kept
    #[arg(
        long,
        env = "IDEMPOTENCY_TTL_SECONDS",
        default_value_t = 86_400,
        value_parser = clap::value_parser!(u32).range(60..=2_592_000)
    )]
    pub idempotency_ttl_seconds: u32,
}

/// Whether writes are brought to disk before they are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fsync {
    /// They are.
    On,
    /// They are some time later.
    Off,
}

/// The value of `SESSION_STORE`. Every text parses, and what is wrong with it is said at the start of the service: a
/// parser's own error would print the value, and with it a password.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreLocation(String);

impl FromStr for StoreLocation {
    type Err = Infallible;

    fn from_str(value: &str) -> Result<Self, Infallible> {
        Ok(Self(value.to_owned()))
    }
}

/// Shows the location without user and password.
impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.split_once("://"), self.0.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => write!(f, "{scheme}://…@{host}"),
            _ => f.write_str(&self.0),
        }
    }
}

impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Settings {
    /// Opens the store that the settings name.
    pub async fn open_store(&self, kit: &Kit) -> Result<Arc<dyn Store>, StartError> {
        let lease_ttl = Duration::from_secs(self.turn_lease_ttl_seconds.into());
        let idempotency_ttl = Duration::from_secs(self.idempotency_ttl_seconds.into());
        let location = self.session_store.0.as_str();
        if let Some(path) = location.strip_prefix("embedded:") {
            if path.is_empty() {
                return Err(unknown("the path is missing"));
            }
            let options = EmbeddedOptions {
                path: path.into(),
                fsync: self.session_embedded_fsync == Fsync::On,
                lease_ttl,
                idempotency_ttl,
            };
            return Ok(Arc::new(EmbeddedStore::open(
                &options,
                Arc::clone(&kit.clock),
            )?));
        }
        if location.starts_with("redis://") {
            let options = RedisOptions {
                url: location.to_owned(),
                password: self.redis_password()?,
                lease_ttl,
                idempotency_ttl,
            };
            return Ok(Arc::new(RedisStore::open(&options).await?));
        }
        Err(unknown("it begins with neither"))
    }

    fn redis_password(&self) -> Result<Option<String>, StartError> {
        let Some(path) = &self.session_redis_password_file else {
            return Ok(None);
        };
        let text = fs::read_to_string(path).map_err(|source| StartError::PasswordFile {
            path: path.clone(),
            source,
        })?;
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

fn unknown(problem: &str) -> StartError {
    StartError::UnknownStore {
        problem: problem.to_owned(),
    }
}
