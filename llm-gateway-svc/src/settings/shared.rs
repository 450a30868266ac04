//! Settings of what the replicas share.

use std::{path::PathBuf, time::Duration};

use turnwise_redis::RedisOptions;

use crate::error::StartError;

/// The Redis through which replicas share queues, breakers, limits and budgets.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct SharedSettings {
    /// Redis, through which all replicas share slots, queues, circuit breakers, limits and budgets:
    /// `redis://[USER@]HOST:PORT/DATABASE`, `redis+sentinel://[USER@]HOST:PORT,HOST:PORT/NAME` with the sentinels and
    /// their name of the primary, or `redis+cluster://[USER@]HOST:PORT,HOST:PORT` with some nodes. Unset: this process
    /// keeps them for itself
    #[arg(long, env = "LLM_REDIS_URL", hide_env_values = true)]
    pub llm_redis_url: Option<String>,

    /// A file with the password for Redis, so that it does not stand in LLM_REDIS_URL
    #[arg(long, env = "LLM_REDIS_PASSWORD_FILE")]
    pub llm_redis_password_file: Option<PathBuf>,

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
    pub(crate) fn options(&self, url: &str) -> Result<RedisOptions, StartError> {
        Ok(RedisOptions {
            password: self.password()?,
            response_timeout: self.llm_redis_response_timeout_seconds,
            keeps_records: false,
            ..RedisOptions::new(url)
        })
    }

    /// The password from its file.
    fn password(&self) -> Result<Option<String>, StartError> {
        let file = self
            .llm_redis_password_file
            .as_ref()
            .filter(|path| !path.as_os_str().is_empty());
        let Some(path) = file else {
            return Ok(None);
        };
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned())),
            Err(source) => Err(StartError::RedisPasswordFile {
                path: path.clone(),
                source,
            }),
        }
    }
}

fn response_timeout(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.05, 30.0)
}
