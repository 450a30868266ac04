//! Settings of what the replicas share.

use std::{path::PathBuf, time::Duration};

use turnwise_kit::{Kit, files, tls};
use turnwise_redis::RedisOptions;

use crate::error::StartError;

/// The Redis through which replicas share queues, breakers, limits and budgets.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct SharedSettings {
    /// Redis, through which all replicas share slots, queues, circuit breakers, limits and budgets:
    /// `redis://[USER@]HOST:PORT/DATABASE`, `redis+sentinel://[USER@]HOST:PORT,HOST:PORT/NAME` with the sentinels and
    /// their name of the primary, or `redis+cluster://[USER@]HOST:PORT,HOST:PORT` with some nodes; `rediss` in
    /// place of `redis` is with TLS. Unset: this process keeps them for itself
    #[arg(long, env = "LLM_REDIS_URL", hide_env_values = true)]
    pub llm_redis_url: Option<String>,

    /// A file with the password for Redis, so that it does not stand in LLM_REDIS_URL; read again when it changes, for the
    /// connections that are made from then on
    #[arg(long, env = "LLM_REDIS_PASSWORD_FILE", requires = "llm_redis_url")]
    pub llm_redis_password_file: Option<PathBuf>,

    /// The authority of Redis's certificate, PEM, for an address that begins with `rediss`: of servers and sentinels
    #[arg(long, env = "LLM_REDIS_CA_FILE", requires = "llm_redis_url")]
    pub llm_redis_ca_file: Option<PathBuf>,

    /// The user of the sentinels, if they ask for one; LLM_REDIS_URL has that of the servers
    #[arg(
        long,
        env = "LLM_REDIS_SENTINEL_USER",
        requires = "llm_redis_sentinel_password_file"
    )]
    pub llm_redis_sentinel_user: Option<String>,

    /// A file with the password of the sentinels, if they ask for one
    #[arg(
        long,
        env = "LLM_REDIS_SENTINEL_PASSWORD_FILE",
        requires = "llm_redis_url"
    )]
    pub llm_redis_sentinel_password_file: Option<PathBuf>,

    /// Seconds (0.05 to 30) that Redis may take to answer before this process goes on with its own slots
    #[arg(long, env = "LLM_REDIS_RESPONSE_TIMEOUT_SECONDS", default_value = "1", value_parser = response_timeout)]
    pub llm_redis_response_timeout_seconds: Duration,
}

impl SharedSettings {
    /// The address of Redis; `None` if none is configured.
    pub(crate) fn url(&self) -> Option<&str> {
        self.llm_redis_url
            .as_deref()
            .filter(|url| !url.trim().is_empty())
    }

    /// How Redis at this address is opened.
    pub(crate) fn options(&self, url: &str, kit: &Kit) -> Result<RedisOptions, StartError> {
        let text = |setting, file: &Option<PathBuf>| files::text(setting, file.as_ref(), kit);
        let authority = self.llm_redis_ca_file.as_ref();
        Ok(RedisOptions {
            password: text("LLM_REDIS_PASSWORD_FILE", &self.llm_redis_password_file)?,
            tls: tls::authority("LLM_REDIS_CA_FILE", authority, kit)?,
            sentinel_user: self.llm_redis_sentinel_user.clone(),
            sentinel_password: text(
                "LLM_REDIS_SENTINEL_PASSWORD_FILE",
                &self.llm_redis_sentinel_password_file,
            )?,
            response_timeout: self.llm_redis_response_timeout_seconds,
            keeps_records: false,
            ..RedisOptions::new(url)
        })
    }
}

fn response_timeout(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.05, 30.0)
}
