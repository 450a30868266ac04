//! The service's settings.

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use clap::{ArgAction, Args, ValueEnum};
use turnwise_kit::{Kit, files, settings::flag, tls};
use turnwise_session_archive::ArchiveDir;
use turnwise_session_store::{
    Store,
    embedded::{EmbeddedOptions, EmbeddedStore},
    redis::{RedisOptions, RedisStore},
};

use crate::{
    error::StartError,
    memory::MemoryLimits,
    metrics::SessionMetrics,
    sessions::{Limits, Sessions},
};

/// Where archives go if the store is not on this machine.
const ARCHIVES: &str = "/uploads/helper_reset_exports";
/// Where archives go beside an embedded store.
const ARCHIVES_BESIDE: &str = "helper_reset_exports";
const DAY: u64 = 86_400;

/// Settings of session-svc.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Settings {
    /// Where all state is kept: `embedded:PATH`, a file on this machine for one process, or Redis, shared by all
    /// replicas: `redis://[USER@]HOST:PORT/DATABASE`, `redis+sentinel://[USER@]HOST:PORT,HOST:PORT/NAME` with the
    /// sentinels and their name of the primary, or `redis+cluster://[USER@]HOST:PORT,HOST:PORT` with some nodes; `rediss` in
    /// place of `redis` is with TLS
    #[arg(
        long,
        env = "SESSION_STORE",
        default_value = "embedded:data/session.redb",
        hide_env_values = true
    )]
    pub session_store: StoreLocation,

    /// A file with the password for Redis, so that it does not stand in SESSION_STORE; read again when it changes, for the
    /// connections that are made from then on
    #[arg(long, env = "SESSION_REDIS_PASSWORD_FILE")]
    pub session_redis_password_file: Option<PathBuf>,

    /// The authority of Redis's certificate, PEM, for an address that begins with `rediss`: of servers and sentinels
    #[arg(long, env = "SESSION_REDIS_CA_FILE")]
    pub session_redis_ca_file: Option<PathBuf>,

    /// The user of the sentinels, if they ask for one; SESSION_STORE has that of the servers
    #[arg(
        long,
        env = "SESSION_REDIS_SENTINEL_USER",
        requires = "session_redis_sentinel_password_file"
    )]
    pub session_redis_sentinel_user: Option<String>,

    /// A file with the password of the sentinels, if they ask for one
    #[arg(long, env = "SESSION_REDIS_SENTINEL_PASSWORD_FILE")]
    pub session_redis_sentinel_password_file: Option<PathBuf>,

    /// How many replicas of Redis must have a write before it is acknowledged (0 to 10; 0: none, and a failover loses
    /// the writes of its last moments). For writes that survive every failover, as many as a primary has replicas
    #[arg(
        long,
        env = "SESSION_REDIS_WAIT_REPLICAS",
        default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=10)
    )]
    pub session_redis_wait_replicas: u32,

    /// Milliseconds (1 to 10000) that these replicas may take; a write that takes longer is answered as not acknowledged
    #[arg(
        long,
        env = "SESSION_REDIS_WAIT_TIMEOUT_MS",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub session_redis_wait_timeout_ms: u32,

    /// Milliseconds (50 to 30000) that Redis may take to answer
    #[arg(
        long,
        env = "SESSION_REDIS_RESPONSE_TIMEOUT_MS",
        default_value_t = 2000,
        value_parser = clap::value_parser!(u32).range(50..=30_000)
    )]
    pub session_redis_response_timeout_ms: u32,

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

    /// Seconds (60 to 2592000) that the answer to an idempotency key is kept, and a spent drill
    #[arg(
        long,
        env = "IDEMPOTENCY_TTL_SECONDS",
        default_value_t = 86_400,
        value_parser = clap::value_parser!(u32).range(60..=2_592_000)
    )]
    pub idempotency_ttl_seconds: u32,

    /// Days (1 to 3650) that a thread is kept after its latest turns
    #[arg(
        long,
        env = "THREAD_RETENTION_DAYS",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub thread_retention_days: u32,

    /// Days (1 to 3650) that the log of a turn is kept, by which it can be explained and replayed
    #[arg(
        long,
        env = "TURN_LOG_RETENTION_DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub turn_log_retention_days: u32,

    /// Whether conversations remember earlier turns: 1 or 0
    #[arg(long, env = "HELPER_CONVERSATION_ENABLED", default_value = "1", value_parser = flag, action = ArgAction::Set)]
    pub helper_conversation_enabled: bool,

    /// The most turns (2 to 100) that a conversation remembers; older ones go into its summary
    #[arg(
        long,
        env = "HELPER_CONVERSATION_MAX_MESSAGES",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(2..=100)
    )]
    pub helper_conversation_max_messages: u32,

    /// Seconds (60 to 2592000) that a conversation with the helper remembers after its latest turn, and that questions in it
    /// wait for answers
    #[arg(
        long,
        env = "HELPER_CONVERSATION_TTL_SECONDS",
        default_value_t = 3600,
        value_parser = clap::value_parser!(u32).range(60..=2_592_000)
    )]
    pub helper_conversation_ttl_seconds: u32,

    /// The most characters (50 to 8000) of a remembered turn
    #[arg(
        long,
        env = "HELPER_CONVERSATION_TURN_MAX_CHARS",
        default_value_t = 800,
        value_parser = clap::value_parser!(u32).range(50..=8000)
    )]
    pub helper_conversation_turn_max_chars: u32,

    /// The most characters (100 to 64000) of all remembered turns
    #[arg(
        long,
        env = "HELPER_CONVERSATION_HISTORY_MAX_CHARS",
        default_value_t = 2400,
        value_parser = clap::value_parser!(u32).range(100..=64_000)
    )]
    pub helper_conversation_history_max_chars: u32,

    /// The most characters (0 to 16000) of the summary of older turns
    #[arg(
        long,
        env = "HELPER_CONVERSATION_SUMMARY_MAX_CHARS",
        default_value_t = 900,
        value_parser = clap::value_parser!(u32).range(0..=16_000)
    )]
    pub helper_conversation_summary_max_chars: u32,

    /// The most conversations (1 to 100000) of one batch of a class reset
    #[arg(
        long,
        env = "HELPER_CLASS_RESET_MAX_KEYS",
        default_value_t = 4000,
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub helper_class_reset_max_keys: u32,

    /// Whether archives can be written: 1 or 0
    #[arg(long, env = "HELPER_CLASS_RESET_ARCHIVE_ENABLED", default_value = "1", value_parser = flag, action = ArgAction::Set)]
    pub helper_class_reset_archive_enabled: bool,

    /// The folder of the archives; made if it is not there, for this user alone. Without this setting
    /// `/uploads/helper_reset_exports`, or `helper_reset_exports` beside an embedded store
    #[arg(long, env = "HELPER_CLASS_RESET_ARCHIVE_DIR")]
    pub helper_class_reset_archive_dir: Option<PathBuf>,

    /// The most messages (1 to 10000) of a conversation in an archive, the latest
    #[arg(
        long,
        env = "HELPER_CLASS_RESET_ARCHIVE_MAX_MESSAGES",
        default_value_t = 120,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub helper_class_reset_archive_max_messages: u32,

    /// Whether a class reset writes an archive before it deletes, where archives are enabled: 1 or 0
    #[arg(long, env = "HELPER_INTERNAL_RESET_EXPORT_BEFORE_DELETE", default_value = "1", value_parser = flag, action = ArgAction::Set)]
    pub helper_internal_reset_export_before_delete: bool,

    /// Days (1 to 3650) that archives are kept
    #[arg(
        long,
        env = "RETENTION_HELPER_EXPORT_DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub retention_helper_export_days: u32,

    /// Seconds (60 to 2592000) that questions in a tutor's thread wait for answers
    #[arg(
        long,
        env = "CLARIFICATION_TTL_SECONDS",
        default_value_t = 3600,
        value_parser = clap::value_parser!(u32).range(60..=2_592_000)
    )]
    pub clarification_ttl_seconds: u32,

    /// Seconds (10 to 86400) that a context request stays open
    #[arg(
        long,
        env = "CONTEXT_SLA_SECONDS",
        default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(10..=86_400)
    )]
    pub context_sla_seconds: u32,
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
    /// All operations over the store and the archives that the settings name.
    pub async fn open(&self, kit: &Kit) -> Result<Sessions, StartError> {
        let (turn, history) = (
            self.helper_conversation_turn_max_chars,
            self.helper_conversation_history_max_chars,
        );
        if self.helper_conversation_enabled && turn > history {
            return Err(StartError::TurnBeyondHistory { turn, history });
        }
        Ok(Sessions::new(
            self.open_store(kit).await?,
            Arc::clone(&kit.clock),
            self.limits(),
            self.open_archives()?,
            kit.tasks.clone(),
            kit.shutdown.clone(),
            SessionMetrics::register(&kit.metrics),
        ))
    }

    /// Opens the store that the settings name.
    pub async fn open_store(&self, kit: &Kit) -> Result<Arc<dyn Store>, StartError> {
        let location = self.session_store.0.as_str();
        if let Some(path) = self.embedded_path() {
            if path.as_os_str().is_empty() {
                return Err(unknown("the path is missing"));
            }
            let options = EmbeddedOptions {
                path: path.to_owned(),
                fsync: self.session_embedded_fsync == Fsync::On,
            };
            let store = EmbeddedStore::open(&options, Arc::clone(&kit.clock))?;
            return Ok(Arc::new(store));
        }
        if !location.starts_with("redis") {
            return Err(unknown("it begins with none of these"));
        }
        let text = |setting, file: &Option<PathBuf>| files::text(setting, file.as_ref(), kit);
        let authority = self.session_redis_ca_file.as_ref();
        let response_timeout = Duration::from_millis(self.session_redis_response_timeout_ms.into());
        let options = RedisOptions {
            server: turnwise_redis::RedisOptions {
                password: text(
                    "SESSION_REDIS_PASSWORD_FILE",
                    &self.session_redis_password_file,
                )?,
                tls: tls::authority("SESSION_REDIS_CA_FILE", authority, kit)?,
                sentinel_user: self.session_redis_sentinel_user.clone(),
                sentinel_password: text(
                    "SESSION_REDIS_SENTINEL_PASSWORD_FILE",
                    &self.session_redis_sentinel_password_file,
                )?,
                response_timeout,
                ..turnwise_redis::RedisOptions::new(location)
            },
            wait_replicas: self.session_redis_wait_replicas,
            wait_timeout: Duration::from_millis(self.session_redis_wait_timeout_ms.into()),
        };
        Ok(Arc::new(RedisStore::open(&options).await?))
    }

    fn embedded_path(&self) -> Option<&Path> {
        self.session_store
            .0
            .strip_prefix("embedded:")
            .map(Path::new)
    }

    /// Opens the folder of the archives; none if archives are not enabled.
    pub fn open_archives(&self) -> Result<Option<ArchiveDir>, StartError> {
        if !self.helper_class_reset_archive_enabled {
            return Ok(None);
        }
        let beside = self.embedded_path().and_then(Path::parent);
        let root = match (&self.helper_class_reset_archive_dir, beside) {
            (Some(named), _) => named.clone(),
            (None, Some(beside)) => beside.join(ARCHIVES_BESIDE),
            (None, None) => ARCHIVES.into(),
        };
        ArchiveDir::open(&root)
            .map(Some)
            .map_err(StartError::Archives)
    }

    /// How long things are kept, and how much of them.
    pub fn limits(&self) -> Limits {
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let days = |days: u32| Duration::from_secs(u64::from(days) * DAY);
        Limits {
            lease_ttl: seconds(self.turn_lease_ttl_seconds),
            idempotency_ttl: seconds(self.idempotency_ttl_seconds),
            thread_retention: days(self.thread_retention_days),
            turn_log_retention: days(self.turn_log_retention_days),
            conversation_ttl: seconds(self.helper_conversation_ttl_seconds),
            memory: self.helper_conversation_enabled.then_some(MemoryLimits {
                max_messages: self.helper_conversation_max_messages as usize,
                turn_max_chars: self.helper_conversation_turn_max_chars as usize,
                history_max_chars: self.helper_conversation_history_max_chars as usize,
                summary_max_chars: self.helper_conversation_summary_max_chars as usize,
            }),
            clarification_ttl: seconds(self.clarification_ttl_seconds),
            context_sla: seconds(self.context_sla_seconds),
            reset_batch: self.helper_class_reset_max_keys as usize,
            export_before_reset: self.helper_class_reset_archive_enabled
                && self.helper_internal_reset_export_before_delete,
            archive_max_messages: self.helper_class_reset_archive_max_messages as usize,
            archive_retention: days(self.retention_helper_export_days),
        }
    }
}

fn unknown(problem: &str) -> StartError {
    StartError::UnknownStore {
        problem: problem.to_owned(),
    }
}
